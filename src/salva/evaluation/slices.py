"""Slices: the drop among short and long texts, and among rows with each value of a column."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from salva._types import Bools, Floats
from salva.evaluation.details import Slice, SliceScore, Slicing
from salva.evaluation.exchange import Exchange
from salva.numbers import PairTable

_MOST_VALUES = 10  # of a column; rarer ones are one slice, and more numbers are put into quartiles


class _Part(NamedTuple):
    """The rows of a slice."""

    name: str
    kind: str
    rows: Bools
    low: float | None = None
    high: float | None = None


def score_slices(exchange: Exchange, columns: Sequence[str]) -> tuple[Slicing, ...]:
    """Return the drop in quartiles of the text's length, and in slices by each column."""
    facts, names = exchange.facts, [condition.name for condition in exchange.conditions]
    tables = list(exchange.pair_tables())
    lengths = np.where(facts.lengths < 0, np.nan, facts.lengths)
    by_length = list(_quartiles(lengths))
    found = [Slicing(None, _score(by_length, names, tables))] if len(by_length) > 1 else []
    for column in columns:
        found.append(Slicing(column, _score(split_values(facts.columns[column]), names, tables)))
    return tuple(found)


def _score(parts: Sequence[_Part], names: Sequence[str], tables: Sequence[PairTable]) -> tuple[Slice, ...]:
    return tuple(
        Slice(
            part.name,
            part.kind,
            int(part.rows.sum()),
            part.low,
            part.high,
            tuple(
                SliceScore(name, some.n, some.accuracy_before(), some.accuracy_after(), some.drop())
                for name, some in (
                    (name, table.where(part.rows)) for name, table in zip(names, tables, strict=True)
                )
            ),
        )
        for part in parts
    )


def split_values(values: Sequence[str | None]) -> list[_Part]:
    """Return the slices of a column: quartiles if it has many numbers, or else its most frequent values."""
    numbers = _as_numbers(values)
    if numbers is not None and len(np.unique(numbers[~np.isnan(numbers)])) > _MOST_VALUES:
        return [*_quartiles(numbers), *_missing(np.isnan(numbers))]
    counts = Counter(value for value in values if value is not None)
    frequent = sorted(counts, key=lambda value: (-counts[value], value))[:_MOST_VALUES]
    if numbers is not None:
        frequent.sort(key=float)
    column = np.array(values, dtype=object)
    parts = [_Part(value, "value", column == value) for value in frequent]
    missing = np.array([value is None for value in values], np.bool_)
    rest = ~np.logical_or.reduce([missing, *(part.rows for part in parts)])
    if rest.any():
        parts.append(_Part(f"{len(counts) - len(frequent):,} other values", "other", rest))
    return [*parts, *_missing(missing)]


def _missing(rows: Bools) -> Iterator[_Part]:
    if rows.any():
        yield _Part("no value", "missing", rows)


def _quartiles(numbers: Floats) -> Iterator[_Part]:
    """Yield the rows in quartiles of their numbers; fewer if many numbers are equal. NaN is in none."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return
    ends = np.unique([*np.quantile(known, [0.25, 0.5, 0.75], method="inverted_cdf"), known.max()])
    for low, high in zip([-math.inf, *ends[:-1]], ends, strict=True):
        rows = (numbers > low) & (numbers <= high)
        least, most = float(numbers[rows].min()), float(numbers[rows].max())
        name = f"{least:.10g}" if least == most else f"{least:.10g} to {most:.10g}"
        yield _Part(name, "range", rows, least, most)


def _as_numbers(values: Sequence[str | None]) -> Floats | None:
    """Return the values as numbers, NaN for none; None if they are not all finite numbers."""
    try:
        numbers = [math.nan if value is None else float(value) for value in values]
    except ValueError:
        return None
    finite = all(
        math.isfinite(number) for number, value in zip(numbers, values, strict=True) if value is not None
    )
    return np.array(numbers) if finite else None
