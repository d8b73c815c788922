"""The plan of `case` for one text, with strings: which words lose their capital."""

from __future__ import annotations

import re
from collections.abc import Set

from salva._kernels import constants as stages
from tests.reference.plans import Plan
from tests.reference.surface import CAPITALS, CURLY, Row

QUOTES = re.compile('["\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}]')


def is_quoted(row: Row, place: int) -> bool:
    """Return whether a quotation that begins before a word is still open; blocked tokens have no marks."""
    marks = [mark for k in range(place) if not row.blocked[k] for mark in QUOTES.findall(row.words[k])]
    quoted = False
    for mark in marks:
        quoted = not quoted if mark == '"' else mark == "\N{LEFT DOUBLE QUOTATION MARK}"
    return quoted


def has_capital_beside(row: Row, place: int) -> bool:
    words = row.words
    if any(words[k][0] in CAPITALS for k in (place - 1, place + 1) if 0 <= k < len(words)):
        return True
    if place < 2 or words[place - 1][0] != "." or row.spans[place - 2][1] != row.spans[place - 1][0]:
        return False
    return words[place - 2][0] in CAPITALS and len(words[place - 2].encode()) <= 3


def is_pronoun(row: Row, place: int, numbered: Set[str]) -> bool:
    if row.words[place] != "I" or row.after(place) not in (" ", "'", CURLY):
        return False
    return place == 0 or row.words[place - 1] not in numbered


def may_lose_capital(row: Row, place: int, plain: Set[str], function: Set[str]) -> bool:
    word = row.words[place]
    if row.is_joined(place) or row.before(place) == "." or not re.fullmatch("[A-Z][a-z]{1,63}", word):
        return False
    if word.lower() in plain:
        return word.lower() in function and row.begins_sentence(place)
    return len(word) > 3 or (len(word) == 3 and row.after(place) != ".")


def plan(row: Row, plain: Set[str], function: Set[str], numbered: Set[str], *, prob: float) -> Plan:
    """Return the edits of a text."""
    eligible, edits = 0, []
    for place, word in enumerate(row.words):
        if row.blocked[place] or is_quoted(row, place) or has_capital_beside(row, place):
            continue
        if is_pronoun(row, place, numbered) or may_lose_capital(row, place, plain, function):
            eligible += 1
            if row.happens(place, stages.CASE, prob) and row.is_kept(place, stages.CASE_KEEP):
                edits.append((place, "case", word.lower()))
    return Plan(eligible, edits)
