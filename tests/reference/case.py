"""The plan of `case` for one text, with strings: which words lose their capital."""

from __future__ import annotations

import re
from collections.abc import Set

from salva._kernels import stages
from tests.reference.plans import Plan
from tests.reference.surface import CAPITALS, CURLY, Row


def is_pronoun(row: Row, place: int, numbered: Set[str]) -> bool:
    if row.words[place] != "I" or row.after(place) not in (" ", "'", CURLY):
        return False
    before = row.words[place - 1] if place else "a"
    return before[0] not in CAPITALS and before not in numbered


def may_lose_capital(row: Row, place: int, plain: Set[str], function: Set[str]) -> bool:
    word = row.words[place]
    if row.is_joined(place) or row.before(place) == "." or not re.fullmatch("[A-Z][a-z]{1,63}", word):
        return False
    if word.lower() in plain:
        title = place + 1 < len(row.words) and row.words[place + 1][0] in CAPITALS
        return word.lower() in function and not title and row.begins_sentence(place)
    return len(word) > 3 or (len(word) == 3 and row.after(place) != ".")


def plan(row: Row, plain: Set[str], function: Set[str], numbered: Set[str], *, prob: float) -> Plan:
    """Return the edits of a text."""
    eligible, edits = 0, []
    for place, word in enumerate(row.words):
        if row.blocked[place]:
            continue
        if is_pronoun(row, place, numbered) or may_lose_capital(row, place, plain, function):
            eligible += 1
            if row.happens(place, stages.CASE, prob) and row.is_kept(place, stages.CASE_KEEP):
                edits.append((place, "case", word.lower()))
    return Plan(eligible, edits)
