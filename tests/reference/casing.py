"""Case patterns with Python's own methods: obviously right, and as new as the Python."""

from __future__ import annotations

import unicodedata


def is_cased(character: str) -> bool:
    return character.isupper() or character.islower() or unicodedata.category(character) == "Lt"


def detect(word: str) -> str:
    cased = [character for character in word if is_cased(character)]
    capitals = [not character.islower() for character in cased]
    if not cased:
        return "mixed"
    if not any(capitals):
        return "lower"
    if capitals[0] and not any(capitals[1:]):
        return "title"
    return "upper" if all(capitals) else "mixed"


def apply(pattern: str, word: str) -> str:
    if pattern == "title":
        first = next((i for i, character in enumerate(word) if is_cased(character)), None)
        if first is None:
            return word
        # As one word, because the lower case of a sigma depends on what is beside it.
        lowered = "".join(lower_at(word, i) for i in range(first + 1, len(word)))
        return word[:first].lower() + word[first].title() + lowered
    return {"lower": word.lower(), "upper": word.upper(), "mixed": word}[pattern]


def lower_at(word: str, i: int) -> str:
    before, upto = word[:i].lower(), word[: i + 1].lower()
    if word[i] != "Σ":
        return word[i].lower()
    rest = word[i + 1 :].lower()
    whole = word.lower()
    return whole[len(before) if before == whole[: len(before)] else len(upto) - 1 : len(whole) - len(rest)][
        :1
    ]
