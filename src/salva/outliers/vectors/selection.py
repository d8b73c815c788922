"""What a reader keeps of the rows that it passes: vectors of the requested words, and counts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from salva._progress import Tracker
from salva._types import Floats

MOST_DIMENSIONS = 16_384
MOST_WORD_BYTES = 4096
SMALLEST = 1e-300  # smaller floats have fewer digits, down to one, so the direction is lost


@dataclass(slots=True)
class FileCounts:
    """What a file holds: duplicates and zero vectors among requested words, unusual words in all rows."""

    rows: int = 0
    dimension: int = 0
    duplicates: int = 0
    zeros: int = 0
    spaced: int = 0
    not_utf8: int = 0
    capitals: bool = False


class Selection:
    """The requested forms of words, by their bytes in a file, and the vectors read for them.

    A form is found in either Unicode normal form, NFC or NFD; the first one in the file wins.
    """

    def __init__(self, forms: Iterable[str], tracker: Tracker | None = None) -> None:
        self.tracker = tracker or Tracker()  # of the rows that a reader passes
        self.keys = {
            unicodedata.normalize(normal, form).encode("utf-8", "surrogatepass"): form
            for form in sorted(forms)
            for normal in ("NFD", "NFC")
        }
        self.vectors: dict[str, Floats] = {}
        self.counts = FileCounts()

    def add(self, form: str, values: Sequence[float] | NDArray[np.floating[Any]]) -> str | None:
        """Keep a row unless its form already has one, or return what is wrong with its numbers.

        A vector of zeros has no direction: its word counts as missing.
        """
        if form in self.vectors:
            self.counts.duplicates += 1
            return None
        written = np.asarray(values)
        with np.errstate(over="ignore"):  # floats longer than 64 bits may overflow; they are refused below
            vector = written.astype(np.float64)
        problem = find_not_finite(form, vector)
        if problem is None and written.any() and np.abs(vector).max() < SMALLEST:
            problem = explain_too_small(form)
        if problem is None:
            self.counts.zeros += not vector.any()
            self.vectors[form] = vector
        return problem

    def known(self) -> dict[str, Floats]:
        """Return the vectors that are not all zeros."""
        return {form: vector for form, vector in self.vectors.items() if vector.any()}


def find_not_finite(form: str, vector: Floats) -> str | None:
    """Return which number of a vector is not finite, if any."""
    finite = np.isfinite(vector)
    if finite.all():
        return None
    place = int(np.argmin(finite))
    return f"number {place + 1} of {form!r} is {vector[place]}, not finite"


def explain_too_small(form: str) -> str:
    """Return what is wrong with a vector of tiny numbers."""
    return f"the numbers of {form!r} are too small, all below {SMALLEST:g}; scale the vectors"
