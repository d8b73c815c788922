"""The plan of `misspellings` for one text, with strings: which words get an error, and which error."""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import accumulate
from typing import NamedTuple

from salva._kernels import constants as stages
from tests.reference import rng
from tests.reference.plans import Plan
from tests.reference.surface import CAPITALS, Row


class Words(NamedTuple):
    """The words that may be misspelled, those that no error may make, and the errors of every context."""

    plain: Set[str]
    forbidden: Set[str]
    errors: Mapping[str, list[tuple[str, int]]]
    hardest: int


def context(word: str, place: int) -> str:
    part = "s" if len(word) < 6 else "l" if set(word[:place]) & set("aeiouy") else "r"
    return part + ("." + word + ".")[place : place + 3]


def apply(error: str, word: str, place: int) -> str:
    before, letter, after = word[:place], word[place], word[place + 1 :]
    match error[0]:
        case "-":
            return before + after
        case "~":
            return before + after[0] + letter + after[1:]
        case "=":
            return before + error[1] + after
    return before + letter + error[1] + after


def misspell(word: str, words: Words, own: int) -> str | None:
    """Return a word with an error, or None if it is too easy, or if every attempt fails."""
    options = [
        (apply(error, word, place), weight)
        for place in range(len(word))
        for error, weight in words.errors.get(context(word, place), [])
    ]
    limits = list(accumulate(weight for _, weight in options))
    if not options or rng.bounded(rng.draw(own, 0, stages.MISSPELL_CHANCE), words.hardest) >= limits[-1]:
        return None
    for attempt in range(24):
        wanted = rng.bounded(rng.draw(own, attempt, stages.MISSPELL_ERROR), limits[-1])
        made = next(made for (made, _), limit in zip(options, limits, strict=True) if limit > wanted)
        if made not in words.forbidden:
            return made
    return None


def plan(row: Row, words: Words, *, prob: float, min_word_length: int) -> Plan:
    """Return the edits of a text."""
    eligible, edits = 0, []
    for place, word in enumerate(row.words):
        lowered = word[:1].lower() + word[1:]
        if row.blocked[place] or len(word.encode()) < min_word_length or lowered not in words.plain:
            continue
        if row.is_joined(place) or (word[0] in CAPITALS and not row.begins_sentence(place)):
            continue
        eligible += 1
        if row.happens(place, stages.MISSPELL, prob) and row.is_kept(place, stages.MISSPELL_KEEP):
            own = rng.draw(row.key, place, stages.MISSPELL_WORD)
            new = misspell(lowered, words, own)
            if new is not None:
                edits.append((place, "misspelling", new.capitalize() if word[0] in CAPITALS else new))
    return Plan(eligible, edits)
