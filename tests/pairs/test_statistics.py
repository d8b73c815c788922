"""A statistic is declared once: its field says how it is shown everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from salva.pairs.statistics import (
    Cell,
    Nested,
    Statistic,
    list_columns,
    terminal_alignment,
    terminal_headings,
    terminal_row,
)
from salva.stats import Estimate


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
