"""Drops of published tables: intervals that say they are not paired."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from salva.errors import UsageError
from salva.pairs import score, unpaired
from salva.stats import Estimate, newcombe


def test_the_drop_is_newcombes_difference_and_says_so():
    found = unpaired(90, 100, 80, 120)
    assert found.drop == newcombe(90, 100, 80, 120)
    assert json.loads(json.dumps(asdict(found)))["method"] == "unpaired (Newcombe)"


@pytest.mark.parametrize(
    ("over", "told"), [(10.0, (False, False)), (8.0, (True, False)), (4.0, (True, True))]
)
def test_effective_is_over_the_limit_and_surely_so_is_its_lower_end(over, told):
    found = unpaired(450, 500, 400, 500, effective_over=over)
    assert 4 < found.drop.low < 8 < found.drop.value == 10
    assert (found.effective, found.surely_effective) == told


def test_pairs_that_mostly_agree_are_told_more_surely():
    labels = [1] * 1000
    paired = score(labels, [1] * 900 + [0] * 100, [1] * 850 + [0] * 150).drop
    apart = unpaired(900, 1000, 850, 1000).drop
    assert paired.value == apart.value
    assert paired.high - paired.low < 0.6 * (apart.high - apart.low)


def test_no_rows_have_no_drop():
    found = unpaired(0, 0, 0, 0)
    assert (found.drop, found.effective, found.surely_effective) == (Estimate(None, None, None), None, None)


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(UsageError, match="successes=101 must be between 0 and n=100"):
        unpaired(101, 100, 80, 100)
