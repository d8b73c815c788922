"""What a word may become according to the specifications, straight from groups, WordNet and common words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from salva.lexicon import WordNet, load_groups, offensive_words, stop_words
from salva.text import tag


class Part(NamedTuple):
    pos: str
    rate: float
    setting: str


PARTS = {
    "noun": Part("n", 0.30, "p_synonym_noun"),
    "verb": Part("v", 0.25, "p_synonym_verb"),
    "adjective": Part("a", 0.70, "p_synonym_adj"),
    "adverb": Part("r", 0.70, "p_synonym_adv"),
}


@cache
def group_words(word: str) -> frozenset[str]:
    return frozenset(load_groups().synonyms(word)) - offensive_words()


@cache
def wordnet_words(word: str, pos: str) -> frozenset[str]:
    synsets = WordNet.load().synsets(word, pos)
    lemmas = {name.lower() for synset in synsets for name in synset.lemma_names() if name.isalpha()}
    return frozenset(lemmas) - offensive_words() - {word}


class Word(NamedTuple):
    """A word at its place, and what it may become: nothing but for content words of four letters or more."""

    place: tuple[int, int]
    lower: str
    part: str
    group: frozenset[str]
    wordnet: frozenset[str]

    @property
    def replaceable(self) -> bool:
        return bool(self.group or self.wordnet)


def describe(place: tuple[int, int], text: str, part: str) -> Word:
    lower, none = text.lower(), frozenset[str]()
    if part not in PARTS or len(text) < 4:
        return Word(place, lower, part, none, none)
    return Word(place, lower, part, group_words(lower), wordnet_words(lower, PARTS[part].pos))


def tagged_words(texts: list[str]) -> list[Word]:
    tagged = tag(texts)
    columns = (tagged.spans.starts, tagged.words, tagged.parts)
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return [
        describe((row, start), text, part)
        for row, lists in enumerate(rows)
        for start, text, part in zip(*lists, strict=True)
    ]


@cache
def first_synsets(word: str, most: int | None = 3) -> frozenset[str]:
    """Return the lemmas of the first synsets of a word in small letters, with spaces, without the word."""
    lemmas = {name for synset in WordNet.load().synsets(word)[:most] for name in synset.lemma_names()}
    return frozenset(name.replace("_", " ").lower() for name in lemmas) - offensive_words() - {word}


def all_synsets(word: str) -> frozenset[str]:
    return first_synsets(word, None)


def has_synonyms(word: str) -> bool:
    """Return whether spec 2 would replace a word."""
    lower = word.lower()
    return word.isalpha() and lower not in stop_words() and bool(first_synsets(lower))


def how_many_typos(word: str, share: float = 0.4) -> int:
    """Return how many places of a word spec 2 chooses."""
    return max(1, int(len(word) * share))


TOKEN = re.compile(r"\w+|[^\w\s]+")


def corruptible(text: str) -> list[tuple[int, str]]:
    """Return the places and words of a text that spec 3 may corrupt."""
    found = ((match.start(), match[0]) for match in TOKEN.finditer(text))
    return [(start, word) for start, word in found if len(word) > 1 and any(map(str.isalpha, word))]


def most_frequent(texts: list[str], size: int) -> list[str]:
    counts = Counter(token.lower() for text in texts for token in TOKEN.findall(text))
    common = [word for word in counts if len(word) > 4 and any(map(str.isalpha, word))]
    return sorted(common, key=lambda word: (-counts[word], word))[:size]


class Common:
    """Common words, the most frequent first, and which of them stand for another word."""

    def __init__(self, words: list[str]) -> None:
        self.words = [word for word in words if word not in offensive_words()]
        self.starting = defaultdict(set)
        for word in self.words:
            for letters in (5, 4, 3):
                self.starting[word[:letters]].add(word)

    def completions(self, word: str) -> set[str]:
        """Return the words with the same five first letters, or else four, or three."""
        starts = (word[:letters] for letters in (5, 4, 3) if len(word) >= letters)
        others = (self.starting.get(start, set()) - {word} for start in starts)
        return next(filter(None, others), set())

    def corrections(self, words: list[str]) -> dict[str, dict[str, int]]:
        """Return the five nearest words of each, within three edits, and how many edits they are away."""
        distances = cdist(words, self.words, scorer=Levenshtein.distance, score_cutoff=3, dtype=np.uint8)
        order = np.argsort(np.where(distances == 0, 255, distances), axis=1, kind="stable")[:, :5]
        return {
            word: {self.words[k]: int(row[k]) for k in nearest if 1 <= row[k] <= 3}
            for word, row, nearest in zip(words, distances, order, strict=True)
        }
