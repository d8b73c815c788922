"""Texts with new words in them, one text at a time and with Python's own strings.

`edits` are pairs of a token's place in its row and the new word.
"""

from __future__ import annotations

import re

from salva.text import detokenize
from tests.reference.shields import Token

HIDDEN = "\ue000"

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


def tied_spaces(text: str, tokens: list[Token], edits: Edits, *, leaning: bool = False) -> str:
    """Return the tokens with a blank between two, but as in the text where they are tied."""
    words, out = replaced([token.word for token in tokens], edits), ""
    for k, (token, word) in enumerate(zip(tokens, words, strict=True)):
        if token.glued or token.continues:
            out += text[tokens[k - 1].stop : token.start]
        elif k and not (leaning and text[token.start] in ".?!,"):
            out += " "
        out += word
    return out


def tied_treebank(text: str, tokens: list[Token], edits: Edits) -> str:
    """Return the tokens as NLTK puts them together; it sees one character for all that is opaque and tied."""
    words, shown, hidden = replaced([token.word for token in tokens], edits), [], []
    for k, (token, word) in enumerate(zip(tokens, words, strict=True)):
        if token.continues:
            hidden[-1] = hidden[-1][0], hidden[-1][1] + text[tokens[k - 1].stop : token.start] + word, False
        elif token.opaque:
            hidden.append((token.glued, word, False))
            shown.append(HIDDEN)
        else:
            if token.glued:
                hidden[-1] = *hidden[-1][:2], True
            shown.append(word)
    pieces = detokenize(shown).split(HIDDEN)
    for k, (glued_before, _, glued_after) in enumerate(hidden):
        pieces[k] = pieces[k].removesuffix(" ") if glued_before else pieces[k]
        pieces[k + 1] = pieces[k + 1].removeprefix(" ") if glued_after else pieces[k + 1]
    return pieces[0] + "".join(word + piece for (_, word, _), piece in zip(hidden, pieces[1:], strict=True))
