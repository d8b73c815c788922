"""Tokenise fast: each distinct word once, by the tokenizer itself, and texts from the tokens of their words.

A WordPiece tokenizer with BERT's rules never looks across white space, so the tokens of a text are those of
its words, one after the other. Reviews consist of words that were seen before, so nearly all of the work is
looking words up: 100,000 reviews per second on one core instead of 2,000, without Python's lock.

Not handled, and left to the tokenizer: other kinds of tokenizers, pairs, and cutting on the left.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_strings
from salva._kernels.pieces import Pieces, cut_words, join_pieces
from salva._kernels.strings import StringTable, enter, find_all, number_types, slots_for
from salva._types import Ints32
from salva.models.tokens import Tokens, encode


class WordPieces:
    """A tokenizer with a memory for words."""

    def __init__(self, tokenizer: Any, limit: int | None, *, most_words: int = 1 << 20) -> None:
        self._tokenizer = type(tokenizer).from_str(tokenizer.to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        empty: list[int] = self._tokenizer.encode("").ids
        with_word: list[int] = self._tokenizer.encode("a").ids
        word: list[int] = self._tokenizer.encode("a", add_special_tokens=False).ids
        first = next(k for k in range(len(with_word)) if with_word[k : k + len(word)] == word)
        self._before, self._after = (np.array(ids, np.int32) for ids in (empty[:first], empty[first:]))
        self.most = np.iinfo(np.int32).max if limit is None else limit - len(empty)
        self._turn, self._most_words = threading.Lock(), most_words
        self._forget()

    def _forget(self) -> None:
        self._words = StringTable(np.empty(0, np.uint8), np.zeros(1, np.int64), slots_for(1))
        self._pieces = Pieces(np.empty(0, np.int32), np.zeros(1, np.int64))

    def tokens(self, texts: Sequence[str]) -> Tokens:
        """Return the tokens of texts, exactly those of the tokenizer."""
        with self._turn:
            return self._tokens(texts)

    def _tokens(self, texts: Sequence[str]) -> Tokens:
        column = as_strings(pa.array(texts, pa.large_string()))
        room = len(column.data) // 2 + len(texts)
        starts, stops = np.empty(room, np.int32), np.empty(room, np.int32)
        rows = np.empty(len(texts) + 1, np.int64)
        count = cut_words(column.data, column.offsets, rows, starts, stops)
        numbers = self._numbers(column, starts[:count], stops[:count])
        offsets, cut = np.empty(len(texts) + 1, np.int64), np.empty(len(texts), np.bool_)
        ends = (self._before, self._after, self.most, offsets, cut)
        size = join_pieces(numbers, rows, self._pieces, *ends, np.empty(0, np.int32))
        ids = np.empty(size, np.int32)
        join_pieces(numbers, rows, self._pieces, *ends, ids)
        return Tokens(ids, offsets, cut)

    def _numbers(self, column: Strings, starts: Ints32, stops: Ints32) -> Ints32:
        """Return the number of every word; words that are new are learned."""
        if len(self._words.offsets) > self._most_words:  # a million take about 100 MB
            self._forget()
        numbers = np.empty(len(starts), np.int32)
        find_all(self._words, column.data, starts, stops, numbers)
        new = np.flatnonzero(numbers < 0)
        if len(new):
            kinds, firsts = np.empty(len(new), np.int32), np.empty(len(new), np.int64)
            spans = starts[new], stops[new]
            types = number_types(column.data, *spans, slots_for(len(new)), firsts, kinds)
            numbers[new] = kinds + (len(self._words.offsets) - 1)
            data, places = column.data.tobytes(), firsts[:types]
            ends = zip(spans[0][places].tolist(), spans[1][places].tolist(), strict=True)
            self._learn([data[start:stop] for start, stop in ends])
        return numbers

    def _learn(self, words: Sequence[bytes]) -> None:
        encodings = encode(self._tokenizer, [word.decode() for word in words], add_special_tokens=False)
        fresh = Tokens.of([encoding.ids for encoding in encodings], [False] * len(encodings))
        pieces = self._pieces
        self._pieces = Pieces(
            np.concatenate([pieces.ids, fresh.ids]),
            np.concatenate([pieces.offsets, fresh.offsets[1:] + pieces.offsets[-1]]),
        )
        known, old = len(self._words.offsets) - 1, self._words
        data = np.concatenate([old.data, np.frombuffer(b"".join(words), np.uint8)])
        offsets = np.concatenate([old.offsets, np.cumsum([len(w) for w in words]) + old.offsets[-1]])
        if 2 * len(offsets) > len(old.slots.cells):
            self._words = StringTable(data, offsets, slots_for(2 * len(offsets)))
            enter(self._words, 0)
        else:
            self._words = StringTable(data, offsets, old.slots)
            enter(self._words, known)


def remember_words(tokenizer: Any, limit: int | None) -> WordPieces | None:
    """Return a tokenizer that remembers words; None if the tokens of a word may depend on its neighbours."""
    parts = json.loads(tokenizer.to_str())
    kinds = [(parts[name] or {}).get("type") for name in ("normalizer", "pre_tokenizer", "model")]
    from_right = (parts["truncation"] or {}).get("direction", "Right") == "Right"
    if (
        kinds != ["BertNormalizer", "BertPreTokenizer", "WordPiece"]
        or not all(map(_is_word, parts["added_tokens"]))
        or not from_right
        or any(tokenizer.encode("a b").type_ids)
    ):
        return None
    memory = WordPieces(tokenizer, limit)
    return memory if memory.most > 0 else None


def _is_word(token: dict[str, Any]) -> bool:
    """Return whether an added token is found in a word, whatever is around the word."""
    spreads = token["lstrip"] or token["rstrip"] or token["single_word"]
    return not spreads and token["content"].split() == [token["content"]]
