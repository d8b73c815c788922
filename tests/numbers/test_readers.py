"""People's answers: agreement as published, and the numbers of valid twins, with intervals that hold."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from salva.errors import UsageError
from salva.numbers import (
    Estimate,
    above_guessing,
    bootstrap_counts,
    pairwise_agreement,
    score,
    score_audited,
    tally,
)
from salva.numbers.readers import audited_mean, krippendorff_alpha

# Klaus Krippendorff, "Computing Krippendorff's Alpha-Reliability", University of Pennsylvania 2011:
# A, binary data of two observers (Meg and Owen), alpha .095; B, nominal data of two observers (Ben and
# Gerry), alpha .692; C, nominal data of four observers with missing values, alpha .743.
MEG_AND_OWEN = ["0100000010", "1110010000"]
BEN_AND_GERRY = ["aabbdcccedda", "babbbccceddd"]
FOUR = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]

ANSWERS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=4, max_size=4), min_size=1, max_size=9
)


def read(rows):
    return [[None if answer == "." else answer for answer in row] for row in rows]


def pairs_of(unit):
    return list(itertools.permutations([answer for answer in unit if answer is not None], 2))


def slow_alpha(units):
    """Observed over expected disagreement, from every ordered pair, as the definition says."""
    units = [[a for a in unit if a is not None] for unit in units]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    observed = sum(sum(a != b for a, b in pairs_of(unit)) / (len(unit) - 1) for unit in units) / len(values)
    everything = list(itertools.permutations(values, 2))
    return 1 - observed / (sum(a != b for a, b in everything) / len(everything))


@pytest.mark.parametrize(
    ("observers", "alpha"), [(MEG_AND_OWEN, 0.0952), (BEN_AND_GERRY, 0.6920), (FOUR, 0.7434)]
)
def test_alpha_is_that_of_the_textbook(observers, alpha):
    assert round(krippendorff_alpha(tally(read(observers))), 4) == alpha


def test_alpha_of_the_largest_example_is_exact():
    assert krippendorff_alpha(tally(read(FOUR))) == pytest.approx(113 / 152)


@given(ANSWERS)
def test_alpha_is_that_of_the_definition(units):
    used = {answer for unit in units if len(pairs_of(unit)) > 1 for answer in unit if answer is not None}
    assume(len(used) > 1)
    assert krippendorff_alpha(tally(list(zip(*units, strict=True)))) == pytest.approx(slow_alpha(units))


def test_agreement_and_kappa_are_those_of_fleiss_and_randolph():
    # The table of fourteen raters in Fleiss 1971 as Wikipedia prints it: Po 0.378 (kappa 0.210).
    table = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]]
    table += [[7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]
    agreement = pairwise_agreement(table)
    assert agreement == pytest.approx(37.8, abs=0.05)
    assert above_guessing(agreement, q=5) == pytest.approx(fleiss_kappa(np.array(table), method="uniform"))


@given(ANSWERS)
def test_pairwise_agreement_is_the_mean_share_of_agreeing_pairs(units):
    shares = [np.mean([a == b for a, b in pairs_of(unit)]) for unit in units if pairs_of(unit)]
    assume(shares)
    found = pairwise_agreement(tally(list(zip(*units, strict=True))))
    assert found == pytest.approx(100 * np.mean(shares))


def test_nine_choices_are_the_default_of_kappa():
    counts = [[1, 1], [2, 0]]
    assert above_guessing(pairwise_agreement(counts)) == pytest.approx((0.5 - 1 / 9) / (8 / 9))


@pytest.mark.parametrize("answers", [[], [[]], [["a", None], [None, "b"]]])
def test_without_pairs_nothing_is_measured(answers):
    counts = tally(answers)
    assert pairwise_agreement(counts) is krippendorff_alpha(counts) is None


def test_where_all_answers_are_one_alpha_is_not_defined():
    assert krippendorff_alpha([[2, 0], [3, 0]]) is None


def test_annotators_of_unlike_lengths_are_refused():
    with pytest.raises(UsageError, match=r"have \[1, 2\] answers; give None for a missing one"):
        tally([["a"], ["a", "b"]])


# Right twice, right then wrong, wrong then right, wrong twice: what a pair adds to the drop, in points.
DROP = np.array([0.0, 100.0, -100.0, 0.0])
AFTER = np.array([100.0, 0.0, 100.0, 0.0])
FLIPS = np.array([0.0, 1.0, 1.0, 0.0])
COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9)), min_size=4, max_size=4)


class World(NamedTuple):
    """How many pairs there are, how many are read, the shares of the kinds, and how many are invalid."""

    pairs: int
    read: int
    shares: tuple[float, ...]
    invalid: tuple[float, ...]

    def truth(self, values: np.ndarray) -> float:
        valid = np.array(self.shares) * (1 - np.array(self.invalid))
        return float((valid * values).sum() / valid.sum())


WORLDS = [
    World(500, 200, (0.86, 0.04, 0.02, 0.08), (0.05, 0.4, 0.1, 0.05)),
    World(2000, 200, (0.86, 0.06, 0.02, 0.06), (0.02, 0.02, 0.02, 0.02)),
    World(2000, 100, (0.80, 0.10, 0.02, 0.08), (0.10, 0.5, 0.2, 0.10)),
    World(10_000, 500, (0.70, 0.20, 0.02, 0.08), (0.3, 0.8, 0.3, 0.3)),
    World(300, 300, (0.80, 0.10, 0.04, 0.06), (0.1, 0.5, 0.2, 0.1)),
    World(2000, 50, (0.86, 0.06, 0.02, 0.06), (0.05, 0.3, 0.1, 0.05)),
    World(25_000, 200, (0.86, 0.06, 0.02, 0.06), (0.03, 0.3, 0.1, 0.03)),
    World(10_000, 100, (0.70, 0.20, 0.02, 0.08), (0.3, 0.8, 0.3, 0.3)),
]
ALL_VALID = World(2000, 100, (0.86, 0.06, 0.02, 0.06), (0.0, 0.0, 0.0, 0.0))


def coverage(world: World, values: np.ndarray, times: int = 4000) -> float:
    """Return how often the interval contains the true mean, in percent, over simulated audits."""
    generator = np.random.Generator(np.random.Philox(16))
    truth, held = world.truth(values), 0
    for seed in range(times):
        pairs = generator.multinomial(world.pairs, world.shares)
        read = generator.multivariate_hypergeometric(pairs, world.read)
        bad = generator.binomial(read, world.invalid)
        found = audited_mean(
            values, 0 * pairs, pairs, read, bad, pseudo_counts=FLIPS, resamples=1000, seed=seed
        )
        held += found.low <= truth <= found.high
    return 100 * held / times


@pytest.mark.slow
@pytest.mark.parametrize("values", [DROP, AFTER], ids=["drop", "after"])
@pytest.mark.parametrize("world", WORLDS)
def test_intervals_hold_as_often_as_the_documentation_says(world, values):
    assert 93.5 <= coverage(world, values) <= 97.5


@pytest.mark.slow
def test_if_nothing_is_invalid_intervals_hold_nearly_as_often():
    assert coverage(ALL_VALID, DROP) > 95
    assert coverage(ALL_VALID, AFTER) > 91.5


def test_a_plain_mean_of_all_rows_misses_the_truth():
    world = WORLDS[3]
    plain = bootstrap_counts(
        np.array(world.shares) * world.pairs, lambda drawn: (drawn * DROP).sum(1) / drawn.sum(1)
    )
    assert plain.low > world.truth(DROP) + 10


@given(COUNTS)
def test_if_every_row_is_audited_it_is_the_mean_of_the_valid_ones(counts):
    sure, doubtful, bad = np.array(counts).T
    bad = np.minimum(bad, doubtful)
    valid = sure + doubtful - bad
    found = audited_mean(DROP, sure, doubtful, doubtful, bad, resamples=100)
    if valid.sum():
        assert found.value == pytest.approx((valid * DROP).sum() / valid.sum())
        assert found.low is None or found.low <= found.value <= found.high
    else:
        assert found.value is None


@given(COUNTS)
def test_if_no_row_is_invalid_it_is_the_mean_of_all(counts):
    sure, doubtful, read = np.array(counts).T
    read = np.maximum(np.minimum(read, doubtful), [1, 0, 0, 0])
    found = audited_mean(DROP, sure, doubtful, read, 0 * read, resamples=100)
    total = sure + doubtful
    assert found.value == pytest.approx((total * DROP).sum() / total.sum())


def test_if_no_row_is_invalid_the_interval_is_wider_than_without_an_audit():
    pairs, read = np.array([860, 60, 20, 60]), np.array([172, 12, 4, 12])
    plain = bootstrap_counts(pairs, lambda drawn: (drawn * DROP).sum(1) / 1000, pseudo_counts=FLIPS)
    found = audited_mean(DROP, 0 * pairs, pairs, read, 0 * read, pseudo_counts=FLIPS)
    assert found.low < plain.low < plain.value == found.value < plain.high
    assert found.high - found.low < 1.5 * (plain.high - plain.low)


def test_more_reading_narrows_the_interval():
    pairs = np.array([8600, 600, 200, 600])
    widths = []
    for share in (100, 20, 4):
        read = pairs // share
        found = audited_mean(DROP, 0 * pairs, pairs, read, read // 5, pseudo_counts=FLIPS)
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)


def test_a_kind_that_nobody_audited_has_the_rate_of_all():
    assert audited_mean([0, 100], [0, 0], [50, 50], [10, 0], [5, 0]).value == 50


@pytest.mark.parametrize("counts", [([0, 0], [5, 5], [0, 0], [0, 0]), ([0], [3], [3], [3])])
def test_without_an_audit_or_a_valid_row_there_is_no_mean(counts):
    assert audited_mean([100] * len(counts[0]), *counts) == Estimate()


@pytest.mark.parametrize(("read", "bad"), [([3], [4]), ([6], [0])])
def test_impossible_counts_are_refused(read, bad):
    with pytest.raises(UsageError, match="audited rows doubtful ones"):
        audited_mean([100], [0], [5], read, bad)


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
