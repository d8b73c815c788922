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

# Tags of words that have no meaning of their own: articles, pronouns, prepositions, conjunctions …
CLOSED_TAGS = frozenset({"CC", "DT", "EX", "IN", "MD", "PDT", "PRP", "PRP$", "TO", "WDT", "WP", "WP$", "WRB"})


@cache
def plain_words() -> frozenset[str]:
    """Return English words that are written in small letters, with their inflected forms; a to z only.

    >>> {"because", "films", "paris", "def1nitely"} & plain_words() == {"because", "films"}
    True
    """
    wordnet = WordNet.load()
    used = wordnet.words.take(as_numbers(np.unique(wordnet.members.values))).to_pylist()
    lemmas = set(filter(_is_small, used))
    fixed = {word for word, tag in _fixed_tags().items() if not tag.startswith("NNP")}
    listed = function_words() | polarity().keys() | fixed | set(_pieces(_variants()))
    return frozenset(lemmas | _forms(lemmas) | set(filter(_is_small, listed)))


@cache
def function_words() -> frozenset[str]:
    """Return words without a meaning of their own, in lower case; a to z only.

    >>> {"the", "because", "whether", "film"} - function_words()
    {'film'}
    """
    closed = {word for word, tag in _fixed_tags().items() if tag in CLOSED_TAGS}
    words = closed | stop_words() | set(MORE_WORDS.split())
    return frozenset(filter(_is_small, words))


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


def _fixed_tags() -> dict[str, str]:
    """Return words to which the tagger always gives the same tag."""
    tables = read_tables("tagger.arrow")
    tags = tables["tags"].take(tables["fixed_tags"]).to_pylist()
    return dict(zip(tables["fixed_words"].to_pylist(), tags, strict=True))


def _variants() -> Iterable[str]:
    return (name for pair in load_pairs("spellings") for name in (pair.source, *pair.targets))


def _is_small(word: str) -> bool:
    """Return whether a word has only small letters from a to z."""
    return word.isascii() and word.isalpha() and word.islower()


def _pieces(names: Iterable[str]) -> list[str]:
    return re.findall(r"[a-z]+", "\n".join(names).lower())
