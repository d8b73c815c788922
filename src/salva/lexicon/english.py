"""Words of English: those written in small letters, and everything that a reader may take for a word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from salva._arrow import as_numbers
from salva._types import Pos
from salva.lexicon.inflections import BASE_TAGS, TAGS, inflect
from salva.lexicon.pairs import load_pairs
from salva.lexicon.shipped import polarity, read_tables, stop_words
from salva.lexicon.wordnet import WordNet

PARTS: tuple[Pos, ...] = ("n", "v", "a", "r")

# Function words that no other shipped list has, some of them old.
MORE_WORDS = """
    albeit amidst amongst cannot doth else ere hath nay oft shalt thee thine thou thy towards unto upon versus
    whenever whereas wherein whether whilst whoever yea
"""


@cache
def plain_words() -> frozenset[str]:
    """Return English words that are written in small letters, with their inflected forms; a to z only.

    >>> {"because", "films", "paris", "def1nitely"} & plain_words() == {"because", "films"}
    True
    """
    wordnet = WordNet.load()
    used = wordnet.words.take(as_numbers(np.unique(wordnet.members.values))).to_pylist()
    lemmas = {word for word in used if word.isascii() and word.isalpha() and word.islower()}
    listed = stop_words() | polarity().keys() | _function_words() | set(_pieces([*_variants(), MORE_WORDS]))
    return frozenset(lemmas | _forms(lemmas) | {word for word in listed if word.isascii() and word.isalpha()})


@cache
def real_words() -> frozenset[str]:
    """Return what may be read as a word: plain words, names, and the parts of phrases, in lower case.

    >>> {"because", "paris", "becuase"} & real_words() == {"because", "paris"}
    True
    """
    wordnet = WordNet.load()
    pieces = set(_pieces(wordnet.words.to_pylist()))
    irregular = (form[:-1] for form in wordnet.irregular_forms()[0])
    tagged = read_tables("tagger.arrow")["words"].to_pylist()
    return plain_words() | pieces | _forms(pieces - plain_words()) | set(_pieces([*irregular, *tagged]))


def _forms(lemmas: set[str]) -> set[str]:
    """Return the inflected forms of those lemmas that WordNet has, by the parts of speech that it gives."""
    wordnet, forms = WordNet.load(), set[str]()
    for part in PARTS:
        own = lemmas.intersection(wordnet.lemmas(part))
        for tag in set(TAGS[part]) - BASE_TAGS:
            forms.update(*(inflect(lemma, tag) for lemma in own))
    return forms


def _function_words() -> set[str]:
    """Return words to which the tagger gives always the same tag, which is not that of a name."""
    tables = read_tables("tagger.arrow")
    names = np.flatnonzero([name.startswith("NNP") for name in tables["tags"].to_pylist()])
    plain = ~np.isin(tables["fixed_tags"].to_numpy(), names)
    return set(tables["fixed_words"].filter(plain).to_pylist())


def _variants() -> Iterable[str]:
    return (name for pair in load_pairs("spellings") for name in (pair.source, *pair.targets))


def _pieces(names: Iterable[str]) -> list[str]:
    return re.findall(r"[a-z]+", "\n".join(names).lower())
