"""Common words of a corpus: counted chunk by chunk, and kept in a file with one word per line."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow.compute as pc

from salva._arrow import Strings, as_numbers
from salva._files import write_atomically
from salva._kernels.types import HAS_LETTER
from salva._types import PathLike
from salva.edits.described import describe
from salva.lexicon import common_words
from salva.text.columns import TYPED_BYTES, over_threads, row_chunks
from salva.text.spans import check_sizes
from salva.text.strings import word_types
from salva.text.tokens import TOKENIZERS

SHORTEST = 5


class Fit:
    """Counts the words that may become common words: longer than four characters, with a letter."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, texts: Strings, *, threads: int | None = None) -> Fit:
        """Count the words of some texts."""
        check_sizes(texts)

        def work(rows: tuple[int, int]) -> dict[str, int]:
            return _counts(texts.rows(*rows))

        for counts in over_threads(work, row_chunks(texts.offsets, TYPED_BYTES), threads=threads):
            self.counts.update(counts)
        return self

    def common(self, size: int) -> tuple[str, ...]:
        """Return the most frequent words; ties are in alphabetical order."""
        return common_words(self.counts, size)


def _counts(texts: Strings) -> dict[str, int]:
    cuts = TOKENIZERS["word"].cut(texts)
    numbers, firsts = word_types(texts.data, cuts.starts, cuts.stops)
    _, lengths, made_of, lowered = describe(texts.data, cuts.starts[firsts], cuts.stops[firsts])
    times = np.bincount(numbers, minlength=len(firsts))
    able = np.flatnonzero((lengths >= SHORTEST) & (made_of & HAS_LETTER > 0))
    words = pc.take(lowered.array, as_numbers(able)).to_pylist()
    counts: Counter[str] = Counter()
    for word, count in zip(words, times[able].tolist(), strict=True):
        counts[word] += count
    return counts


def write_vocabulary(path: PathLike, words: tuple[str, ...], *, overwrite: bool = False) -> None:
    """Write common words, one per line, most frequent first."""
    write_atomically(path, "".join(f"{word}\n" for word in words).encode(), overwrite=overwrite)
