"""The plan of `misspellings` for one text, with strings: which words get an error, and which error."""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import accumulate
from typing import NamedTuple

from salva._kernels import stages
from salva.lexicon.letters import SOUNDS, VOWELS
from tests.reference import rng
from tests.reference.plans import Plan, below, chosen
from tests.reference.surface import CAPITALS, LETTERS, Row


class Words(NamedTuple):
    """The words that may be misspelled, those that no error may make, and the keyboard."""

    plain: Set[str]
    forbidden: Set[str]
    neighbours: Mapping[str, str]


class Shares(NamedTuple):
    """Shares of kinds of errors, of substitutions and of insertions, and of errors in the first letter."""

    kinds: tuple[float, ...]
    substitutions: tuple[float, ...]
    insertions: tuple[float, ...]
    first: float


def pick(shares: tuple[float, ...], bits: int) -> int:
    limits = [min(1.0, limit) for limit in accumulate(shares)]
    return next((k for k, limit in enumerate(limits[:-1]) if below(bits, limit)), len(shares) - 1)


def is_doubled(word: str, place: int) -> bool:
    return word[place] in (word[place - 1 : place] or " ", word[place + 1 : place + 2] or " ")


def draw_place(word: str, bits: int, *, first: bool) -> int:
    places = [place for place in range(1, len(word) - 1) for _ in range(4)] + [len(word) - 1]
    return 0 if first else places[rng.bounded(bits, len(places))]


def one_error(word: str, words: Words, shares: Shares, kind: int, own: int, attempt: int) -> str | None:
    """Return a word with the error that an attempt draws, if there is such an error."""
    first = below(rng.draw(own, attempt, stages.MISSPELL_FIRST), shares.first)
    bits = rng.draw(own, attempt, stages.MISSPELL_PLACE)
    way = rng.draw(own, attempt // 8, stages.MISSPELL_WAY)
    place = draw_place(word, bits, first=first)

    def letter(options: str) -> str:
        return chosen(own, attempt, stages.MISSPELL_LETTER, options)

    if kind == 0:
        table = (VOWELS, words.neighbours, SOUNDS)[pick(shares.substitutions, way)]
        options = table.get(word[place], "")
        return word[:place] + letter(options) + word[place + 1 :] if options else None
    if kind == 1:
        options = ("", "aeiou", words.neighbours.get(word[place], ""))[which := pick(shares.insertions, way)]
        if which == 0 and word[place] in "bcdefglmnoprstz" and not is_doubled(word, place):
            options = word[place]
        at = 0 if first else place + 1
        return word[:at] + letter(options) + word[at:] if options else None
    if kind == 2:
        for chance in (way, rng.draw(own, attempt, stages.MISSPELL_LETTER)):
            again = draw_place(word, chance, first=first)
            place = again if is_doubled(word, again) else place
        shorter = word[:place] + word[place + 1 :]
        return shorter if set(shorter) & set("aeiouy") else None
    place = 0 if first else 1 + rng.bounded(bits, len(word) - 2)
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return swapped if swapped != word else None


def misspell(word: str, words: Words, shares: Shares, own: int) -> str | None:
    """Return a word with an error, or None if every attempt fails."""
    kind = pick(shares.kinds, rng.draw(own, 0, stages.MISSPELL_KIND))
    attempts = (one_error(word, words, shares, kind, own, attempt) for attempt in range(24))
    return next((made for made in attempts if made is not None and made not in words.forbidden), None)


def plan(row: Row, words: Words, shares: Shares, *, prob: float, min_word_length: int) -> Plan:
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
            new = misspell(lowered, words, shares, own)
            if new is not None:
                capital = word[0] in CAPITALS and new[0] in LETTERS
                edits.append((place, "misspelling", new.capitalize() if capital else new))
    return Plan(eligible, edits)
