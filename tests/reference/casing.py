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
    return "upper" if all(character.isupper() for character in cased) else "mixed"


def apply(pattern: str, word: str) -> str:
    """Change the case; as a title, the first cased character is capital, the rest as in the lower case."""
    if pattern != "title":
        return {"lower": word.lower(), "upper": word.upper(), "mixed": word}[pattern]
    first = next((i for i, character in enumerate(word) if is_cased(character)), len(word))
    before, after = word[:first], word[first + 1 :]
    lowered = word.lower()
    rest = len(after.lower())  # a sigma changes by what is beside it, but not in length
    return before.lower() + word[first : first + 1].title() + lowered[len(lowered) - rest :]


def apply_to_lemma(pattern: str, word: str) -> str:
    """Change the case of a word that keeps its own capitals."""
    if pattern != "title":
        return word.upper() if pattern == "upper" else word
    first = next((i for i, character in enumerate(word) if is_cased(character)), len(word))
    return word[:first] + word[first : first + 1].title() + word[first + 1 :]
