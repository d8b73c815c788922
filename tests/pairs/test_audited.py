"""Scores of valid twins: those of all twins if none is invalid, of the valid ones if all are read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.pairs import score, score_audited
from salva.stats import Estimate

NUMBERS = ("accuracy_before", "accuracy_after", "drop", "consistency")
CODES = st.integers(-1, 2)
ROWS = st.lists(st.tuples(CODES, CODES, CODES, st.booleans()), min_size=1, max_size=40)


def values(found):
    return [getattr(found, name).value for name in NUMBERS]


def approximately(numbers):
    return [None if number is None else pytest.approx(number) for number in numbers]


@given(ROWS)
def test_if_every_twin_is_read_the_numbers_are_those_of_the_valid_ones(rows):
    labels, before, after, valid = map(np.array, zip(*rows, strict=True))
    found = score_audited(labels, before, after, [1] * len(rows), valid, readers=1, resamples=100)
    assert values(found) == approximately(
        values(score(labels[valid], before[valid], after[valid], resamples=100))
    )


@given(ROWS, st.data())
def test_if_no_twin_is_invalid_the_numbers_are_those_of_all(rows, data):
    labels, before, after, changed = map(np.array, zip(*rows, strict=True))
    verdicts = [data.draw(st.sampled_from([1, -1])) if one else -1 for one in changed]
    found = score_audited(labels, before, after, changed, verdicts, readers=1, resamples=100)
    plain = score(labels, before, after, resamples=100)
    for name in NUMBERS:
        value = getattr(found, name).value
        assert value is None or value == pytest.approx(getattr(plain, name).value)


def test_unchanged_twins_are_valid_without_being_read():
    labels, before, after = [0] * 8, [0] * 8, [1, 1, 0, 0, 0, 0, 0, 0]
    changed, verdicts = [1, 1, 1, 1, 0, 0, 0, 0], [0, 1, 1, 1, -1, -1, -1, -1]
    found = score_audited(labels, before, after, changed, verdicts, readers=2)
    assert (found.items, found.readers, found.invalid.value) == (4, 2, 25.0)
    assert found.drop.value == pytest.approx(100 / 7)


def test_what_was_not_read_counts_as_what_was():
    labels = [0] * 1000
    after = [1] * 100 + [0] * 900
    verdicts = [0] * 5 + [1] * 5 + [-1] * 90 + [1] * 90 + [-1] * 810
    found = score_audited(labels, labels, after, [1] * 1000, verdicts, readers=1)
    assert found.drop.value == pytest.approx(100 * 50 / 950)
    assert found.drop.low < found.drop.value < found.drop.high < 10
    assert found.consistency.value == pytest.approx(100 - found.drop.value)


def test_nothing_read_is_nothing_known():
    found = score_audited([0, 0], [0, 0], [0, 1], [1, 1], [-1, -1], readers=0)
    assert (found.drop, found.invalid) == (Estimate(), Estimate())


def test_equal_calls_give_equal_numbers():
    columns = ([0] * 50, [0] * 50, [0, 1] * 25, [1] * 50, [0, 1, -1, 1, 1] * 10)
    assert score_audited(*columns, readers=1, seed=4) == score_audited(*columns, readers=1, seed=4)


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(UsageError, match="verdicts 1"):
        score_audited([0, 0], [0, 0], [0, 0], [1, 1], [1], readers=1)


def test_copies_of_rows_do_not_narrow_the_interval():
    generator = np.random.Generator(np.random.Philox(9))
    before, after, valid = ((generator.random(400) < share).astype(int) for share in (0.1, 0.3, 0.8))
    rows = [np.zeros(400, int), before, after, np.ones(400, int), valid]
    copies = [np.repeat(column, 10) for column in rows]
    rows[-1][::2] = -1
    copies[-1] = np.where(np.arange(4000) % 10, -1, np.repeat(rows[-1], 10))  # as many are read
    once, naive = score_audited(*rows, readers=1).drop, score_audited(*copies, readers=1).drop
    copied = score_audited(*copies, readers=1, design_effect=10.0).drop
    assert copied.value == pytest.approx(once.value)
    assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.05)
    assert naive.high - naive.low < 0.9 * (once.high - once.low)
