"""Random samples of rows: seeded, nested, with the same share of every class."""

from __future__ import annotations

import logging
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.evaluation import evaluate
from salva.questions import make_questions
from salva.questions.items import choose_rows
from tests.flat import flat
from tests.questions.test_items import rows_of

LABELS = ["rare"] * 30 + ["common"] * 900 + [None] * 70


def questions_of(data, sample=None, limit=None, **more):
    usual = {"presets": "case", "severities": 1, "sample": sample, "options": flat(limit=limit)}
    return make_questions(data, **usual, **more)


@pytest.mark.slow
@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(0, 5))
def test_every_sample_has_the_share_of_every_class_and_the_smaller_samples(sizes, seed):
    labels = [str(number) for number, size in enumerate(sizes) for _ in range(size)]
    random.Random(seed).shuffle(labels)
    smaller: set[int] = set()
    for size in range(1, len(labels) + 1):
        chosen = choose_rows(labels, size, seed)
        assert (len(chosen), chosen) == (size, sorted(set(chosen)))
        assert smaller < set(chosen)
        smaller = set(chosen)
        counts = Counter(labels[row] for row in chosen)
        for number, there in enumerate(sizes):
            assert abs(counts[str(number)] - size * there / len(labels)) < 1


def test_each_row_is_as_likely_as_any_other_of_its_class():
    times = Counter(row for seed in range(400) for row in choose_rows(LABELS, 100, seed))
    assert set(times) == set(range(1000))
    assert sum(times[row] for row in range(30)) == 400 * 3
    assert max(times.values()) < 100  # of 40 expected


def test_classes_of_one_row_come_at_random():
    """With ten classes and one place, every class gets it at times, wherever its row is."""
    firsts = Counter(choose_rows(list("abcdefghij"), 1, seed)[0] for seed in range(300))
    assert len(firsts) == 10
    assert max(firsts.values()) < 60


def test_another_seed_gives_another_sample():
    assert choose_rows(LABELS, 50, 1) != choose_rows(LABELS, 50, 2)


def test_a_sample_keeps_order_and_row_numbers():
    data = {"text": [f"text {k}" for k in range(1000)], "label": LABELS}
    questions = questions_of(data, sample=100, seed=3)
    chosen = choose_rows(LABELS, 100, 3)
    assert rows_of(questions) == [(str(row), f"text {row}", LABELS[row]) for row in chosen]
    info = questions.about.data
    assert (info.rows, info.labels, info.unlabelled) == (100, {"common": 90, "rare": 3}, 7)


def test_a_sample_of_more_rows_than_there_are_is_all_of_them():
    info = questions_of({"text": ["a", "b", "c"], "label": ["x", "x", "y"]}, sample=10).about.data
    assert (info.rows, info.labels) == (3, {"x": 2, "y": 1})


@pytest.mark.parametrize(
    ("part", "remedy"),
    [({"limit": 2}, "use sample=2, which takes the same share"), ({"sample": 1}, "take a larger sample")],
)
def test_a_class_that_is_left_out_is_a_warning(caplog, part, remedy):
    data = {"text": ["a", "b", "c"], "label": ["x", "x", "y"]}
    with caplog.at_level(logging.WARNING, "salva"):
        questions_of(data, **part)
    assert "no row of class 'y' is among" in caplog.text
    assert remedy in caplog.text


def test_a_limit_with_every_class_is_silent(caplog):
    questions_of({"text": ["a", "b", "c"], "label": ["x", "y", "x"]}, limit=2)
    assert not caplog.records


@pytest.mark.parametrize(
    ("part", "problem"),
    [({"sample": 0}, "sample=0 must be"), ({"sample": 1, "limit": 1}, "exclude each other")],
)
def test_faults_are_refused(part, problem):
    with pytest.raises(UsageError, match=problem):
        questions_of({"text": ["a"]}, **part)


def test_a_run_over_a_sample_is_resumed_only_with_the_same_sample(tmp_path):
    rows = [(f"a great film {k}", ("positive", "negative")[k % 2]) for k in range(30)]
    usual = {"presets": "typos", "severities": 1.0, "out": tmp_path / "run"}
    run = evaluate(rows, "builtin:reviews", sample=10, **usual)
    assert run.results.data.rows == 10
    whole = (tmp_path / "run/results.json").read_bytes()
    evaluate(rows, "builtin:reviews", sample=10, resume=True, **usual)
    assert (tmp_path / "run/results.json").read_bytes() == whole
    with pytest.raises(UsageError, match="sample was 10 and is 11"):
        evaluate(rows, "builtin:reviews", sample=11, resume=True, **usual)
