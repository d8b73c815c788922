"""How similar words are: the protocol that scores use, and word vectors that implement it."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import numpy as np

from salva._files import open_regular, storage_errors
from salva._types import Floats, PathLike
from salva.errors import InputError, UsageError
from salva.outliers.array_vectors import read_glove_package, read_npy, read_safetensors
from salva.outliers.binary_vectors import read_binary_vectors
from salva.outliers.lookup import CHAIN, Lookup
from salva.outliers.text_vectors import read_text_vectors
from salva.outliers.vector_formats import format_of
from salva.outliers.wanted import Wanted, not_finite


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """Where similarities come from, how the words were found, and what is unusual about the source.

    `found` counts words by the look-up step that found them. Duplicates and zero vectors are counted among
    the requested words; words with spaces and words that are not UTF-8 among all words. `capitals` says
    whether the vocabulary has words with a capital first letter.
    """

    kind: str
    name: str
    digest: str
    chain: tuple[str, ...]
    rows: int = 0
    dimension: int | None = None
    found: dict[str, int] | None = None
    duplicates: int = 0
    zeros: int = 0
    spaced: int = 0
    not_utf8: int = 0
    capitals: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


class Similarities(Protocol):
    """Anything that knows how similar words are."""

    @property
    def name(self) -> str:
        """The name shown in reports."""
        ...

    @property
    def digest(self) -> str:
        """A digest of the data read for the requested words."""
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
        **seen: int,
    ) -> None:
        self.name = name
        chosen = lookup or Lookup()
        self._units: dict[str, Floats] = {}
        steps: Counter[str] = Counter()
        for problem in filter(None, map(not_finite, vectors.keys(), vectors.values())):
            raise InputError(f"{name}: {problem}")
        for word in dict.fromkeys(words):
            for candidate in chosen.candidates(word, capitals=capitals):
                unit = _unit(vectors, candidate.parts)
                if unit is not None:
                    self._units[word] = unit
                    steps[candidate.step] += 1
                    break
        self.digest = _digest(vectors)
        self.info = SourceInfo(
            "vectors", name, self.digest, chosen.chain, found=dict(steps), capitals=capitals, **seen
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


def open_vectors(
    spec: PathLike,
    words: Iterable[str],
    *,
    chain: Sequence[str] | str = CHAIN,
    format: str | None = None,  # noqa: A002  (as everywhere in Salva)
    vocabulary: PathLike | None = None,
) -> Vectors:
    """Read the vectors of some words from a file, or from the package behind `glove`; the rest is skipped.

    The format is detected from the content unless `format` names it: glove (no header), word2vec, fasttext,
    binary, npy or safetensors. Text may be compressed with gzip. `vocabulary` is for npy and safetensors.
    """
    asked, lookup = list(words), Lookup.of(chain)
    wanted = Wanted(lookup.needed(asked))
    if os.fspath(spec) == "glove":
        if vocabulary is not None:
            raise UsageError("the package behind 'glove' has its own vocabulary; leave --vocabulary out")
        read_glove_package(wanted)
        name = "glove"
    else:
        _read(spec, wanted, format, vocabulary)
        name = Path(spec).name
    seen = asdict(wanted.seen)
    return Vectors(name, wanted.known(), asked, lookup=lookup, capitals=seen.pop("capitals"), **seen)


def _read(path: PathLike, wanted: Wanted, chosen: str | None, vocabulary: PathLike | None) -> None:
    form = format_of(path, chosen)
    if form == "npy":
        read_npy(path, wanted, vocabulary)
    elif form == "safetensors":
        read_safetensors(path, wanted, vocabulary)
    elif vocabulary is not None:
        raise UsageError(f"{os.fspath(path)} contains its words; a vocabulary is for npy and safetensors")
    else:
        with open_regular(path) as stream:
            _read_stream(stream, path, wanted, form)


def _read_stream(stream: BinaryIO, path: PathLike, wanted: Wanted, form: str) -> None:
    with storage_errors(path):
        size: int | None = os.fstat(stream.fileno()).st_size
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(0)
    if form == "binary":
        read_binary_vectors(stream, path, wanted, size=size or 0)
        return
    header = {"glove": False, "word2vec": True, "fasttext": True}.get(form)
    source = cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if packed else stream
    read_text_vectors(source, path, wanted, size=None if packed else size, header=header)


def _unit(vectors: Mapping[str, Floats], parts: Sequence[Sequence[str]]) -> Floats | None:
    """Return the direction of the mean vector of the known parts; the first known form of a part counts.

    None means that there is no direction. Numbers are scaled close to 1 before they are added or squared, so
    that neither overflows.
    """
    found = [next((vectors[form] for form in forms if form in vectors), None) for forms in parts]
    known = [vector for vector in found if vector is not None]
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
