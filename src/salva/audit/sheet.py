"""A sheet: items to read, each an original and its twin with the edits; contains no answer of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from salva._results import brief
from salva.audit.verdicts import Unit

# What people read and fill in comes first; `other` and `label` are there only if some item has them.
OPTIONAL = ("other", "label")
TO_FILL_IN = ("verdict", "note", "reader")
_EDIT = ("id", "place", "old", "new", "rule", "part")
_SHEET = ("unit", "condition", "preset", "of", "sheet", "twins")
COLUMNS = ("item", "original", "twin", *OPTIONAL, *TO_FILL_IN, *_EDIT, *_SHEET)


@dataclass(frozen=True, slots=True)
class ItemEdit:
    """An edit: where it is in the original and the twin of its item, its words, rule and part of speech."""

    start: int
    end: int
    new_start: int
    new_end: int
    old: str
    new: str
    rule: str
    part: str


@dataclass(frozen=True, slots=True)
class Item:
    """Something to judge: a row's text and its twin, or one edit of it with some context on both sides.

    `place` is where that edit is in the row's text, such as `14..18`. `other` is the second text of a row
    that has two, which stays as it is.
    """

    number: int
    id: str
    place: str
    original: str
    twin: str
    edits: tuple[ItemEdit, ...]
    other: str | None = None
    label: str | None = None


@brief
@dataclass(frozen=True, slots=True)
class Sheet:
    """Items drawn at random, in random order.

    `twins` identifies the twins that they were drawn from, `id` also which were drawn; `population` is how
    many there were to draw from.
    """

    id: str
    twins: str
    condition: str
    preset: str
    data: str
    unit: Unit
    population: int
    items: tuple[Item, ...]

    def columns(self) -> list[str]:
        """Return the names of the columns that the sheet has."""
        return [
            name
            for name in COLUMNS
            if name not in OPTIONAL or any(getattr(item, name) is not None for item in self.items)
        ]

    def records(self) -> Iterator[dict[str, str]]:
        """Yield every item as texts by column, with `[-old-]` and `{+new+}` around the edited words."""
        columns = self.columns()
        for item in self.items:
            [edit] = item.edits if self.unit == "edit" else [None]
            values = {
                "item": str(item.number),
                "original": mark(item.original, ((e.start, e.end) for e in item.edits), "[-", "-]"),
                "twin": mark(item.twin, ((e.new_start, e.new_end) for e in item.edits), "{+", "+}"),
                "other": item.other or "",
                "label": item.label or "",
                "id": item.id,
                "place": item.place,
                **{name: getattr(edit, name) if edit else "" for name in ("old", "new", "rule", "part")},
                "unit": self.unit,
                "condition": self.condition,
                "preset": self.preset,
                "of": str(len(self.items)),
                "sheet": self.id,
                "twins": self.twins,
            }
            yield {name: values.get(name, "") for name in columns}


def mark(text: str, places: Iterable[tuple[int, int]], opening: str, closing: str) -> str:
    """Return a text with something written around some places, which are ascending.

    >>> mark("a fine film", [(2, 6)], "[-", "-]")
    'a [-fine-] film'
    """
    parts = segments(text, places)
    return "".join(f"{opening}{part}{closing}" if edited else part for part, edited in parts)


def segments(text: str, places: Iterable[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Yield a text in segments, and whether each is one of the places, which are ascending."""
    last = 0
    for start, end in places:
        yield text[last:start], False
        yield text[start:end], True
        last = end
    yield text[last:], False
