"""The plan of `punctuation` for one text, with strings: which marks change, and into what.

An edit has where it begins and ends in the text, because it may be more or less than a token.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

from salva._kernels import constants as stages
from tests.reference.surface import CURLY, TOUCHING, Row

SpanEdit = tuple[int, int, str, str]


class SpanPlan(NamedTuple):
    """How many places could be edited, and the edits."""

    eligible: int
    edits: list[SpanEdit]


def edit_of_word(row: Row, place: int, contractions: Set[str], style: float) -> tuple[int, int, str] | None:
    """Return the edit of the word with an apostrophe that begins at a token."""
    if place + 2 >= len(row.words) or any(row.blocked[place : place + 3]):
        return None
    (start, stop), mark, (tail, end) = row.spans[place : place + 3]
    whole = row.text[start:end]
    found = re.fullmatch(f"([A-Za-z][a-z]*)(['{CURLY}])([a-z]+)", whole)
    if found is None or (stop, tail) != mark or len(whole) - 1 > 64:
        return None
    after = row.after(place + 2, 2)
    if row.before(place) in TOUCHING or after[:1] in TOUCHING or re.fullmatch(r"\.[A-Za-z]", after):
        return None
    joined = found[1] + found[3]
    if joined.lower() in contractions and not row.happens(place, stages.PUNCTUATE_WAY, style):
        return start, end, joined
    return *mark, "'" if found[2] == CURLY else CURLY


def edit_of_mark(row: Row, place: int, conjunctions: Set[str]) -> tuple[int, int, str] | None:
    """Return the edit of a token that is a single mark."""
    start, stop = row.spans[place]
    before = row.words[place - 1] if place else ""
    if not re.fullmatch("[a-z]+", before) or row.spans[place - 1][1] != start or row.blocked[place - 1]:
        return None
    mark, last = row.text[start:stop], place + 1 == len(row.words)
    if mark == "." and last and len(before) >= 3:
        return start, stop, ""
    if mark == "!":
        return start, stop, "!!"
    if mark == "," and not last and not row.blocked[place + 1] and row.words[place + 1] in conjunctions:
        one_blank = row.text[stop : row.spans[place + 1][0]] == " "
        return (start, stop + 1, " ") if one_blank else None
    return None


def plan(row: Row, conjunctions: Set[str], contractions: Set[str], *, prob: float, style: float) -> SpanPlan:
    """Return the edits of a text."""
    eligible, edits = 0, []
    for place in range(len(row.words)):
        if row.blocked[place]:
            continue
        edit = edit_of_word(row, place, contractions, style) or edit_of_mark(row, place, conjunctions)
        if edit is not None:
            eligible += 1
            if row.happens(place, stages.PUNCTUATE, prob) and row.is_kept(place, stages.PUNCTUATE_KEEP):
                edits.append((*edit[:2], "punctuation", edit[2]))
    return SpanPlan(eligible, edits)
