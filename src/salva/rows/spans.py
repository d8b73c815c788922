"""Labelled spans of texts: lists of {"start", "end", "label"} or [start, end, label], or tags of tokens.

Positions are code points, the end is not included. Everything else in a span is kept as it is. Tags are BIO
in its two forms, BIOES or BILOU: one entity or none for each token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

EXAMPLE = '[{"start": 0, "end": 5, "label": "PER"}] or [[0, 5, "PER"]]'
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
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return [None if value is None else list(value) for value in column.to_pylist()]
    return [None if not cell else _parse(cell) for cell in column.to_pylist()]


def dump_spans(values: Any) -> str:
    """Return the spans of a row as JSON."""
    text = json.dumps(values, ensure_ascii=False)
    return text if text.isascii() or text.encode(errors="ignore").decode() == text else json.dumps(values)


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


def is_tag(tag: str) -> bool:
    """Return whether a tag is O, or a prefix and a label.

    >>> is_tag("O"), is_tag("B-PER"), is_tag("PER"), is_tag("B-")
    (True, True, False, False)
    """
    return tag == "O" or _TAG.fullmatch(tag) is not None


def label_of(tag: str) -> str:
    """Return the label of a tag that is not O."""
    return tag[2:]


def number_entities(tags: Sequence[str]) -> list[int]:
    """Return which entity each token belongs to, counting from 0; -1 for none.

    As in the CoNLL evaluation, an entity begins with B, S or U, with another label, and after an end.

    >>> number_entities(["B-PER", "I-PER", "O", "I-LOC", "B-LOC", "E-LOC", "I-LOC"])
    [0, 0, -1, 1, 2, 2, 3]
    """
    numbers, count, before = [], -1, "O"
    for tag in tags:
        if tag != "O":
            goes_on = before != "O" and before[0] not in _ENDS and label_of(before) == label_of(tag)
            count += not (goes_on and tag[0] not in _BEGINS)
        numbers.append(-1 if tag == "O" else count)
        before = tag
    return numbers


def join_entities(tags: Sequence[str], places: Sequence[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Return the start, end and label of every entity, given where the tokens are.

    >>> join_entities(["B-PER", "I-PER", "O", "B-LOC"], [(0, 5), (6, 9), (10, 12), (13, 18)])
    [(0, 9, 'PER'), (13, 18, 'LOC')]
    """
    found: list[tuple[int, int, str]] = []
    for tag, (start, end), number in zip(tags, places, number_entities(tags), strict=True):
        if number == len(found):
            found.append((start, end, label_of(tag)))
        elif number >= 0:
            found[number] = found[number][0], end, found[number][2]
    return found


def spread_tags(tags: Sequence[str], count: int) -> list[str]:
    """Return the tags of one entity for another number of tokens, in its own scheme.

    >>> spread_tags(["B-PER"], 2), spread_tags(["S-PER"], 2), spread_tags(["B-LOC", "L-LOC"], 1)
    (['B-PER', 'I-PER'], ['B-PER', 'E-PER'], ['U-LOC'])
    """
    first, label = tags[0][0], label_of(tags[0])
    last, only = _SCHEMES.get(tags[-1][0]) or _SCHEMES.get(first) or ("I", first)
    prefixes = ["B" if first in "SU" else first, *"I" * (count - 2), last] if count > 1 else [only]
    return [f"{prefix}-{label}" for prefix in prefixes]


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
