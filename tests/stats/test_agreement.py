"""Agreement of annotators, equal to the published examples and to a slow count of pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from salva.errors import UsageError
from salva.stats import free_marginal_kappa, krippendorff_alpha, pairwise_agreement, tally

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
    assert pairwise_agreement(table) == pytest.approx(37.8, abs=0.05)
    assert free_marginal_kappa(table, q=5) == pytest.approx(fleiss_kappa(np.array(table), method="uniform"))


@given(ANSWERS)
def test_pairwise_agreement_is_the_mean_share_of_agreeing_pairs(units):
    shares = [np.mean([a == b for a, b in pairs_of(unit)]) for unit in units if pairs_of(unit)]
    assume(shares)
    found = pairwise_agreement(tally(list(zip(*units, strict=True))))
    assert found == pytest.approx(100 * np.mean(shares))


def test_nine_choices_are_the_default_of_kappa():
    counts = [[1, 1], [2, 0]]
    assert free_marginal_kappa(counts) == pytest.approx((0.5 - 1 / 9) / (8 / 9))


@pytest.mark.parametrize("answers", [[], [[]], [["a", None], [None, "b"]]])
def test_without_pairs_nothing_is_measured(answers):
    counts = tally(answers)
    assert pairwise_agreement(counts) is free_marginal_kappa(counts) is krippendorff_alpha(counts) is None


def test_where_all_answers_are_one_alpha_is_not_defined():
    assert krippendorff_alpha([[2, 0], [3, 0]]) is None


def test_more_categories_than_said_are_refused():
    with pytest.raises(UsageError, match="q=2 is too small; the answers have 3 categories"):
        free_marginal_kappa([[1, 1, 1]], q=2)


def test_annotators_of_unlike_lengths_are_refused():
    with pytest.raises(UsageError, match=r"have \[1, 2\] answers; give None for a missing one"):
        tally([["a"], ["a", "b"]])
