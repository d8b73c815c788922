"""How far people agree: answers joined with sets, and every figure against one counted by hand."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError
from salva.numbers import wilson
from salva.outliers.people.agreement import Answer, agreement, read_answers
from salva.outliers.people.annotation import questions
from tests.outliers.small_sets import many_sets, run, word_set, written

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SETS = many_sets(4)
ASKED = questions(SETS, count=8, seed=3)
RIGHT = {q.id: next(s for s in SETS if s.digest == q.digest).outliers[q.number] for q in ASKED}


def answer(question, name="Ann", *, right=True, **changes):
    word = RIGHT[question.id]
    wrong = next(other for other in question.words if other != word)
    given = Answer(name, question.id, question.words, word if right else wrong, "2026-11-15T12:00:00Z")
    return dataclasses.replace(given, **changes)


def file_of(tmp_path, answers, name="a.jsonl"):
    """Write answers as the page gives them: JavaScript's JSON, one line per answer."""
    lines = (
        json.dumps(dataclasses.asdict(one), ensure_ascii=False, separators=(",", ":")) for one in answers
    )
    (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return tmp_path / name


@pytest.fixture
def two(tmp_path):
    """Ann has seven of eight and skipped the last; Ben has all but the first, which both have alike."""
    ann = [answer(q, right=i > 0) for i, q in enumerate(ASKED[:7])] + [answer(ASKED[7], answer=None)]
    ben = [answer(q, "Ben", right=i > 0) for i, q in enumerate(ASKED)]
    ben[1] = answer(ASKED[1], "Ben", right=False)
    return [file_of(tmp_path, ann), file_of(tmp_path, ben, "b.jsonl")]


def test_accuracy_has_wilsons_interval_and_skips_are_counted_apart(two):
    found = agreement(SETS, two, seed=3)
    assert (found.exercises, found.total.answered, found.total.skipped, found.total.right) == (8, 15, 1, 12)
    assert found.total.accuracy == wilson(12, 15)
    assert [(a.name, a.right, a.answered) for a in found.annotators] == [("Ann", 6, 7), ("Ben", 6, 8)]


def test_sets_and_sub_sets_add_up_to_the_whole(two):
    found = agreement(SETS, two, seed=3)
    assert [one.topic for one in found.sets] == ["Topic0", "Topic1", "Topic2", "Topic3"]
    assert [one.name for one in found.subsets] == ["1", "2", "3", "4"]
    for groups in ([one.answers for one in found.sets], found.subsets):
        assert sum(group.right for group in groups) == 12
        assert sum(group.answered for group in groups) == 15


def test_agreement_of_two_is_that_of_the_exercises_both_answered(two):
    found = agreement(SETS, two, seed=3)
    (pair,) = found.pairs
    assert (pair.a, pair.b, pair.n, pair.same, pair.rate) == ("Ann", "Ben", 7, 6, wilson(6, 7))
    assert found.pairwise.value == pytest.approx(100 * 6 / 7)
    assert found.kappa.value == pytest.approx((6 / 7 - 1 / 9) / (8 / 9))
    assert found.kappa.low < found.alpha.value < found.kappa.high


def test_sets_under_the_threshold_are_named(two):
    found = agreement(SETS, two, seed=3, threshold=80)
    poor = {next(s.topic for s in SETS if s.digest == q.digest) for q in ASKED[:2]}
    assert {one.topic for one in found.under} == poor
    assert not any(one.surely_under for one in found.sets)
    assert agreement(SETS, two, seed=3, threshold=0).under == ()


def test_without_the_seed_the_words_tell_the_exercise(two):
    assert agreement(SETS, two, seed=99) == agreement(SETS, two, seed=3)


def test_one_exercise_under_two_seeds_is_one_exercise(tmp_path):
    other = {(q.digest, q.number): q for q in questions(SETS, count=32, seed=8)}
    again = other[ASKED[0].digest, ASKED[0].number]
    second = answer(ASKED[0], exercise=again.id, words=again.words)
    found = agreement(SETS, file_of(tmp_path, [answer(ASKED[0]), second]), seed=3)
    assert (found.exercises, found.total.answered) == (1, 1)


def test_of_two_answers_to_an_exercise_the_last_counts(tmp_path):
    first = file_of(tmp_path, [answer(ASKED[0]), answer(ASKED[1], right=False), answer(ASKED[1])])
    later = file_of(tmp_path, [answer(ASKED[0], answer=None)], "b.jsonl")
    found = agreement(SETS, [first, later], seed=3)
    assert (found.exercises, found.total.right, found.total.answered, found.total.skipped) == (2, 1, 1, 1)


def test_one_annotator_has_accuracy_but_no_agreement(tmp_path):
    found = agreement(SETS, file_of(tmp_path, [answer(q) for q in ASKED]), seed=3)
    assert found.total.accuracy.value == 100
    assert found.pairwise.value is found.kappa.value is found.alpha.value is None


def test_an_empty_file_says_nothing(tmp_path):
    (tmp_path / "a").touch()
    found = agreement(SETS, tmp_path / "a")
    assert (found.exercises, found.total.accuracy.value, found.sets) == (0, None, ())


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"exercise": "x", "words": ("a", "b"), "answer": "a"}, "exercise 'x' is not in the sets; have"),
        ({"words": ("a", "b"), "answer": "a"}, f"the words are not those of exercise '{ASKED[0].id}'"),
    ],
)
def test_an_answer_that_fits_no_set_is_refused_with_its_line(tmp_path, changes, problem):
    path = file_of(tmp_path, [answer(ASKED[1]), answer(ASKED[0], **changes)])
    with pytest.raises(InputError, match=re.escape(f"{path}:2: {problem}")):
        agreement(SETS, path, seed=3)


