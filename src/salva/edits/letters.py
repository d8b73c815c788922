"""Letters that may be typed instead of others, as kernels read them: keyboards and alphabets of scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np

from salva._arrow import Strings
from salva._kernels import Alphabets, Keyboard
from salva._kernels.constants import ALPHA, JOINING, LEADING, NO_KEY
from salva._types import Ints32
from salva.lexicon import ALPHABETS
from salva.text import casing
from salva.text.words import flags_of, load_casing

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_MOST_ASCII = 128


def is_small_letter(letter: str) -> bool:
    """Return whether a string is one letter that is neither a capital nor a part of another character.

    >>> [is_small_letter(letter) for letter in ("ä", "ж", "ש", "Ä", "1", "ab")]
    [True, True, True, False, False, False]
    """
    if len(letter) != 1 or casing.apply("lower", letter) != letter:
        return False
    flags = flags_of(letter)
    return flags & ALPHA != 0 and not flags & (JOINING | LEADING)


def compile_keyboard(neighbours: Mapping[str, str]) -> Keyboard:
    """Return the keyboard of lower-case letters and their neighbours; a letter without any gets no key."""
    typed = {letter: near for letter, near in neighbours.items() if near}
    numbers = {point: key for key, letter in enumerate(typed) for point in _points(letter)}
    keys = np.array([numbers.get(point, NO_KEY) for point in range(_MOST_ASCII)], np.int16)
    points = sorted(point for point in numbers if point >= _MOST_ASCII)
    small = np.zeros((len(typed), max(map(len, typed.values()))), np.int32)
    capital = small.copy()
    for key, near in enumerate(typed.values()):
        small[key, : len(near)], capital[key, : len(near)] = _both_cases(near)
    return Keyboard(
        keys,
        np.array(points, np.int32),
        np.array([numbers[point] for point in points], np.int16),
        small,
        capital,
        np.array([len(near) for near in typed.values()], np.int64),
        max(len(chr(point).encode()) for point in {*small.ravel().tolist(), *capital.ravel().tolist()}),
    )


@cache
def load_alphabets() -> Alphabets:
    """Return the letters of every script."""
    letters = [_LATIN, *(alphabet.letters for alphabet in ALPHABETS.values())]
    blocks = sorted(
        (first, last, number)
        for number, alphabet in enumerate(ALPHABETS.values(), 1)
        for first, last in alphabet.blocks
    )
    firsts, lasts, scripts = zip(*blocks, strict=True)
    return Alphabets(
        np.array(firsts, np.int32),
        np.array(lasts, np.int32),
        np.array(scripts, np.int64),
        np.cumsum([0, *map(len, letters)]),
        *_both_cases("".join(letters)),
    )


def _both_cases(letters: str) -> tuple[Ints32, Ints32]:
    """Return lower-case letters and their capitals; one whose capital is several letters stays as it is."""
    capitals = casing.apply("upper", list(letters)).to_pylist()
    pairs = zip(letters, capitals, strict=True)
    return _numbers(letters), _numbers(capital if len(capital) == 1 else letter for letter, capital in pairs)


def _numbers(letters: Iterable[str]) -> Ints32:
    return np.array([ord(letter) for letter in letters], np.int32)


def _points(letter: str) -> list[int]:
    """Return the code points of a lower-case letter and of all its capitals."""
    return [ord(letter), *_capitals().get(letter, ())]


@cache
def _capitals() -> dict[str, list[int]]:
    case = load_casing().lower
    smalls = Strings.of(np.asarray(case.data), np.asarray(case.offsets)).array.to_pylist()
    capitals: dict[str, list[int]] = {}
    for point, small in zip(np.asarray(case.points).tolist(), smalls, strict=True):
        capitals.setdefault(small, []).append(point)
    return capitals
