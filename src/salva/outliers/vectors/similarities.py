"""How similar words are: the protocol that scores use, and word vectors that implement it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from salva._types import Floats
from salva.errors import InputError
from salva.outliers.vectors.lookup import Lookup
from salva.outliers.vectors.selection import find_not_finite


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """Where similarities come from, how the words were found, and what is unusual about the source.

    `digest` identifies the data read for the requested words; `found` counts words by the look-up step that
    found them. Duplicates and zero vectors are counted among the requested words; words with spaces and words
    that are not UTF-8 among all words. `capitals` says whether the vocabulary has words with a capital first
    letter.
    """

    kind: str
    name: str
    digest: str
    chain: tuple[str, ...] = ()
    rows: int = 0
    dimension: int | None = None
    found: dict[str, int] | None = None
    duplicates: int = 0
    zeros: int = 0
    spaced: int = 0
    not_utf8: int = 0
    capitals: bool = False


class Similarities(Protocol):
    """Anything that knows how similar words are."""

    @property
    def info(self) -> SourceInfo:
        """Where they come from."""
        ...

    def known(self, word: str) -> bool:
        """Return whether a word was found."""
        ...

    def matrix(self, words: Sequence[str]) -> Floats:
        """Return the similarity of each known word to each other word, in this direction."""
        ...


class Vectors:
    """Vectors of some words, found through a look-up; similarity is the cosine.

    >>> vectors = Vectors("tiny", {"a": np.array([1.0, 0.0]), "b": np.array([1.0, 1.0])}, ["a", "b", "C"])
    >>> vectors.known("C"), round(float(vectors.matrix(["a", "b"])[0, 1]), 4)
    (False, 0.7071)
    """

    def __init__(
        self,
        name: str,
        vectors: Mapping[str, Floats],
        words: Iterable[str],
        *,
        lookup: Lookup | None = None,
        capitals: bool = True,
        **counts: int,
    ) -> None:
        steps = lookup or Lookup()
        self._units: dict[str, Floats] = {}
        found: Counter[str] = Counter()
        for problem in filter(None, map(find_not_finite, vectors.keys(), vectors.values())):
            raise InputError(f"{name}: {problem}")
        for word in dict.fromkeys(words):
            for candidate in steps.candidates(word):
                unit = _unit(vectors, candidate.parts)
                if unit is not None:
                    self._units[word] = unit
                    found[candidate.step] += 1
                    break
        self.info = SourceInfo(
            "vectors", name, _digest(vectors), steps.chain, found=dict(found), capitals=capitals, **counts
        )

    def known(self, word: str) -> bool:
        """Return whether a word was found."""
        return word in self._units

    def unit(self, word: str) -> Floats:
        """Return the vector of a known word, scaled to length 1."""
        return self._units[word]

    def matrix(self, words: Sequence[str]) -> Floats:
        """Return the cosines of known words."""
        units = np.stack([self._units[word] for word in words])
        return units @ units.T


def _unit(vectors: Mapping[str, Floats], parts: Sequence[Sequence[str]]) -> Floats | None:
    """Return the direction of the mean vector of the known parts; the first known form of a part counts.

    None means that there is no direction. Numbers are scaled close to 1 before they are added or squared, so
    that neither overflows.
    """
    known = [vector for forms in parts for vector in [vectors[form] for form in forms if form in vectors][:1]]
    if not known:
        return None
    mean = _near_one(_near_one(np.stack(known)).mean(axis=0))
    return mean / np.linalg.norm(mean) if mean.any() else None


def _near_one(vector: Floats) -> Floats:
    """Scale numbers so that the largest is 0.5 to 1; the factor is a power of two, which is exact."""
    scaled: Floats = np.ldexp(vector, -int(np.frexp(np.abs(vector).max())[1]))
    return scaled


def _digest(vectors: Mapping[str, Floats]) -> str:
    state = hashlib.sha256()
    for form in sorted(vectors):
        state.update(form.encode("utf-8", "surrogatepass") + b"\n" + vectors[form].astype("<f8").tobytes())
    return f"sha256:{state.hexdigest()}"