@given(TEXT.filter(bool), TEXT, st.booleans())
def test_answers_are_read_as_the_page_gave_them(tmp_path_factory, word, at, skipped):
    given = Answer("Ann", "x1", (word, "b"), None if skipped else word, f"t{at}")
    assert list(read_answers(file_of(tmp_path_factory.mktemp("a"), [given]))) == [(1, given)]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "'{' must be an answer as a JSON object"),
        ("[" * 100_000, "must be an answer as a JSON object"),
        ("[]", "'[]' must be an answer as a JSON object"),
        ('{"annotator": 1}', "annotator is 1; it must be a string"),
        ('{"annotator": "a", "exercise": "x", "at": "t"}', "words is None; it must be a list of strings"),
        (
            '{"annotator": "a", "exercise": "x", "at": "t", "words": ["a"], "answer": "b"}',
            "answer is 'b'; it must be one of the words, or null for a skip",
        ),
        (
            '{"annotator": "a", "exercise": "x", "at": "t", "words": ["a"]}',
            "answer is None; it must be one of",
        ),
    ],
)
def test_a_bad_line_is_refused_with_its_place(tmp_path, line, problem):
    path = tmp_path / "a.jsonl"
    path.write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}:2: ") as error:
        list(read_answers(path))
    assert problem in str(error.value)


def test_a_set_that_was_changed_since_is_not_mistaken(tmp_path):
    changed = dataclasses.replace(SETS[0], outliers=("dog", *SETS[0].outliers[1:]))
    mine = next(q for q in questions(SETS, count=32, seed=3) if q.digest == SETS[0].digest and q.number == 0)
    path = file_of(tmp_path, [Answer("A", mine.id, mine.words, mine.words[0], "t")])
    with pytest.raises(InputError, match="is not in the sets; have they changed since"):
        agreement([changed], path, seed=3)


def test_the_command_prints_the_figures(tmp_path, two, capsys):
    folder = written([*SETS, word_set()], tmp_path / "sets")
    run("agreement", folder, *two, "--seed", "3", "--threshold", "80")
    out = capsys.readouterr().out
    assert "8 exercises, 2 annotators" in out
    assert "accuracy, %: 80.0 [54.8, 93.0]" in out
    assert "sets under 80 %: 2 of 4" in out


def test_json_is_the_result(tmp_path, two, capsys):
    run("agreement", written(SETS, tmp_path / "sets"), *two, "--seed", "3", "--json")
    expected = json.loads(json.dumps(agreement(SETS, two, seed=3).as_dict()))
    assert json.loads(capsys.readouterr().out) == expected


def both(tmp_path, alike):
    """Ann is right always, Ben in the first `alike` exercises."""
    ben = [answer(q, "Ben", right=i < alike) for i, q in enumerate(ASKED)]
    return [file_of(tmp_path, [answer(q) for q in ASKED]), file_of(tmp_path, ben, "b.jsonl")]


@pytest.mark.parametrize("alike", [0, 1, 4, 7, 8])
def test_the_agreement_of_two_has_one_interval(tmp_path, alike):
    """Two who never agreed had [0, 0] above and [0, 32.4] below."""
    found = agreement(SETS, both(tmp_path, alike), seed=3)
    assert found.pairwise == found.pairs[0].rate == wilson(alike, 8)
    ends = [(percent / 100 - 1 / 9) / (8 / 9) for percent in dataclasses.astuple(found.pairwise)]
    assert dataclasses.astuple(found.kappa) == pytest.approx(ends)


@pytest.mark.parametrize("alike", [0, 8])
def test_what_never_varied_is_not_certain(tmp_path, alike):
    """A bootstrap of equal exercises draws the same number again and again."""
    paths = both(tmp_path, alike)
    third = [answer(q, "Cem", right=False) for q in ASKED]
    if not alike:
        third = [dataclasses.replace(one, answer=sorted(one.words)[-1]) for one in third]
    found = agreement(SETS, [*paths, file_of(tmp_path, third, "c.jsonl")], seed=3)
    assert found.pairwise.high - found.pairwise.low > 20
    assert found.alpha.low is None or found.alpha.low < found.alpha.high


def test_full_agreement_has_no_certain_alpha(tmp_path):
    alpha = agreement(SETS, both(tmp_path, 8), seed=3).alpha
    assert (alpha.value, alpha.low, alpha.high) == (1.0, None, None)


def test_one_answer_is_no_verdict(tmp_path):
    """One wrong answer has the interval [0, 79.3]: the set was surely under 90 %."""
    found = agreement(SETS, file_of(tmp_path, [answer(ASKED[0], right=False)]), seed=3)
    assert (found.under, [one.topic for one in found.unjudged]) == ((), [found.sets[0].topic])
    assert not found.sets[0].surely_under


def test_two_wrong_answers_are_a_verdict(tmp_path):
    ann, ben = (answer(ASKED[0], name, right=False) for name in ("Ann", "Ben"))
    found = agreement(SETS, file_of(tmp_path, [ann, ben]), seed=3)
    assert (len(found.under), found.unjudged, found.sets[0].surely_under) == (1, (), True)


def test_the_command_says_which_sets_it_does_not_judge(tmp_path, capsys):
    path = file_of(tmp_path, [answer(ASKED[0], right=False)])
    run("agreement", written(SETS, tmp_path / "sets"), path, "--seed", "3")
    out = capsys.readouterr().out
    assert "1 exercise, 1 annotator\n" in out
    assert "sets under 90 %: 0 of 0; 1 set has fewer than two answers, too few for a verdict\n" in out
