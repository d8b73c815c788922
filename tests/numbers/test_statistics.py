"""A statistic is declared once: its field says how it is shown everywhere, and its name is that in rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from salva.errors import ThresholdError, UsageError
from salva.numbers import Estimate
from salva.numbers.statistics import (
    Cell,
    Nested,
    Statistic,
    check_rules,
    list_columns,
    named_numbers,
    terminal_alignment,
    terminal_headings,
    terminal_row,
)


@dataclass(frozen=True)
class Inner:
    gain: Annotated[Estimate, Statistic("what is gained", "gain", "gain", show_interval=True)]
    hits: Annotated[int, Statistic("how many", "hits", below=lambda inner: f"of {inner.hits + 1}")]


@dataclass(frozen=True)
class Outer:
    name: Annotated[str, Statistic("the name", short="name", column="who")]
    seed: int
    first: Annotated[Inner, Nested()]
    second: Annotated[Inner | None, Nested("second_")]


COLUMNS = list(list_columns(Outer))
RESULT = Outer("a", 7, Inner(Estimate(1.25, 1, 2), 1234), None)


def test_nested_results_have_their_columns_in_order():
    names = [name for column in COLUMNS for name in column.plain_values(RESULT)]
    gain = ["gain", "gain_low", "gain_high"]
    assert names == ["who", "seed", *gain, "hits", *(f"second_{name}" for name in gain), "second_hits"]


def test_a_cell_is_the_number_with_what_is_below_it():
    cells = {column.name: column.cell(RESULT, 2) for column in COLUMNS}
    assert cells["gain"] == Cell("1.25", "[1.00, 2.00]")
    assert cells["hits"] == Cell("1,234", "of 1235")
    assert cells["second_gain"] == cells["seed"] == Cell("n/a")


def test_the_terminal_shows_what_has_a_short_heading():
    assert terminal_headings(COLUMNS)[:3] == ["name", "gain", "interval"]
    assert terminal_row(COLUMNS, RESULT)[:3] == ["a", "1.2", "[1.0, 2.0]"]
    assert terminal_alignment(COLUMNS)[:3] == [True, False, False]


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
