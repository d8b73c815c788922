"""Blame: the smallest sets of edits, within a bounded number of calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.evaluation import evaluate, load_run
from salva.evaluation.flips import Case, find_blame, search
from salva.evaluation.results import Edit, Flip
from salva.questions.table import Condition, undo
from salva.rows import reviews
from salva.transforms import preset
from tests.evaluation.keywords import classify
from tests.flat import flat


def found(edits, calls, works, *, spliced=True):
    """Play the model: return the explanation and how many sets were tried."""
    steps, tried = search(edits, calls, spliced=spliced), 0
    sets = next(steps)
    while True:
        tried += len(sets)
        try:
            sets = steps.send([works(some) for some in sets])
        except StopIteration as stop:
            return stop.value, tried


def test_every_single_edit_that_suffices_is_to_blame():
    explanation, tried = found(5, 32, lambda undone: bool(undone & {1, 3}))
    assert explanation.blamed == {1, 3}
    assert tried == 5


def test_one_edit_among_many_is_found_by_halving():
    explanation, tried = found(500, 32, lambda undone: 321 in undone)
    assert explanation.blamed == {321}
    assert tried <= 32


@given(st.integers(1, 60), st.data())
def test_a_set_from_which_no_edit_can_be_left_out(edits, data):
    guilty = frozenset(data.draw(st.sets(st.integers(0, edits - 1), min_size=1, max_size=4)))
    explanation, _ = found(edits, 1_000, lambda undone: undone >= guilty)
    assert explanation.blamed == guilty


@given(st.integers(0, 80), st.integers(0, 40), st.randoms(use_true_random=False))
def test_no_search_asks_more_than_it_may(edits, calls, chance):
    _, tried = found(edits, calls, lambda _: chance.random() < 0.3) if edits and calls else (None, 0)
    assert tried <= calls


def test_a_flip_that_stays_with_all_edits_undone_is_the_render_s():
    explanation, tried = found(9, 32, lambda undone: False, spliced=False)
    assert (explanation.cause, explanation.blamed, tried) == ("render", frozenset(), 1)


def test_too_few_calls_explain_nothing():
    explanation, _ = found(50, 3, lambda undone: 7 in undone)
    assert explanation.blamed == frozenset()


def test_undoing_all_edits_of_a_splice_gives_the_original():
    twins = preset("typos", prob=1.0, render="splice").transform(["A great, great film 👍 — truly"], seed=4)
    edits = [
        {"part": 0, "start": one["new_start"], "end": one["new_end"], "old": one["old"]}
        for one in twins.edits.to_pylist()
    ]
    assert undo(twins.transformed, edits) == ["A great, great film 👍 — truly"]
    assert undo(twins.transformed, edits, []) == list(twins.transformed)


def case_of(edits, text):
    """Return a flip under a preset that changes nothing but these edits."""
    plain = [
        {"part": 0, "start": one.start, "end": one.end, "old": one.old, "rule": one.rule} for one in edits
    ]
    row = {"parts": [text], "edits": plain}
    flip = Flip(0, "0", "typos@1", "p", "p", "n", text, edits)
    condition = Condition(name="typos@1", preset="typos", severity=1.0)
    return Case(flip, condition, row, {"parts": undo([text], plain)})


def texts_of(asked):
    return [undo(case.row["parts"], case.edits, undone)[0] for case, undone in asked]


def test_replacements_are_counted_whatever_their_case():
    edits = (
        Edit(0, 4, "Good", "Fine", "wordnet", blamed=False),
        Edit(5, 9, "good", "fine", "wordnet", blamed=False),
    )
    _, blame = find_blame(
        [case_of(edits, "Fine fine")],
        32,
        lambda asked: [text.startswith("Good") for text in texts_of(asked)],
    )
    (one,) = blame.table
    assert (one.old, one.new, one.seen, one.blamed) == ("good", "fine", 2, 1)
    assert one.rate.low < 50 < one.rate.high


def test_spellings_of_one_word_are_one_word():
    olds, news = ["bad.", "Bad;", "bad", "BAD"], ["bda.", "Bsd;", "bade", "BAD!"]
    edits = tuple(
        Edit(5 * k, 5 * k + 4, old, new, "typo", blamed=False)
        for k, (old, new) in enumerate(zip(olds, news, strict=True))
    )
    _, blame = find_blame(
        [case_of(edits, "".join(f"{new:<5}" for new in news))],
        32,
        lambda asked: ["bad." in text or "Bad;" in text for text in texts_of(asked)],
    )
    (one,) = blame.words
    assert (one.word, one.became, one.rules) == ("bad", ("bda", "bsd", "bade", "bad"), ("typo",))
    assert (one.seen, one.blamed, one.alone, one.together, one.either) == (4, 2, 0, 2, 0)
    assert (blame.alone, blame.together, blame.either) == (0, 1, 0)


@pytest.mark.parametrize(
    ("works", "cause"),
    [
        (lambda undone: 1 in undone, "alone"),
        (lambda undone: bool(undone & {1, 2}), "together"),
        (lambda undone: undone >= {1, 2}, "either"),
        (lambda undone: False, None),
    ],
)
@pytest.mark.parametrize("edits", [3, 200])
def test_one_edit_several_together_or_either_of_them(edits, works, cause):
    explanation, _ = found(edits, 40, works)
    # Among many edits, a search that halves finds one that suffices, and does not look for others.
    assert explanation.cause == ("alone" if (cause, edits) == ("together", 200) else cause)


def test_the_cause_of_a_flip_is_kept(tmp_path):
    run = evaluate(reviews("test"), classify, presets="typos", severities=1.0, out=tmp_path / "run")
    causes = Counter(flip.cause for flip in run.flips if flip.condition == "typos@1")
    blame = run.results.blame
    assert causes["alone"] == blame.alone > 0
    assert (causes["together"], causes["either"], causes["render"]) == (
        blame.together,
        blame.either,
        blame.by_render,
    )
    assert load_run(tmp_path / "run").flips == run.flips
    for word in blame.words:
        assert word.alone + word.together + word.either == word.blamed <= word.seen


def test_undoing_the_blamed_edits_brings_the_answer_back():
    run = evaluate(reviews("test"), classify, presets="synonyms", severities=1.0)
    explained = [flip for flip in run.flips if any(edit.blamed for edit in flip.edits)]
    assert len(explained) == run.results.blame.explained > 10
    for flip in explained:
        edits = [{"part": 0, **asdict(edit)} for edit in flip.edits]
        guilty = [k for k, edit in enumerate(flip.edits) if edit.blamed]
        alone = classify(undo([flip.text], edits, guilty[:1])) == [flip.before]
        assert alone or classify(undo([flip.text], edits, guilty)) == [flip.before]


@pytest.mark.parametrize("calls", [0, 1, 6])
def test_no_flip_costs_more_calls_than_it_may(calls):
    options = flat(noise=0, blame_calls=calls)
    run = evaluate(reviews("test"), classify, presets="typos", severities=1.0, options=options)
    if calls:
        assert run.results.blame.calls <= calls * run.results.blame.rows
    else:
        assert run.results.blame is None
