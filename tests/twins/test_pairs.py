"""Pairs are questions: both sides are asked, and consistency stands beside accuracy, function by function."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from salva.errors import ModelError, UsageError
from salva.evaluation import load_run
from salva.evaluation.headline import write_headline
from salva.questions.plan import is_pairs
from salva.twins import TwinPair, interpret, make_pairs, natural_pairs, read_pairs, write_pairs
from salva.twins.natural.synonyms import Synonym
from salva.twins.pair import write_pair_lines
from tests.evaluation.running import run
from tests.evaluation.test_page import BY_TWO, STRANGE_ELEMENTS, TOO_WIDE, text_of

LINES = ["append A1 B2 , C3 D4", "repeat E5 F6", "copy append A1 B2 , repeat G7 H8"]
PAIRS = make_pairs(LINES, per_function=9, functions=("append", "repeat"))
TEXTS = {text for pair in PAIRS for text in (pair.source, pair.twin)}


def solve(texts):
    """Know all functions and no twin of append: it is taken for prepend."""
    return [interpret(text.replace("append_twin", "prepend")) for text in texts]


def pair(i=0, kind="append", target="A B", source=None):
    return TwinPair(source or f"copy A{i} B1", f"copy_twin A{i} B1", target, target, kind, i)


def replies(pairs, answers, twins):
    """Return a model with known answers to the sources and to the twins."""
    known = {one.source: answer for one, answer in zip(pairs, answers, strict=True)}
    known |= {one.twin: answer for one, answer in zip(pairs, twins, strict=True)}
    return lambda texts: [known[text] for text in texts]


@pytest.fixture
def folder(tmp_path):
    write_pairs(tmp_path / "pairs", PAIRS)
    return tmp_path / "pairs"


@pytest.fixture
def ask(tmp_path):
    """Ask about pairs, given their answers; return the results."""

    def evaluate(pairs, answers, twins, **settings):
        write_pair_lines(tmp_path / "x.pairs.jsonl", pairs, overwrite=True)
        return run(tmp_path / "x.pairs.jsonl", replies(pairs, answers, twins), **settings).results

    return evaluate


def slices(results, column):
    """Return the slices by a column, by name."""
    return {one.name: one for part in results.slices if part.column == column for one in part.slices}


def headline(results):
    return " ".join(map(str, write_headline(results)))


def test_a_folder_with_twins_and_lines_with_both_sides_are_pairs(folder, tmp_path):
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "a", "source": "b", "twin": "c"}\n')
    write_pair_lines(tmp_path / "x.jsonl", PAIRS)
    assert is_pairs(folder)
    assert is_pairs(str(tmp_path / "x.jsonl"))
    assert not any(map(is_pairs, [texts, tmp_path, tmp_path / "gone.jsonl", ["a"], None]))
    for number, line in enumerate(["", "{", '["source", "twin"]', '{"source": "a"}']):
        (tmp_path / f"{number}.jsonl").write_text(f"\n{line}\n")
        assert not is_pairs(tmp_path / f"{number}.jsonl")


def test_every_distinct_text_is_asked_once_and_each_function_has_its_numbers(folder):
    asked = []
    results = run(folder, lambda texts: asked.extend(texts) or solve(texts)).results
    assert sorted(asked) == sorted(TEXTS)
    (twin,) = results.conditions
    assert (twin.name, twin.score.n) == ("twin", 4)
    assert (twin.score.accuracy_before.value, twin.score.accuracy_after.value) == (100, 50)
    assert (twin.score.consistency.value, twin.score.both_right.value, twin.score.drop.value) == (50, 50, 50)
    found = {name: one.scores[0].consistency.value for name, one in slices(results, "kind").items()}
    assert found == {"append": 0, "repeat": 100}
    assert list(slices(results, "words")) == ["1 to 10 words"]


def test_lines_are_sliced_by_their_length(ask):
    lines = [pair(k, source=f"copy {'A ' * size}".strip()) for k, size in enumerate((9, 10, 40, 300))]
    found = slices(ask(lines, ["A B"] * 4, ["A B"] * 4), "words")
    names = ["1 to 10 words", "11 to 20 words", "201 words or more", "41 to 60 words"]
    assert sorted(found) == names


# Both right; both wrong and the same; right, then wrong; both empty; wrong, then right; two other wrong ones.
SIX = [pair(i) for i in range(6)]
ANSWERS, TWINS = ["A B", "C", "A B", "", "D", "E"], ["A  B ", "C", "X", "", "A B", "F"]


def test_the_numbers_follow_by_hand(ask):
    """Answers are compared word by word; two empty ones are the same, and wrong."""
    results = ask(SIX, ANSWERS, TWINS)
    score = results.conditions[0].score
    assert score.accuracy_before.value == score.accuracy_after.value == pytest.approx(200 / 6)
    assert (score.both_right.value, score.consistency.value) == (pytest.approx(100 / 6), 50)
    assert (score.right_to_wrong, score.wrong_to_right, score.p, score.drop.value) == (1, 1, 1.0, 0.0)
    assert "1 pair has two empty answers, which are the same; the script published" in headline(results)


def test_a_constant_answer_is_consistent_and_said_to_be_wrong(ask):
    said = headline(ask(SIX, ["Z"] * 6, ["Z"] * 6))
    assert "100.0 % of 6 pairs get the same answer twice" in said
    assert "0.0 % of the sources and 0.0 % of their twins are answered correctly" in said


def test_a_pair_with_a_failed_side_is_not_measured(ask):
    results = ask(SIX, [None, *ANSWERS[1:]], [*TWINS[:5], None], errors=1.0)
    score = results.conditions[0].score
    assert (score.n, score.n_failed, score.consistency.value) == (4, 2, 50)
    assert "2 texts got no answer and count neither way" in headline(results)
    nothing = ask([pair()], ["A B"], [None], errors=1.0)
    assert "No pair was measured: none has two answers." in headline(nothing)


def test_pairs_of_one_source_are_one_witness(ask):
    apart = [pair(i) for i in range(40)]
    together = [TwinPair(f"copy {'AC'[i // 20]}", f"dax {i}", "A B", "A B", "copy", i) for i in range(40)]
    answers = ["A B"] * 20 + ["X"] * 20
    wide, narrow = ask(together, answers, answers), ask(apart, answers, answers)
    assert wide.clusters.number == 2
    assert narrow.clusters.number == 40
    rates = [one.conditions[0].score.accuracy_after for one in (wide, narrow)]
    assert rates[0].high - rates[0].low > 2 * (rates[1].high - rates[1].low)


def test_a_pair_without_a_target_counts_for_consistency_alone(ask):
    results = ask([pair(0), pair(1, target="")], ["A B"] * 2, ["A B"] * 2)
    score = results.conditions[0].score
    assert (score.n, score.n_unlabelled, score.consistency.value) == (1, 1, 100)
    assert "of the 1 with a target, 100.0 % of the sources" in headline(results)
    alone = ask([pair(target="")], ["A"], ["A"])
    assert "it is unknown whether it is right, because no pair has a target" in headline(alone)


def test_a_control_is_right_if_both_answers_are_right_and_so_differ(ask):
    lines = [TwinPair(f"append A{i} , B", f"prepend A{i} , B", "A B", "B A", "append", i) for i in range(2)]
    results = ask(lines, ["A B", "A B"], ["B A", "A B"])
    score = results.conditions[0].score
    assert (score.both_right.value, score.accuracy_after.value, score.consistency.value) == (50, 50, 50)
    assert "2 pairs have two targets: equal answers are wrong there." in headline(results)


def test_a_flip_shows_what_was_replaced_and_both_answers(folder):
    done = run(folder, solve)
    assert {flip.condition for flip in done.flips} == {"twin"}
    assert {(edit.old, edit.new) for flip in done.flips for edit in flip.edits} == {("append", "append_twin")}
    done.report(folder / "page.html")
    assert "<del>append</del> <ins>append_twin</ins>" in (folder / "page.html").read_text("utf-8")


def test_a_twin_of_another_length_is_one_edit(ask, tmp_path):
    write_pair_lines(
        tmp_path / "x.jsonl", natural_pairs(["a soft drink here"], [Synonym("soft drink", "soda")])
    )
    (flip,) = run(tmp_path / "x.jsonl", lambda texts: texts).flips
    assert [(edit.old, edit.new, edit.rule) for edit in flip.edits] == [
        ("soft drink", "soda", "soft drink/soda")
    ]


def test_answers_that_vary_by_themselves_are_told_beside_the_consistency(tmp_path):
    write_pair_lines(tmp_path / "x.jsonl", [pair(i) for i in range(40)])
    seen = Counter()

    def moody(texts):
        seen.update(texts)
        return [f"A{seen[text]}" for text in texts]

    results = run(tmp_path / "x.jsonl", moody, noise=20).results
    assert (results.noise.asked, results.noise.changed) == (20, 20)
    assert set(seen.values()) <= {1, 2, 3}
    assert "The model contradicts itself" in headline(results)


def test_a_run_that_was_stopped_goes_on_and_ends_the_same(folder, tmp_path):
    options, left = {"model_id": "m", "batch_size": 2, "resume": True}, iter("12")

    def fading(texts):
        if next(left, None) is None:
            raise ModelError("the power is gone")
        return solve(texts)

    with pytest.raises(ModelError, match="the power is gone"):
        run(folder, fading, out=tmp_path / "a", **options)
    left = iter(range(99))
    for name in "ab":
        run(folder, fading, out=tmp_path / name, **options)
    for name in ("results.json", "report.html", "flips.parquet"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_run_does_not_go_on_with_other_pairs(folder, tmp_path):
    run(folder, solve, out=tmp_path / "run", model_id="m")
    write_pairs(folder, PAIRS[:3], overwrite=True)
    with pytest.raises(UsageError, match="was made with other data"):
        run(folder, solve, out=tmp_path / "run", model_id="m", resume=True)


def test_a_sample_takes_the_same_share_of_every_function(tmp_path):
    lines = [f"{name} A{i} , B{i}" for name in ("append", "remove_second") for i in range(1, 21)]
    lines += [f"{name} A{i} B{i}" for name in ("swap", "repeat") for i in range(1, 11)]
    write_pairs(tmp_path / "pairs", make_pairs(lines))
    found = slices(run(tmp_path / "pairs", solve, sample=12).results, "kind")
    assert {name: one.rows for name, one in found.items()} == {
        "append": 4, "remove_second": 4, "repeat": 2, "swap_first_last": 2
    }  # fmt: skip


def test_a_limit_takes_the_first_pairs_and_excludes_a_sample(folder):
    assert run(folder, solve, limit=3).results.conditions[0].score.n == 3
    with pytest.raises(UsageError, match="limit= and sample= exclude each other"):
        run(folder, solve, limit=3, sample=3)


def test_settings_that_would_change_pairs_are_refused_before_any_question(folder):
    asked = []
    for settings in ({"presets": ["typos"]}, {"copies": 2}, {"text": "source"}, {"severities": [0.5]}):
        with pytest.raises(UsageError, match="holds pairs, which are asked as they are; leave out"):
            run(folder, asked.extend, **settings)
    assert asked == []


def test_the_command_shows_accuracy_beside_consistency_and_keeps_everything(salva, folder):
    Path("m.py").write_text("from tests.twins.test_pairs import solve\n")
    outcome = salva(
        "evaluate", "pairs", "--model", "python:m:solve", "-o", "run", "--fail-if", "consistency < 90"
    )
    assert outcome.code == 1, outcome.err
    assert "50.0 % of 4 pairs get the same answer twice" in outcome.out
    assert "100.0 % of the sources and 50.0 % of their twins" in " ".join(outcome.out.split())
    assert "twin by kind" in outcome.out
    assert "50.0 % of 4 pairs get the same answer twice" in text_of(
        Path("run/report.html").read_text("utf-8")
    )
    again = salva("report", "run", "--json")
    assert (
        json.loads(again.out)["conditions"] == json.loads(Path("run/results.json").read_text())["conditions"]
    )


def test_answers_made_elsewhere_are_found_by_the_keys_of_the_questions(salva, folder):
    assert salva("questions", "pairs", "-o", "suite").code == 0
    rows = pq.read_table("suite/questions.parquet").select(["key", "parts"]).to_pylist()
    made = [{"key": row["key"].hex(), "output": solve(row["parts"])[0]} for row in rows]
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
    outcome = salva("evaluate", "pairs", "--model", "answers:answers.jsonl", "-o", "run")
    assert outcome.code == 0, outcome.err
    assert load_run("run").results.conditions[0].score.consistency.value == 50


def test_twins_of_plain_texts_are_asked_from_their_file(salva):
    Path("texts.csv").write_text("text,label\nThe lorry,yes\nA car,no\n", "utf-8")
    Path("s.tsv").write_text("lorry\ttruck\n", "utf-8")
    Path("echo.py").write_text("def say(texts):\n    return ['yes' for _ in texts]\n")
    assert salva("twins", "pair", "texts.csv", "--synonyms", "s.tsv", "-o", "x.pairs.jsonl").code == 0
    outcome = salva("evaluate", "x.pairs.jsonl", "--model", "python:echo:say", "-o", "run")
    assert "100.0 % of 1 pair get the same answer twice" in outcome.out, outcome.err
    assert list(slices(load_run("run").results, "kind")) == ["lorry/truck"]


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (["evaluate", "bad.jsonl"], 3, "bad.jsonl:2: contains a lone surrogate"),
        (["evaluate", "pairs", "--preset", "typos"], 2, "pairs holds pairs, which are asked as they are"),
        (["twins", "score", "pairs", "--answers", "a.tsv"], 2, "by salva evaluate pairs --model SPEC -o RUN"),
    ],
)
def test_faults_are_one_line_with_their_code(salva, folder, arguments, code, problem):
    good = '{"source": "copy A1", "twin": "copy_twin A1"}\n'
    Path("bad.jsonl").write_text(good + '{"source": "copy \\ud800", "twin": "copy_twin A1"}\n')
    model = ["--model", "builtin:reviews", "-o", "run"] if arguments[0] == "evaluate" else []
    outcome = salva(*arguments, *model)
    assert (outcome.code, problem in outcome.err, outcome.err.count("\n")) == (code, True, 1), outcome.err


@pytest.mark.parametrize("hostile", [BY_TWO[0] + "x" * 300, BY_TWO[1]], ids=ascii)
def test_a_page_of_pairs_is_deaf_to_their_words_and_fits_a_phone(opened, tmp_path, hostile):
    lines = [TwinPair(f"a {hostile}", f"b {hostile}", hostile, hostile, hostile, 0)]
    write_pair_lines(tmp_path / "x.jsonl", lines)
    done = run(tmp_path / "x.jsonl", replies(lines, [f"x{hostile}"], [f"y{hostile}"]))
    done.report(tmp_path / "page.html")
    seen = opened((tmp_path / "page.html").read_text("utf-8"), viewport={"width": 360, "height": 740})
    assert seen.page.evaluate("window.pwned") is None
    assert seen.page.evaluate(STRANGE_ELEMENTS) == []
    assert (seen.requests, seen.complaints) == ([seen.address], [])
    assert seen.page.evaluate("document.documentElement.scrollWidth") == 360
    assert seen.page.evaluate(TOO_WIDE) == []


@pytest.mark.slow
def test_the_official_pairs_have_6716_sources(pcfgset):
    pairs = read_pairs(pcfgset / "substitutivity/primitive")
    model = replies(pairs, [one.target for one in pairs], [one.twin_target for one in pairs])
    results = run(pcfgset / "substitutivity/primitive", model, resamples=100, flips=0).results
    assert (results.data.rows, results.clusters.number) == (10_000, 6_716)
    assert results.conditions[0].score.consistency.value == 100
    assert [one.rows for one in slices(results, "kind").values()] == [2_500] * 4
