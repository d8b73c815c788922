"""Words as numbers, for the reference model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from salva._types import Ints64

PAD, EOS, FIRST, UNKNOWN = range(4)  # FIRST is the decoder's initial input
_SPECIAL = ("<pad>", "<eos>", "<first>", "<unknown>")


@dataclass(frozen=True)
class Vocabulary:
    """The words of sources and targets, and their numbers."""

    words: tuple[str, ...]
    numbers: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {word: i for i, word in enumerate(self.words)})

    @classmethod
    def of(cls, lines: Sequence[str]) -> Vocabulary:
        """Return the words of lines, sorted.

        >>> Vocabulary.of(["copy B A"]).words[4:]
        ('A', 'B', 'copy')
        """
        return cls((*_SPECIAL, *sorted({word for line in lines for word in line.split()})))

    def encoded(self, line: str) -> list[int]:
        """Return the numbers of a line and the end mark; all unknown words share one number."""
        return [*(self.numbers.get(word, UNKNOWN) for word in line.split()), EOS]

    def decoded(self, numbers: Sequence[int]) -> str:
        """Return the words up to the end mark."""
        words = []
        for number in numbers:
            if number == EOS:
                break
            if number >= len(_SPECIAL):
                words.append(self.words[number])
        return " ".join(words)


def padded(rows: Sequence[Sequence[int]], width: int = 0) -> Ints64:
    """Return rows of numbers as one table, padded on the right.

    >>> padded([[5, 6], [7]], 3).tolist()
    [[5, 6, 0], [7, 0, 0]]
    """
    table = np.zeros((len(rows), max([width, *map(len, rows)])), np.int64)
    for place, row in zip(table, rows, strict=True):
        place[: len(row)] = row
    return table
