"""Marked text: edits are shown inside the text, and long stretches without an edit are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

_WORTH_CUTTING = 40  # a shorter gap takes no more room than the note in its place
_WORD = 20  # how far to look for the end of a word


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of a text, the original there, and whether it matters most."""

    start: int
    end: int
    old: str
    note: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a marked text: unchanged `text`, an `edit`, or a `gap` where text is left out."""

    kind: Literal["text", "edit", "gap"]
    text: str = ""
    old: str = ""
    note: str = ""
    strong: bool = False
    left_out: int = 0


def marked(text: str, marks: Sequence[Mark], *, context: int = 200, most: int = 1200) -> list[Segment]:
    """Return the text in segments: about `context` characters around the marks, about `most` in all.

    Strong marks come first. A mark that overlaps the previous one or exceeds the text is not shown.

    >>> [s.text or s.left_out for s in marked("a good film" + "." * 999, [Mark(2, 6, "great")], context=5)]
    ['a ', 'good', ' film', 999]
    """
    sound = list(_sound(text, marks))
    segments, last = [], 0
    for start, end in _windows(text, sound, context, most):
        segments += _gap(start - last)
        segments += _inside(text, start, end, [m for m in sound if start <= m.start and m.end <= end])
        last = end
    return segments + _gap(len(text) - last)


def _sound(text: str, marks: Sequence[Mark]) -> Iterator[Mark]:
    last = 0
    for mark in sorted(marks, key=lambda mark: mark.start):
        if last <= mark.start <= mark.end <= len(text):
            yield mark
            last = mark.end


def _windows(text: str, marks: Sequence[Mark], context: int, most: int) -> list[tuple[int, int]]:
    """Return the stretches to show, ascending and disjoint."""
    if not marks:
        return _joined([_around(text, 0, context, context, ())], len(text))
    chosen: list[tuple[int, int]] = []
    for mark in sorted(marks, key=lambda mark: (not mark.strong, mark.start)):
        if sum(end - start for start, end in chosen) >= most:
            break
        if not any(start <= mark.start and mark.end <= end for start, end in chosen):
            window = _around(text, mark.start, mark.end, context, marks)
            chosen = _joined([*chosen, window], len(text))
    return chosen


def _around(text: str, start: int, end: int, context: int, marks: Sequence[Mark]) -> tuple[int, int]:
    """Return a stretch around a span that splits no mark, and no word if a space is near."""
    first, last = max(0, start - context), min(len(text), end + context)
    word = min(_WORD, context // 4)
    first = text.find(" ", first, min(start, first + word)) + 1 or first
    space = text.rfind(" ", max(end, last - word), last)
    last = last if space < 0 or last == len(text) else space
    cut = [mark for mark in marks if mark.start < last and mark.end > first]
    return min([first, *(mark.start for mark in cut)]), max([last, *(mark.end for mark in cut)])


def _joined(windows: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Return the windows with those merged that touch or nearly do, also at the ends of the text."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        left = joined[-1][1] if joined else 0
        if joined and start - left < _WORTH_CUTTING:
            joined[-1] = (joined[-1][0], max(left, end))
        else:
            joined.append((0 if start < _WORTH_CUTTING else start, end))
    start, end = joined[-1]
    return [*joined[:-1], (start, length if length - end < _WORTH_CUTTING else end)]


def _inside(text: str, start: int, end: int, marks: Sequence[Mark]) -> list[Segment]:
    segments, last = [], start
    for mark in marks:
        segments += _plain(text[last : mark.start])
        new = text[mark.start : mark.end]
        segments.append(Segment("edit", new, mark.old, mark.note, mark.strong))
        last = mark.end
    return segments + _plain(text[last:end])


def _plain(text: str) -> list[Segment]:
    return [Segment("text", text)] if text else []


def _gap(left_out: int) -> list[Segment]:
    return [Segment("gap", left_out=left_out)] if left_out else []
