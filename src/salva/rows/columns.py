"""Columns: which hold the text, the label, the id and spans, and which only carry what a writer needs.

A batch is a `pyarrow.RecordBatch`. A hidden column holds what only the writer of the same format reads,
such as line ends. It is found by its mark, never by its name, because a user's column can have any name.

Spans are lists of {"start", "end", "label"} or [start, end, label], or tags of tokens. Positions are code
points, the end is not included. Everything else in a span is kept as it is. Tags are BIO in its two forms,
BIOES or BILOU: one entity or none for each token.
"""

from __future__ import annotations

import abc
import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from salva._arguments import argument, did_you_mean
from salva._arrow import Strings, as_strings
from salva.errors import InputError, UsageError
from salva.rows.source import MAX_LINE_BYTES, Layout, OnBadRow, check_encoding

USUAL_NAMES = {
    "text": ("text", "review", "sentence", "content", "document", "body", "comment"),
    "label": ("label", "labels", "sentiment", "target", "class", "category"),
    "id": ("id", "idx", "guid", "uid", "uuid", "row_id"),
}
# The largest limit that the csv module accepts on every platform.
_MOST_BYTES = (1 << 31) - 1
_MARK, _HIDDEN, _JSON = b"salva", b"hidden:", b"json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read a file; None means that Salva detects it."""

    format: str | None = None
    text_column: str | None = None
    label_column: str | None = None
    id_column: str | None = None
    spans_column: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    on_bad_row: OnBadRow = "fail"
    max_line_bytes: int = MAX_LINE_BYTES

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if self.delimiter is not None and not re.fullmatch('[^"\r\n\0\ud800-\udfff]', self.delimiter):
            raise UsageError(f"delimiter {self.delimiter!r} must be one character, such as ';'")
        if self.on_bad_row not in {"fail", "keep", "drop"}:
            raise UsageError(f"on_bad_row {self.on_bad_row!r} is unknown; use fail, keep or drop")
        check_encoding(self.encoding)
        if not 1 <= self.max_line_bytes <= _MOST_BYTES:
            raise UsageError(f"max_line_bytes {self.max_line_bytes!r} must be between 1 and {_MOST_BYTES}")


def select_columns(
    options: ReadOptions | None,
    text_column: str | Sequence[str] | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    spans: str | None = None,
) -> ReadOptions:
    """Return the options with these columns, as far as they are given.

    >>> select_columns(None, ["premise", "hypothesis"]).text_column
    'premise,hypothesis'
    """
    text = text_column if text_column is None or isinstance(text_column, str) else ",".join(text_column)
    columns = {"text": text, "label": label_column, "id": id_column, "spans": spans}
    given: dict[str, Any] = {f"{role}_column": name for role, name in columns.items() if name is not None}
    return dataclasses.replace(options or ReadOptions(), **given)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a data set that Salva works on; `text` has two names for pairs of texts.

    `spans` has labelled spans of the text, which are checked as the rows are read.
    """

    text: tuple[str, ...]
    label: str | None = None
    id: str | None = None
    spans: str | None = None

    def __str__(self) -> str:
        """Describe the columns on one line: text 'review', label 'sentiment', no id (row numbers)."""
        text = f"text {', '.join(map(repr, self.text))}" if self.text else "no text"
        label = f"label {self.label!r}" if self.label else "no label"
        spans = f", spans {self.spans!r}" if self.spans else ""
        return f"{text}, {label}, {f'id {self.id!r}' if self.id else 'no id (row numbers)'}{spans}"


class Reader(NamedTuple):
    """What reads one format: the names of the columns, and the rows, once only, given which of them are used.

    The texts are plain strings, all other columns as the file has them. There is at least one batch.
    """

    names: Sequence[str]
    batches: Callable[[Columns], Iterator[pa.RecordBatch]]


class Writer(abc.ABC):
    """Writes batches, the first of which may be empty, to a stream; `text` is the name of the text column."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        self._stream, self._text, self._layout = stream, text, layout

    @abc.abstractmethod
    def write(self, batch: pa.RecordBatch) -> None:
        """Write the rows of a batch."""

    def close(self) -> None:  # noqa: B027
        """Write what is still held, and what ends a file of the format."""


def check_names(path: str, names: Sequence[str]) -> None:
    """Refuse column names that are empty or occur twice."""
    for i, name in enumerate(names, 1):
        if not name.strip():
            raise InputError.at(path, None, f"column {i} has no name; columns: {_list(names)}")
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError.at(path, None, f"column {name!r} occurs twice; rename one")


