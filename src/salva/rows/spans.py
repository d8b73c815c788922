"""Spans of texts as data has them: lists of {"start", "end", "label"} or [start, end, label].

Positions are code points, the end is not included. Everything else in a span is kept as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from salva.rows.values import SURROGATE

EXAMPLE = '[{"start": 0, "end": 5, "label": "PER"}] or [[0, 5, "PER"]]'


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
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return [None if value is None else list(value) for value in column.to_pylist()]
    return [None if not cell else _parse(cell) for cell in column.to_pylist()]


def dump_spans(values: Any) -> str:
    """Return the spans of a row as JSON."""
    text = json.dumps(values, ensure_ascii=False)
    return json.dumps(values) if SURROGATE.search(text) else text


def read_places(values: Any, text: str | None) -> list[Place]:
    """Return where the spans of a text are; raise a ValueError that says what is wrong with one.

    >>> read_places([{"start": 0, "end": 5, "label": "PER"}, [9, 14, "LOC"]], "Maria in Paris")
    [Place(start=0, end=5), Place(start=9, end=14)]
    """
    if values is None:
        return []
    if not isinstance(values, list):
        raise ValueError(f"{values!r:.40} is not a list of spans, such as {EXAMPLE}")
    return [_read_place(number, span, text or "") for number, span in enumerate(values, 1)]


def read_entities(values: Any, text: str | None) -> list[Entity]:
    """Return the labelled spans of a text; raise a ValueError as `read_places` does."""
    places = read_places(values, text)
    labels = [_label_of(number, span) for number, span in enumerate(values or (), 1)]
    return [Entity(*place, label) for place, label in zip(places, labels, strict=True)]


def span_places(values: Any) -> list[Place]:
    """Return where spans are that were checked before.

    >>> span_places([[0, 5, "PER"], {"start": 9, "end": 14}])
    [Place(start=0, end=5), Place(start=9, end=14)]
    """
    return [
        Place(span["start"], span["end"]) if isinstance(span, dict) else Place(*span[:2])
        for span in values or ()
    ]


def read_labelled(values: Any) -> list[Entity]:
    """Return labelled spans of any text; raise a ValueError as `read_places` does.

    >>> read_labelled([[0, 5, "PER"]])
    [Entity(start=0, end=5, label='PER')]
    """
    if not isinstance(values, list):
        raise ValueError(f"{values!r:.40} is not a list of spans, such as {EXAMPLE}")
    places = [_read_place(number, span, None) for number, span in enumerate(values, 1)]
    labels = [_label_of(number, span) for number, span in enumerate(values, 1)]
    return [Entity(*place, label) for place, label in zip(places, labels, strict=True)]


def move_spans(values: Sequence[Any], places: Sequence[Place | None], text: str) -> list[Any]:
    """Return spans in other places of another text, without those that have none.

    >>> move_spans([[0, 5, "PER"], [9, 14, "LOC"]], [Place(0, 4), None], "Mara in town")
    [[0, 4, 'PER']]
    """
    moved = zip(values, places, strict=True)
    return [_moved(span, place, text) for span, place in moved if place is not None]


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


def _parse(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _read_place(number: int, span: Any, text: str | None) -> Place:
    if isinstance(span, dict):
        missing = next((key for key in ("start", "end") if key not in span), None)
        if missing:
            raise ValueError(f"span {number} has no {missing!r}: {span!r:.60}")
        start, end = span["start"], span["end"]
    elif isinstance(span, list | tuple) and len(span) >= 2:
        start, end = span[:2]
    else:
        raise ValueError(f"span {number} is {span!r:.40}; expected spans such as {EXAMPLE}")
    for name, place in (("start", start), ("end", end)):
        if not isinstance(place, int) or isinstance(place, bool):
            raise ValueError(f"span {number}: {name} {place!r:.40} is not a whole number")
    if not 0 <= start < end:
        raise ValueError(f"span {number} is {start} to {end}; the end must come after the start")
    if text is None:
        return Place(start, end)
    if end > len(text):
        raise ValueError(f"span {number} ends at {end}, but the text has {len(text)} characters")
    own = span.get("text") if isinstance(span, dict) else None
    if isinstance(own, str) and own != text[start:end]:
        problem = f"span {number} is {own!r:.40}, but the text has {text[start:end]!r:.40} there"
        raise ValueError(f"{problem}; positions must count code points")
    return Place(start, end)


def _label_of(number: int, span: Any) -> str:
    label = span.get("label") if isinstance(span, dict) else span[2] if len(span) > 2 else None
    if not isinstance(label, str) or not label:
        raise ValueError(f"span {number} has no label; expected spans such as {EXAMPLE}")
    return label


def _moved(span: Any, place: Place, text: str) -> Any:
    if not isinstance(span, dict):
        return type(span)([*place, *span[2:]])
    own = {"text": text[place.start : place.end]} if isinstance(span.get("text"), str) else {}
    return {**span, "start": place.start, "end": place.end, **own}
