"""Texts with new words in them, one text at a time and with Python's own strings.

`edits` are pairs of a token's place in its row and the new word.
"""

from __future__ import annotations

import re

from salva.text import detokenize

Edits = list[tuple[int, str]]


def splice(text: str, spans: list[tuple[int, int]], edits: Edits) -> str:
    """Return the text with new words in place of some of its spans, the last first."""
    for place, new in reversed(edits):
        start, stop = spans[place]
        text = text[:start] + new + text[stop:]
    return text


def spaces(words: list[str], edits: Edits) -> str:
    """Return the words with a blank between two."""
    return " ".join(replaced(words, edits))


def leaning(words: list[str], edits: Edits) -> str:
    """Return the words with a blank between two, but none before . ? ! and ,."""
    return re.sub(r" (?=[.?!,])", "", spaces(words, edits))


def treebank(words: list[str], edits: Edits) -> str:
    """Return the words as NLTK puts them together."""
    return detokenize(replaced(words, edits))


def replaced(words: list[str], edits: Edits) -> list[str]:
    """Return the words with the new ones among them."""
    new = dict(edits)
    return [new.get(place, word) for place, word in enumerate(words)]
