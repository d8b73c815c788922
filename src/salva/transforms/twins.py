"""A column and its twin: the transformed texts, every edit with its position, the way back, and a summary."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import Strings, as_numbers, as_strings, ints
from salva._kernels import code_points, undo, write_spans
from salva._show import number_of
from salva._types import Bytes, Ints32, Ints64
from salva.edits.alignment import Alignment, align_splices
from salva.edits.chunk import RULES
from salva.errors import InputError, UsageError
from salva.text.columns import over_threads
from salva.text.tagger import PARTS
from salva.transforms.columns import as_column, restore_type
from salva.transforms.spans import SpanCounts, check_rows, project_rows

EDIT_COLUMNS = ("row", "start", "end", "new_start", "new_end", "old", "new", "rule")
_NO_RULES = (0,) * len(RULES)
_NO_SPANS = SpanCounts()
_NO_PARTS = ((0, 0, 0),) * len(PARTS)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over rows; summaries can be added.

    A word is eligible if the preset could have edited it; in a composition, it counts once per preset that
    could. `parts` has the words, eligible words and edits per part of speech, if a preset uses them. `spans`
    are those of a data set that were projected.
    """

    rows: int = 0
    rows_without_eligible: int = 0
    rows_edited: int = 0
    eligible: int = 0
    rules: tuple[int, ...] = field(default=_NO_RULES)
    parts: tuple[tuple[int, int, int], ...] = field(default=_NO_PARTS)
    spans: SpanCounts = field(default=_NO_SPANS)

    @property
    def edits(self) -> int:
        """How many words were edited."""
        return sum(self.rules)

    @property
    def rate(self) -> float | None:
        """The share of the eligible words that were edited; None if no word was eligible."""
        return _share(self.edits, self.eligible)

    def __add__(self, other: Summary) -> Summary:
        """Return the summary of the rows of both."""
        return Summary(
            self.rows + other.rows,
            self.rows_without_eligible + other.rows_without_eligible,
            self.rows_edited + other.rows_edited,
            self.eligible + other.eligible,
            tuple(a + b for a, b in zip(self.rules, other.rules, strict=True)),
            tuple(map(tuple, np.add(self.parts, other.parts).tolist())),
            self.spans.plus(other.spans),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        by_rule = {
            name: {"edits": count, "rate": _share(count, self.eligible)}
            for name, count in zip(RULES, self.rules, strict=True)
            if count
        }
        by_pos = {
            name: {"words": words, "eligible": eligible, "edits": edits, "rate": _share(edits, eligible)}
            for name, (words, eligible, edits) in zip(PARTS, self.parts, strict=True)
            if words
        }
        counts = {name: getattr(self, name) for name in ("rows", "rows_without_eligible", "rows_edited")}
        rest = {"eligible": self.eligible, "edits": self.edits, "rate": self.rate, "by_rule": by_rule}
        spans = {"spans": self.spans._asdict()} if self.spans.spans else {}
        return counts | rest | ({"by_pos": by_pos} if by_pos else {}) | spans

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Summary:
        """Return the summary that `as_dict` described."""
        rules, parts = plain["by_rule"], plain.get("by_pos", {})
        none = dict.fromkeys(("words", "eligible", "edits"), 0)
        return cls(
            **{name: plain[name] for name in ("rows", "rows_without_eligible", "rows_edited", "eligible")},
            rules=tuple(rules[name]["edits"] if name in rules else 0 for name in RULES),
            parts=tuple(tuple(parts.get(name, none)[count] for count in none) for name in PARTS),
            spans=SpanCounts(**plain.get("spans", {})),
        )

    def __str__(self) -> str:
        """Return everything on one line."""
        if not self.eligible:
            share = 100 * self.rows_without_eligible / max(self.rows, 1)
            return f"0 edits; 0 eligible words in {share:g} % of rows"
        rules = ", ".join(f"{name} {count:,}" for name, count in zip(RULES, self.rules, strict=True) if count)
        edits, rows = number_of(self.edits, "edit"), number_of(self.rows_edited, "row")
        line = f"{edits} in {rows}, {self.rate:.1%} of the eligible words"
        return f"{line} ({rules})" if rules else line


class EditedRows(NamedTuple):
    """Some rows with their edits, in bytes: those of row `i` are `rows[i]` to `rows[i + 1]`.

    Edit `k` replaced the bytes `starts[k]` to `stops[k]` of `before` with word `k` of `new`, which is in
    `after` from `places[2 * k]` to `places[2 * k + 1]`.
    """

    before: Strings
    after: Strings
    rows: Ints64
    starts: Ints32
    stops: Ints32
    places: Ints64
    rules: Bytes
    new: Strings
    summary: Summary


class EditPositions(NamedTuple):
    """Where the edits are, in code points: the row, the old word in the original, the new one in its twin."""

    row: Ints64
    start: Ints64
    end: Ints64
    new_start: Ints64
    new_end: Ints64
    rule: Bytes


@dataclass(frozen=True, eq=False, repr=False)
class Twins:
    """The result of transforming a column.

    >>> from salva import preset
    >>> twins = preset("typos", prob=1.0, render="splice").transform(["A  great film"], seed=1)
    >>> twins.revert()
    ['A  great film']
    >>> twins.edits.column_names
    ['row', 'start', 'end', 'new_start', 'new_end', 'old', 'new', 'rule']
    """

    texts: Any
    column: pa.LargeStringArray
    chunks: tuple[EditedRows, ...]
    render: str
    summary: Summary
    threads: int | None
    align: Callable[[], list[Alignment]]

    def __len__(self) -> int:
        return len(self.column)

    def __repr__(self) -> str:
        return f"<Twins: {len(self)} rows, {self.summary.edits} edits>"

    @cached_property
    def transformed(self) -> Any:
        """The transformed texts, in the type that was given."""
        return restore_type(self.texts, self.column)

    @cached_property
    def edits(self) -> pa.Table:
        """The edits: row, start, end, new_start, new_end (in code points), old, new and rule."""
        numbers = [as_numbers(values) for values in self.places[:-1]]
        indices = as_numbers(self.places.rule.astype(np.int8))
        rules = pa.DictionaryArray.from_arrays(indices, as_strings(RULES).array.cast(pa.string()))
        strings = [self._strings(_old_words), self._strings(lambda chunk: chunk.new.array)]
        return pa.table([*numbers, *strings, rules], names=list(EDIT_COLUMNS))

    @cached_property
    def places(self) -> EditPositions:
        """The positions and rules of the edits, without their strings."""
        firsts = [0, *itertools.accumulate(len(chunk.starts) for chunk in self.chunks)]
        rows = [0, *itertools.accumulate(len(chunk.before) for chunk in self.chunks)]
        numbers = [np.empty(firsts[-1], np.int64) for _ in EditPositions._fields[:-1]]
        positions = EditPositions._make([*numbers, np.empty(firsts[-1], np.uint8)])

        def fill(k: int) -> None:
            some = (column[firsts[k] : firsts[k + 1]] for column in positions)
            _fill_places(self.chunks[k], rows[k], EditPositions._make(some))

        over_threads(fill, range(len(self.chunks)), threads=self.threads)
        return positions

    @cached_property
    def alignment(self) -> Alignment:
        """The stretches in which texts and twins differ: the edits, and what the render changed."""
        sizes = [len(chunk.before) for chunk in self.chunks]
        return Alignment.joined(self.align() if self.render != "splice" else self._align_splices(), sizes)

    def _align_splices(self) -> list[Alignment]:
        return over_threads(
            lambda chunk: align_splices(
                chunk.before, chunk.after, chunk.rows, _old_places(chunk), chunk.places
            ),
            self.chunks,
            threads=self.threads,
        )

    def project(self, spans: Sequence[Any]) -> list[Any]:
        """Return spans of the texts as they are in the twins: one list per text, in the form given.

        A span is (start, end), [start, end, label] or {"start": …, "end": …}, in code points. If it cuts an
        edit, it gets all of the new text; one of which nothing is left is left out.

        >>> from salva import preset
        >>> typos = preset("typos", prob=1.0)
        >>> typos.transform(["Great  film"], seed=1).project([[(7, 11)]])
        [[(6, 10)]]
        """
        rows = [None if values is None else list(values) for values in spans]
        check_rows(rows, as_column(self.texts).array.to_pylist())
        return project_rows(rows, self.column.to_pylist(), self.alignment).rows

    def revert(self) -> Any:
        """Return the original texts, made from the transformed ones and the edits, in the type given."""
        if self.render != "splice" and self.chunks:
            raise UsageError(no_way_back(self.render))
        return restore_type(self.texts, revert_column(as_strings(self.column), self.edits))

    def _strings(self, of: Callable[[EditedRows], pa.Array]) -> pa.Array:
        parts = [of(chunk) for chunk in self.chunks]
        return pa.concat_arrays(parts) if parts else as_strings([]).array


def no_way_back(render: str) -> str:
    """Return why texts that were rebuilt cannot be undone, and what to do instead."""
    return (
        f"render {render!r} rebuilds the whole text and cannot be undone; "
        f"transform with render splice, or keep both texts with {argument('keep_original', True)}"
    )


def revert_column(after: Strings, edits: pa.Table) -> pa.LargeStringArray:
    """Return the texts as they were before the edits, which are in order; refuse texts that do not match."""
    numbers = {name: ints(edits[name].combine_chunks()) for name in ("row", "new_start", "new_end")}
    row = numbers["row"]
    if len(row) and (row[0] < 0 or row[-1] >= len(after) or (np.diff(row) < 0).any()):
        raise InputError(f"the edits do not belong to these texts ({number_of(len(after), 'row')})")
    old, new = as_strings(edits["old"]), as_strings(edits["new"])
    rows = np.searchsorted(row, np.arange(len(after) + 1))
    offsets = np.empty(len(after) + 1, np.int64)
    out = np.empty(len(after.data) + len(old.data), np.uint8)
    wrong = undo(
        after.data,
        after.offsets,
        rows,
        numbers["new_start"].astype(np.int64),
        numbers["new_end"].astype(np.int64),
        new.data,
        new.offsets,
        old.data,
        old.offsets,
        offsets,
        out,
    )
    if wrong >= 0:
        place, word = int(numbers["new_start"][wrong]), new.array[wrong].as_py()
        raise InputError(
            f"the edits do not belong to these texts: row {int(row[wrong])} has no {word!r} at {place}"
        )
    return Strings.of(out[: offsets[-1]].copy(), offsets, after.array).array


def _fill_places(chunk: EditedRows, first_row: int, out: EditPositions) -> None:
    rows = 2 * chunk.rows
    points = np.empty(int(rows[-1]), np.int64)
    code_points(chunk.before.data, chunk.before.offsets, rows, _old_places(chunk), points)
    out.start[:], out.end[:] = points[::2], points[1::2]
    code_points(chunk.after.data, chunk.after.offsets, rows, chunk.places, points)
    out.new_start[:], out.new_end[:] = points[::2], points[1::2]
    out.row[:] = np.repeat(np.arange(first_row, first_row + len(chunk.before)), np.diff(chunk.rows))
    out.rule[:] = chunk.rules


def _old_places(chunk: EditedRows) -> Ints64:
    """Return where the edits begin and end in the texts, by turns, in bytes."""
    return np.stack([chunk.starts, chunk.stops], axis=1).ravel().astype(np.int64)


def _old_words(chunk: EditedRows) -> pa.LargeStringArray:
    count = len(chunk.starts)
    offsets = np.empty(count + 1, np.int64)
    offsets[-1] = (chunk.stops.astype(np.int64) - chunk.starts).sum()
    data, written = np.empty(int(offsets[-1]), np.uint8), np.zeros(count, np.uint8)
    write_spans(chunk.before.data, chunk.starts, chunk.stops, written, 0, offsets[:-1], data)
    return Strings.of(data, offsets).array


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