def find_columns(
    path: str, names: Sequence[str], options: ReadOptions, *, needs_text: bool = True
) -> Columns:
    """Choose the columns: those that the options name, or else those with usual names.

    >>> print(find_columns("a.csv", ["Review", "sentiment", "stars"], ReadOptions()))
    text 'Review', label 'sentiment', no id (row numbers)
    """
    wanted = options.text_column
    if wanted is not None:
        parts = (wanted,) if wanted in names else tuple(part.strip() for part in wanted.split(","))
        if len(set(parts)) < len(parts):
            raise UsageError(f"text column {wanted!r} names a column twice")
        text = tuple(find_column(path, names, part) for part in parts)
    else:
        matches = list(names) if len(names) == 1 else _usual(names, "text")
        text = tuple(matches) if len(matches) == 1 else ()
        if needs_text and not text:
            problem = f"several columns could be the text: {_list(matches)}"
            problem = problem if matches else f"no text column; columns: {_list(names)}"
            raise InputError.at(path, None, f"{problem}; pass {argument('text_column')}")
    found: dict[str, str | None] = {}
    for role in ("label", "id", "spans"):
        given, usual = getattr(options, f"{role}_column"), _usual(names, role)
        found[role] = find_column(path, names, given) if given else usual[0] if len(usual) == 1 else None
    return Columns(text, **found)


def _usual(names: Sequence[str], role: str) -> list[str]:
    """Return the columns with usual names; the first usual name wins."""
    usual = USUAL_NAMES.get(role, ())
    matches = [name for name in names if name.strip().lower() in usual]
    return [name for name in matches if name == usual[0]] or matches


def find_column(path: str, names: Sequence[str], wanted: str) -> str:
    """Return the name of a column if the data has it; raise otherwise, with the names it has."""
    if wanted in names:
        return wanted
    hint = "; ".join(filter(None, [f"columns: {_list(names)}", did_you_mean(wanted, names)]))
    raise InputError.at(path, None, f"no column {wanted!r}; {hint}")


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:12]))
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


def text_field(name: str) -> pa.Field:
    """Return the field for a plain string column."""
    return pa.field(name, pa.large_string())


def json_field(name: str) -> pa.Field:
    """Return the field for a column of JSON values, which are written to JSON lines as they are."""
    return pa.field(name, pa.large_string(), metadata={_MARK: _JSON})


def is_json(field: pa.Field) -> bool:
    """Return whether a column holds JSON values."""
    return _mark(field) == _JSON


def hidden_field(role: str, data_type: pa.DataType | None = None) -> pa.Field:
    """Return the field for a hidden column, which is not data: line ends, for example."""
    mark = {_MARK: _HIDDEN + role.encode()}
    return pa.field(f"salva:{role}", data_type or pa.large_string(), metadata=mark)


def hidden_index(batch: pa.RecordBatch, role: str) -> int | None:
    """Return the index of the hidden column with the given role; None if the batch has none."""
    mark = _HIDDEN + role.encode()
    return next((i for i, field in enumerate(batch.schema) if _mark(field) == mark), None)


def hidden_column(batch: pa.RecordBatch, role: str) -> pa.Array | None:
    """Return the hidden column with the given role, or None if the batch has none."""
    index = hidden_index(batch, role)
    return None if index is None else batch.column(index)


