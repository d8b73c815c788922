"""The plan of `spaces` for one text, with strings: which blanks change, and into what."""

from __future__ import annotations

import re
from collections.abc import Set

from salva._kernels import constants as stages
from tests.reference.punctuation import SpanPlan
from tests.reference.surface import CAPITALS, LETTERS, TOUCHING, Row

WEIGHTS = {",": (1, 3, 2), ".": (1, 3, 2), "!": (3, 1, 2), "?": (3, 1, 2)}


def has_blank_after(row: Row, place: int) -> bool:
    free = place + 1 < len(row.words) and not row.blocked[place + 1]
    return free and row.spans[place + 1][0] == row.spans[place][1] + 1 and row.after(place) == " "


def edit_of_phrase(row: Row, place: int, phrases: Set[str]) -> tuple[int, int, str] | None:
    if not has_blank_after(row, place):
        return None
    joined = row.words[place] + row.words[place + 1]
    after = row.after(place + 1, 2)
    if joined[0].lower() + joined[1:] not in phrases or row.before(place) in TOUCHING:
        return None
    if after[:1] in TOUCHING or re.fullmatch(r"\.[A-Za-z]", after):
        return None
    return row.spans[place][0], row.spans[place + 1][1], joined


def edit_of_mark(row: Row, place: int, domains: Set[str]) -> tuple[int, int, str] | None:
    start, stop = row.spans[place]
    mark, before = row.text[start:stop], row.words[place - 1] if place else ""
    if mark not in WEIGHTS or not before or row.spans[place - 1][1] != start or row.blocked[place - 1]:
        return None
    if before[-1].lower() not in LETTERS or (mark == "." and not re.fullmatch("[a-z]{3,}", before)):
        return None
    ways = [f" {mark}", None, None]
    if stop < len(row.text):
        if not has_blank_after(row, place):
            return None
        after = row.words[place + 1]
        address = not re.fullmatch("[A-Z][a-z]{2,63}", after) or after.lower() in domains
        joins = after[0] in CAPITALS + LETTERS and not (mark == "." and address)
        ways = [f" {mark}", mark if joins else None, f"{mark}  "]
    weighted = [way for way, times in zip(ways, WEIGHTS[mark], strict=True) if way for _ in range(times)]
    new = row.choose(place, stages.SPACING_WAY, weighted)
    return start, stop if new == ways[0] else stop + 1, new


def plan(row: Row, phrases: Set[str], domains: Set[str], *, prob: float) -> SpanPlan:
    """Return the edits of a text."""
    eligible, edits = 0, []
    for place in range(len(row.words)):
        if row.blocked[place]:
            continue
        edit = edit_of_phrase(row, place, phrases) or edit_of_mark(row, place, domains)
        if edit is not None:
            eligible += 1
            if row.happens(place, stages.SPACING, prob) and row.is_kept(place, stages.SPACING_KEEP):
                edits.append((*edit[:2], "space", edit[2]))
    return SpanPlan(eligible, edits)
