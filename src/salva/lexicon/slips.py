"""Errors that people make in spelling, with how often they were counted between the same letters."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from salva.lexicon.shipped import read_lines

LEFT_OUT, SWAPPED, WRONG, ADDED = "-", "~", "=", "+"  # swapped with the next letter; added after it
EDGE = "."  # in place of a letter, at either end of a word
PARTS = ("s", "r", "l")  # a short word; up to the first vowel of a longer one; the rest of it
SHORT = 5  # letters of the longest short word
VOWELS = frozenset("aeiouy")


class Slip(NamedTuple):
    """An error in a context, how often it was counted, and how many words have the context.

    A context is the part of the word, then the letter before, the letter in question, and the letter after.
    An error is a sign, and the letter that is wrong or added: "-", "~", "=a", "+a".
    """

    context: str
    error: str
    times: int
    chances: int


def context_of(word: str, place: int) -> str:
    """Return the context of a letter.

    >>> context_of("that", 0), context_of("recommend", 1), context_of("recommend", 8)
    ('s.th', 'rrec', 'lnd.')
    """
    short, first, rest = PARTS
    part = short if len(word) <= SHORT else rest if VOWELS & set(word[:place]) else first
    return part + f"{EDGE}{word}{EDGE}"[place : place + 3]


@cache
def load_slips() -> tuple[Slip, ...]:
    """Return the shipped errors, sorted by context.

    >>> max((slip for slip in load_slips() if slip.context == "lcei"), key=lambda slip: slip.times).error
    '~'
    """
    slips = []
    for line in read_lines("slips.tsv"):
        context, chances, *errors = line.split("\t")
        for error, count in (entry.split(":") for entry in errors):
            slips.append(Slip(context, error, int(count), int(chances)))
    return tuple(slips)
