"""The rows that are wanted from a vector file: what a reader keeps of all that passes by."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_DIMENSIONS", "MOST_WORD_BYTES", "Seen", "Wanted"]

Vector = NDArray[np.float64]

MOST_DIMENSIONS = 16_384
MOST_WORD_BYTES = 4096


@dataclass(slots=True)
class Seen:
    """What a reader noticed: duplicates and zero vectors of wanted words, odd words of all rows."""

    rows: int = 0
    dimension: int = 0
    duplicates: int = 0
    zeros: int = 0
    spaced: int = 0
    not_utf8: int = 0
    capitals: bool = False


class Wanted:
    """Forms of words, by the bytes that they have in a file, and the vectors found for them.

    A form is found in either Unicode normal form, NFC or NFD; what comes first in the file wins.
    """

    def __init__(self, forms: Iterable[str]) -> None:
        self.keys = {
            unicodedata.normalize(normal, form).encode("utf-8", "surrogatepass"): form
            for form in sorted(forms)
            for normal in ("NFD", "NFC")
        }
        self.vectors: dict[str, Vector] = {}
        self.seen = Seen()

    def add(self, form: str, values: Sequence[float] | NDArray[np.floating[Any]]) -> str | None:
        """Keep a row unless its form has one, or return what is wrong with its numbers.

        Zeros alone point nowhere: the word is as good as missing.
        """
        if form in self.vectors:
            self.seen.duplicates += 1
            return None
        vector = np.asarray(values, dtype=np.float64)
        finite = np.isfinite(vector)
        if not finite.all():
            place = int(np.argmin(finite))
            return f"number {place + 1} of {form!r} is {vector[place]}, not finite"
        self.seen.zeros += not vector.any()
        self.vectors[form] = vector
        return None

    def known(self) -> dict[str, Vector]:
        """Return the vectors that point somewhere."""
        return {form: vector for form, vector in self.vectors.items() if vector.any()}