def without_hidden(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with the columns that are data."""
    return batch.select([i for i, field in enumerate(batch.schema) if not _mark(field).startswith(_HIDDEN)])


def column_index(batch: pa.RecordBatch, name: str) -> int:
    """Return the index of a column that is not hidden."""
    fields = enumerate(batch.schema)
    return next(i for i, field in fields if field.name == name and not _mark(field).startswith(_HIDDEN))


def text_column(batch: pa.RecordBatch, name: str) -> Strings:
    """Return the texts of a batch that `open_rows` yielded; they were checked there."""
    return Strings.from_checked(batch.column(column_index(batch, name)))


def _mark(field: pa.Field) -> bytes:
    return bytes((field.metadata or {}).get(_MARK, b""))


def without_marks(schema: pa.Schema) -> pa.Schema:
    """Return a schema without our marks, which a foreign file may have too; other metadata is kept."""

    def foreign(metadata: dict[bytes, bytes] | None) -> dict[bytes, bytes] | None:
        return {key: value for key, value in (metadata or {}).items() if not key.startswith(_MARK)} or None

    fields = [field.with_metadata(foreign(field.metadata)) for field in schema]
    return pa.schema(fields, metadata=foreign(schema.metadata))


def empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without rows, so that an output without rows still has its columns."""
    # Not `schema.empty_table()`, which imports pandas.
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def string_batch(schema: pa.Schema, rows: Sequence[Sequence[str]]) -> pa.RecordBatch:
    """Return rows of strings as a batch; `pa.array` would import pandas."""
    columns = [as_strings(cells).array for cells in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=schema) if rows else empty_batch(schema)


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch with the columns of a file: missing columns become null, new ones are refused."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    known = set(schema.names)
    new = next((name for name in columns if name not in known), None)
    if new is not None:
        problem = f"column {new!r} first appears after writing began"
        raise InputError(f"{problem}; write jsonl, where rows may differ")
    found = [columns[f.name] if f.name in columns else pa.nulls(len(batch), f.type) for f in schema]
    return pa.RecordBatch.from_arrays(found, schema=schema)


_EXAMPLE = '[{"start": 0, "end": 5, "label": "PER"}] or [[0, 5, "PER"]]'
_TAG = re.compile(r"([BIESLU])-(.+)")
_BEGINS, _ENDS = frozenset("BSU"), frozenset("ESLU")
# How the last and the only token of an entity are tagged, by a prefix that only one scheme has.
_SCHEMES = {"E": ("E", "S"), "S": ("E", "S"), "L": ("L", "U"), "U": ("L", "U")}


class Place(NamedTuple):
    """Where a span is: its first code point, and the one after its last."""

    start: int
    end: int


class Entity(NamedTuple):
    """A labelled span."""

    start: int
    end: int
    label: str


def load_spans(column: pa.Array) -> list[Any]:
    """Return the spans of every row as plain values: JSON in a column of strings, or lists in Arrow's form.

    An empty cell has no spans. Text that is not JSON stays text, which `read_places` refuses.
    """

    def parse(cell: str) -> Any:
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell

    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return [None if value is None else list(value) for value in column.to_pylist()]
    return [None if not cell else parse(cell) for cell in column.to_pylist()]


def dump_spans(values: Any) -> str:
    """Return the spans of a row as JSON."""
    text = json.dumps(values, ensure_ascii=False)
    return text if text.isascii() or text.encode(errors="ignore").decode() == text else json.dumps(values)


def read_places(values: Any, text: str | None) -> list[Place]:
    """Return where spans are, in a text or (None) in any; a ValueError says what is wrong with one.

    >>> read_places([{"start": 0, "end": 5, "label": "PER"}, [9, 14, "LOC"]], "Maria in Paris")
    [Place(start=0, end=5), Place(start=9, end=14)]
    """
    if values is None:
        return []
    if not isinstance(values, list):
        raise ValueError(f"{values!r:.40} is not a list of spans, such as {_EXAMPLE}")
    return [_read_place(number, span, text) for number, span in enumerate(values, 1)]


def _read_place(number: int, span: Any, text: str | None) -> Place:
    if isinstance(span, dict):
        missing = next((key for key in ("start", "end") if key not in span), None)
        if missing:
            raise ValueError(f"span {number} has no {missing!r}: {span!r:.60}")
        start, end = span["start"], span["end"]
    elif isinstance(span, list | tuple) and len(span) >= 2:
        start, end = span[:2]
    else:
        raise ValueError(f"span {number} is {span!r:.40}; expected spans such as {_EXAMPLE}")
    for name, place in (("start", start), ("end", end)):
        if not isinstance(place, int) or isinstance(place, bool):
            raise ValueError(f"span {number}: {name} {place!r:.40} is not a whole number")
    if not 0 <= start < end:
        raise ValueError(f"span {number} is {start} to {end}; the end must come after the start")
    if text is not None and end > len(text):
        raise ValueError(f"span {number} ends at {end}, but the text has {len(text)} characters")
    own = span.get("text") if isinstance(span, dict) else None
    if text is not None and isinstance(own, str) and own != text[start:end]:
        problem = f"span {number} is {own!r:.40}, but the text has {text[start:end]!r:.40} there"
        raise ValueError(f"{problem}; positions must count code points")
    return Place(start, end)


def read_entities(values: Any, text: str | None) -> list[Entity]:
    """Return labelled spans; raise a ValueError as `read_places` does.

    >>> read_entities([[0, 5, "PER"]], None)
    [Entity(start=0, end=5, label='PER')]
    """
    found = []
    for number, (place, span) in enumerate(zip(read_places(values, text), values or (), strict=True), 1):
        label = span.get("label") if isinstance(span, dict) else span[2] if len(span) > 2 else None
        if not isinstance(label, str) or not label:
            raise ValueError(f"span {number} has no label; expected spans such as {_EXAMPLE}")
        found.append(Entity(*place, label))
    return found


def span_places(values: Any) -> list[Place]:
    """Return where spans are that were checked before.

    >>> span_places([[0, 5, "PER"], {"start": 9, "end": 14}])
    [Place(start=0, end=5), Place(start=9, end=14)]
    """
    return [
        Place(span["start"], span["end"]) if isinstance(span, dict) else Place(*span[:2])
        for span in values or ()
    ]


def move_spans(values: Sequence[Any], places: Sequence[Place | None], text: str) -> list[Any]:
    """Return spans in other places of another text, without those that have none.

    >>> move_spans([[0, 5, "PER"], [9, 14, "LOC"]], [Place(0, 4), None], "Mara in town")
    [[0, 4, 'PER']]
    """
    moved: list[Any] = []
    for span, place in zip(values, places, strict=True):
        if place is None:
            continue
        if isinstance(span, dict):
            own = {"text": text[place.start : place.end]} if isinstance(span.get("text"), str) else {}
            moved.append({**span, "start": place.start, "end": place.end, **own})
        else:
            moved.append(type(span)([*place, *span[2:]]))
    return moved


def merge_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that touch joined, empty ones left out.

    >>> merge_spans([(5, 7), (0, 2), (1, 3), (4, 4)])
    [(0, 3), (5, 7)]
    """
    merged: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        elif start < stop:
            merged.append((start, stop))
    return merged


def is_tag(tag: str) -> bool:
    """Return whether a tag is O, or a prefix and a label.

    >>> is_tag("O"), is_tag("B-PER"), is_tag("PER"), is_tag("B-")
    (True, True, False, False)
    """
    return tag == "O" or _TAG.fullmatch(tag) is not None


def number_entities(tags: Sequence[str]) -> list[int]:
    """Return which entity each token belongs to, counting from 0; -1 for none.

    As in the CoNLL evaluation, an entity begins with B, S or U, with another label, and after an end.

    >>> number_entities(["B-PER", "I-PER", "O", "I-LOC", "B-LOC", "E-LOC", "I-LOC"])
    [0, 0, -1, 1, 2, 2, 3]
    """
    numbers, count, before = [], -1, "O"
    for tag in tags:
        if tag != "O":
            goes_on = before != "O" and before[0] not in _ENDS and before[2:] == tag[2:]
            count += not (goes_on and tag[0] not in _BEGINS)
        numbers.append(-1 if tag == "O" else count)
        before = tag
    return numbers


def join_entities(tags: Sequence[str], places: Sequence[tuple[int, int]]) -> list[Entity]:
    """Return every entity, given where the tokens are.

    >>> [tuple(found) for found in join_entities(["B-PER", "I-PER", "O"], [(0, 5), (6, 9), (10, 12)])]
    [(0, 9, 'PER')]
    """
    found: list[Entity] = []
    for tag, (start, end), number in zip(tags, places, number_entities(tags), strict=True):
        if number == len(found):
            found.append(Entity(start, end, tag[2:]))
        elif number >= 0:
            found[number] = found[number]._replace(end=end)
    return found


def spread_tags(tags: Sequence[str], count: int) -> list[str]:
    """Return the tags of one entity for another number of tokens, in its own scheme.

    >>> spread_tags(["B-PER"], 2), spread_tags(["S-PER"], 2), spread_tags(["B-LOC", "L-LOC"], 1)
    (['B-PER', 'I-PER'], ['B-PER', 'E-PER'], ['U-LOC'])
    """
    first = tags[0][0]
    last, only = _SCHEMES.get(tags[-1][0]) or _SCHEMES.get(first) or ("I", first)
    prefixes = ["B" if first in "SU" else first, *"I" * (count - 2), last] if count > 1 else [only]
    return [prefix + tags[0][1:] for prefix in prefixes]


def as_cell(value: Any) -> str | None:
    """Return a value of a data set as a task sees it.

    >>> as_cell(5), as_cell(["a", "b"]), as_cell(None)
    ('5', '["a", "b"]', None)
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def read_columns(
    name: str, batch: pa.RecordBatch, columns: Sequence[str], *, first: bool
) -> dict[str, list[str | None]]:
    """Return columns of a batch; the first batch must have all, in later ones a missing key is null."""
    there = batch.schema.names
    if first:
        there = [find_column(name, there, column) for column in columns]
    values = {column: batch.column(column).to_pylist() for column in columns if column in there}
    return {column: list(map(as_cell, values.get(column, [None] * len(batch)))) for column in columns}
