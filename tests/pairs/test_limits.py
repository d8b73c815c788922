"""Rules such as `drop > 4`, whoever's numbers they are held against."""

from __future__ import annotations

import pytest

from salva.errors import ThresholdError, UsageError
from salva.pairs.limits import check_rules, named_numbers

NUMBERS = {f"group {i}": {"consistency": 90.0 + i, "drop": None} for i in range(5)}


def test_a_broken_limit_names_three_groups_and_counts_the_others():
    said = "consistency < 95: group 0 has 90, group 1 has 91, group 2 has 92 and 2 more"
    with pytest.raises(ThresholdError, match=said):
        check_rules(NUMBERS, ["consistency < 95"])


def test_what_was_not_measured_breaks_no_limit():
    check_rules(NUMBERS, ["drop > -100", "drop < 100"])


def test_a_number_that_was_measured_nowhere_for_want_of_pairs_breaks_its_limit():
    nothing = {"all": {"n": 0, "drop": None}, "copy": {"n": 0, "drop": None}}
    with pytest.raises(ThresholdError, match="drop > 4: it was not measured"):
        check_rules(nothing, ["drop > 4"])
    check_rules(nothing | {"append": {"n": 3, "drop": 1.0}}, ["drop > 4"])
    check_rules({"all": {"n": 3, "drop": None}}, ["drop > 4"])  # pairs without a wrong side, say


def test_several_broken_rules_are_all_told():
    with pytest.raises(ThresholdError, match="consistency == 90: group 0 has 90; consistency >= 94: group 4"):
        check_rules(NUMBERS, ["consistency == 90", "consistency >= 94"])


def test_an_unknown_name_suggests_the_nearest():
    with pytest.raises(UsageError, match="there is no number 'consistent'; did you mean 'consistency'"):
        check_rules(NUMBERS, ["consistent < 3"])


def test_names_inside_of_others_have_a_point_between():
    found = named_numbers({"by_rule": {"any": {"consistency": {"value": 1.0, "low": 0.5, "high": 2.0}}}})
    assert found["by_rule.any.consistency"] == found["by_rule.any.consistency.value"] == 1.0
