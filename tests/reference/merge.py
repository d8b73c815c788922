"""Which edits leave others alone, one text at a time and with Python's own strings."""

from __future__ import annotations

import re

Span = tuple[int, int]  # in characters


def leaves_alone(text: str, edit: Span, taken: list[Span]) -> bool:
    """Return whether an edit clashes with none of the taken ones."""
    return not any(clash(text, edit, other) for other in taken)


def clash(text: str, edit: Span, other: Span) -> bool:
    """Return whether two edits have a character in common, insert at one place, or meet inside a word."""
    if edit == other:
        return True
    (_, middle), (begin, _) = sorted([edit, other])
    if begin == middle:
        return bool(re.fullmatch(r"\w\w", text[max(begin - 1, 0) : begin + 1]))
    return begin < middle
