"""Part-of-speech tagging by an averaged perceptron, with the shipped weights or NLTK's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, overload

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_numbers, as_strings, ints
from salva._kernels import Perceptron, StringTable, Sums, TagVocabulary, add_up, find_features, tag_rows
from salva._kernels.constants import (
    FEATURES,
    GROWTH,
    LEFT_2,
    LEFT_SUFFIX,
    LEFT_WORD,
    OWN_WORD,
    RIGHT_2,
    RIGHT_SUFFIX,
    RIGHT_WORD,
)
from salva._types import Bytes, Ints16, Ints32, Ints64, PathLike
from salva.errors import UsageError
from salva.lexicon.shipped import read_tables
from salva.text.columns import TYPED_BYTES, over_chunks
from salva.text.spans import (
    Cuts,
    Spans,
    WordRows,
    as_lists,
    as_word_lists,
    cut_rows,
    holds_lists,
)
from salva.text.tagger_model import EDGES, SHAPES, read_model
from salva.text.tokens import cut_nltk
from salva.text.words import Types, find_words, load_casing, load_characters, string_table, types_of

# The first two letters of a tag decide the part of speech.
PART_OF_TAG = {"NN": "noun", "VB": "verb", "JJ": "adjective", "RB": "adverb"}
PARTS = (*PART_OF_TAG.values(), "other")
LANE = 8  # how many numbers a core adds at once
NEVER = -(1 << 30)
LONGEST_SHAPE = max(map(len, SHAPES))


@dataclass(frozen=True, eq=False, repr=False)
class Tagged:
    """The words of every row and their tags, as Arrow lists.

    `spans` has the positions of the words if they came from texts.

    >>> tagged = tag(["Films rarely age well."])
    >>> tagged.to_pylist()
    [[('Films', 'NNS'), ('rarely', 'RB'), ('age', 'NN'), ('well', 'RB'), ('.', '.')]]
    >>> tagged.parts.to_pylist()
    [['noun', 'adverb', 'noun', 'adverb', 'other']]
    """

    source: Spans | WordRows
    numbers: Ints16
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self._like)

    def __repr__(self) -> str:
        return f"<Tagged: {len(self.numbers)} words in {len(self)} rows>"

    @property
    def spans(self) -> Spans | None:
        """The positions of the words in the texts; None if the words were given as lists."""
        return self.source if isinstance(self.source, Spans) else None

    @cached_property
    def words(self) -> pa.LargeListArray:
        """The words."""
        return as_lists(self.source.rows, self.source.flat.array, self._like)

    @cached_property
    def tags(self) -> pa.LargeListArray:
        """The Penn Treebank tags, as a dictionary column."""
        return self._lists(self.numbers, self.names)

    @cached_property
    def parts(self) -> pa.LargeListArray:
        """The parts of speech: noun, verb, adjective, adverb or other, as a dictionary column."""
        return self._lists(_part_numbers(self.names)[self.numbers], PARTS)

    def to_pylist(self) -> list[list[tuple[str, str]] | None]:
        """Return pairs of word and tag, as `nltk.pos_tag` does."""
        rows = zip(self.words.to_pylist(), self.tags.to_pylist(), strict=True)
        return [None if words is None else list(zip(words, tags, strict=True)) for words, tags in rows]

    @property
    def _like(self) -> pa.Array:
        return self.source.texts.array if isinstance(self.source, Spans) else self.source.like

    def _lists(self, numbers: Ints16, names: Sequence[str]) -> pa.LargeListArray:
        values = pa.DictionaryArray.from_arrays(as_numbers(numbers), as_strings(names).array)
        return as_lists(self.source.rows, values, self._like)


class Tagger:
    """An averaged perceptron; `Tagger.default()` is the shipped one, `Tagger.load` reads NLTK's weights."""

    def __init__(self, tables: dict[str, pa.Array]) -> None:
        self._tables = tables
        self.tags: tuple[str, ...] = tuple(tables["tags"].to_pylist())
        self._count = int(ints(tables["classes"])[0])
        self._model = _perceptron(tables)
        self._vocabulary = _vocabulary(tables)
        self._fixed_words = string_table(tables["fixed_words"])
        self._fixed_tags = np.append(ints(tables["fixed_tags"]), np.int16(-1))
        self._edges = _edge_features(self._vocabulary)
        self._parts = _part_numbers(self.tags).astype(np.uint8)
        mask = (1 << self._model.bits) - 1
        self._flip = (mask - 2 * np.arange(self._model.weights.shape[1])).astype(np.int32)

    @staticmethod
    @cache
    def default() -> Tagger:
        """Return the tagger shipped with Salva, which has the weights of TextBlob's perceptron."""
        return Tagger(read_tables("tagger.arrow"))

    @staticmethod
    def load(path: PathLike) -> Tagger:
        """Read NLTK's weights: a folder with `*.weights.json`, `*.tagdict.json` and `*.classes.json`.

        Its tags then equal those of `nltk.pos_tag`.
        """
        return Tagger(read_model(path))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the weights: taggers with equal digests give equal tags."""
        state = hashlib.sha256()
        for name, array in sorted(self._tables.items()):
            text = pa.types.is_string(array.type)
            state.update(f"{name} {len(array)} {array.type}\n".encode())
            state.update(json.dumps(array.to_pylist()).encode() if text else ints(array).tobytes())
        return state.hexdigest()

    @overload
    def tag(self, texts: str, *, threads: int | None = None) -> list[tuple[str, str]]: ...
    @overload
    def tag(self, texts: Any, *, threads: int | None = None) -> Tagged: ...
    def tag(self, texts: Any, *, threads: int | None = None) -> list[tuple[str, str]] | Tagged:
        """Tag one text, or a column of texts or of lists of words; each row is one sequence, as in NLTK."""
        if isinstance(texts, str):
            return self.tag([texts], threads=threads).to_pylist()[0] or []
        if holds_lists(texts):
            lists = as_word_lists(texts)
            numbers = lists.over_chunks(
                lambda part: self._tag_rows(part.flat, part.rows), size=TYPED_BYTES, threads=threads
            )
            return Tagged(lists, np.concatenate(numbers), self.tags)
        column = as_strings(texts)

        def work(rows: Strings) -> tuple[Cuts, Ints16]:
            cuts = cut_rows(rows, cut_nltk)
            return cuts, self._tag_rows(Spans(cuts.texts, (cuts,), threads=1).flat, cuts.rows)

        chunks = over_chunks(work, column, size=TYPED_BYTES, threads=threads)
        spans = Spans(column, tuple(cuts for cuts, _ in chunks), threads)
        return Tagged(spans, np.concatenate([numbers for _, numbers in chunks]), self.tags)

    def tag_words(self, words: Strings, rows: Ints64, types: Types) -> tuple[Ints16, Bytes]:
        """Return the tag of every word, as an index into `tags`, and its part of speech, into `PARTS`."""
        numbers = self._tag_rows(words, rows, types)
        return numbers, self._parts[numbers]

    def _tag_rows(self, words: Strings, rows: Ints64, types: Types | None = None) -> Ints16:
        out = np.empty(len(words), np.int16)
        types = types_of(words) if types is None else types
        count = len(types.firsts)
        longest = int(np.diff(words.offsets).max(initial=0))
        features = np.empty((count + len(EDGES), FEATURES), np.int32)
        features[count:] = self._edges
        scratch = np.empty(GROWTH * longest + LONGEST_SHAPE, np.uint8)
        find_features(
            load_characters(),
            load_casing(),
            self._vocabulary,
            words.data,
            words.offsets,
            types.firsts,
            scratch,
            features,
        )
        width = self._model.weights.shape[1]
        own, left, right = (np.empty((len(features), width), np.int32) for _ in range(3))
        sums = Sums(own, left, right, self._flip)
        add_up(self._model.weights, features, sums)
        fixed = find_words(self._fixed_words, words, types.firsts)
        tag_rows(
            self._model,
            sums,
            features,
            self._fixed_tags[fixed],
            types.numbers,
            rows,
            self._count,
            np.empty(14, np.int64),
            out,
        )
        return out


@overload
def tag(texts: str, *, tagger: Tagger | None = None, threads: int | None = None) -> list[tuple[str, str]]: ...
@overload
def tag(texts: Any, *, tagger: Tagger | None = None, threads: int | None = None) -> Tagged: ...
def tag(
    texts: Any, *, tagger: Tagger | None = None, threads: int | None = None
) -> list[tuple[str, str]] | Tagged:
    """Tag texts or lists of words: (word, tag) pairs for one text, `Tagged` for a column.

    A list of strings is a column of texts; to tag the words of one text, pass `[words]`.

    >>> tag("Dogs bark.")
    [('Dogs', 'NNS'), ('bark', 'NN'), ('.', '.')]
    """
    tagger = Tagger.default() if tagger is None else tagger
    if not isinstance(tagger, Tagger):
        raise UsageError(f"tagger={tagger!r:.60} is not a Tagger; read one with Tagger.load(path)")
    tagged: list[tuple[str, str]] | Tagged = tagger.tag(texts, threads=threads)
    return tagged


def _part_numbers(tags: Sequence[str]) -> Ints16:
    return np.array([PARTS.index(PART_OF_TAG.get(tag[:2], "other")) for tag in tags], np.int16)


def _perceptron(tables: dict[str, pa.Array]) -> Perceptron:
    classes, tags = int(ints(tables["classes"])[0]), len(tables["tags"]) + 2
    bits = max(1, (classes - 1).bit_length())
    sizes = ints(tables["sizes"])
    weights = np.zeros((len(sizes), -(-classes // LANE) * LANE), np.int32)
    weights[np.repeat(np.arange(len(sizes)), sizes), ints(tables["labels"])] = ints(tables["values"])
    previous, previous_2 = ints(tables["previous"]), ints(tables["previous_2"])
    pairs = ints(tables["pairs"]).reshape(tags, tags)
    bias = int(ints(tables["bias"])[0])
    before = weights[pairs] + weights[previous][:, None] + weights[previous_2][None, :] + weights[bias]
    before <<= bits
    before += np.arange(weights.shape[1], dtype=np.int32)
    before[:, :, classes:] = NEVER
    before = before.reshape(-1, weights.shape[1])
    after = ints(tables["after"]).reshape(-1, tags)
    weights <<= bits
    return Perceptron(weights, before, previous, previous_2, pairs, after, bias, bits)


def _vocabulary(tables: dict[str, pa.Array]) -> TagVocabulary:
    return TagVocabulary(
        string_table(tables["words"]),
        ints(tables["word_rows"]).reshape(-1, 6),
        string_table(tables["suffixes"]),
        ints(tables["suffix_rows"]).reshape(-1, 3),
        string_table(tables["prefixes"]),
        ints(tables["prefix_rows"]),
    )


def _edge_features(vocabulary: TagVocabulary) -> Ints32:
    """Return the features of the two padding words before and the two after every text."""
    words = _numbers(vocabulary.words, EDGES)
    suffixes = _numbers(vocabulary.suffixes, [edge[-3:] for edge in EDGES])
    out = np.zeros((len(EDGES), FEATURES), np.int32)
    for row, word, suffix in zip(out, words, suffixes, strict=True):
        if word >= 0:
            row[[OWN_WORD, LEFT_WORD, LEFT_2, RIGHT_WORD, RIGHT_2]] = np.asarray(vocabulary.word_rows)[
                word, :5
            ]
        if suffix >= 0:
            row[[LEFT_SUFFIX, RIGHT_SUFFIX]] = np.asarray(vocabulary.suffix_rows)[suffix, 1:]
    return out


def _numbers(table: StringTable, strings: Sequence[str]) -> Ints32:
    return find_words(table, as_strings(strings), np.arange(len(strings)))
