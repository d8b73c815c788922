"""Common words: what a wrong autocorrection or completion would put in place of another word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

import numpy as np

from salva.lexicon.wordnet import WordNet

VOCABULARY_SIZE = 4000
SHORTEST = 5


def common_words(counts: Mapping[str, int], size: int = VOCABULARY_SIZE) -> tuple[str, ...]:
    """Return the most frequent lower-cased words of five or more characters, ties in alphabetical order.

    >>> common_words({"Movie": 2, "movie": 1, "film": 9, "1999999": 9, "plots": 3})
    ('movie', 'plots')
    """
    total: Counter[str] = Counter()
    for word, count in counts.items():
        total[word.lower()] += count
    eligible = [word for word in total if len(word) >= SHORTEST and any(map(str.isalpha, word))]
    return tuple(sorted(eligible, key=lambda word: (-total[word], word))[:size])


@cache
def embedded_vocabulary(size: int = VOCABULARY_SIZE) -> tuple[str, ...]:
    """Return the common words used without fitting: the most frequent lemmas of WordNet's tagged texts."""
    wordnet = WordNet.load()
    used = np.bincount(wordnet.members.values, weights=wordnet.member_counts, minlength=len(wordnet.words))
    counts = {wordnet.word(i): int(used[i]) for i in np.flatnonzero(used).tolist()}
    return common_words({word: count for word, count in counts.items() if word.isalnum()}, size)
