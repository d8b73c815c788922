"""Opens files of vectors: the table of formats, and the refusal of files that can run code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

from salva._arguments import argument, check_choice
from salva._files import open_regular, storage_errors
from salva._progress import ProgressOption, tracking
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.vectors.arrays import is_npy, read_glove_package, read_npy, read_safetensors
from salva.outliers.vectors.binary import is_binary, read_binary
from salva.outliers.vectors.lookup import CHAIN, Lookup
from salva.outliers.vectors.selection import Selection
from salva.outliers.vectors.similarities import Similarities, Vectors
from salva.outliers.vectors.text import read_text

_SAMPLE = 1 << 16
_PICKLES = {".joblib", ".kv", ".model", ".pickle", ".pkl", ".pt", ".pth"}
_FASTTEXT = (793_712_314).to_bytes(4, "little")


class VectorFormat(NamedTuple):
    """A format of vector files: the suffix or the test of the first bytes that shows it, and its reader.

    A format with a separate vocabulary has a reader that takes the path of the vocabulary as well.
    """

    read: Callable[..., None]
    suffix: str | None = None
    detect: Callable[[PathLike, bytes], bool] = lambda path, sample: False
    separate_words: bool = False


# In the order in which they are detected; what is none of them is text, whose first line shows the rest.
FORMATS = {
    "npy": VectorFormat(read_npy, ".npy", is_npy, separate_words=True),
    "safetensors": VectorFormat(read_safetensors, ".safetensors", separate_words=True),
    "binary": VectorFormat(read_binary, detect=is_binary),
    "glove": VectorFormat(partial(read_text, header=False)),
    "word2vec": VectorFormat(partial(read_text, header=True)),
    "fasttext": VectorFormat(partial(read_text, header=True)),
}
# The formats whose words are in a file of their own.
SEPARATE = tuple(name for name, form in FORMATS.items() if form.separate_words)
_CONVERT = f"save the vectors in a format that Salva reads ({', '.join(FORMATS)})"


def open_vectors(
    spec: PathLike,
    words: Iterable[str],
    *,
    chain: Sequence[str] | str = CHAIN,
    format: str | None = None,  # noqa: A002  (as everywhere in Salva)
    vocabulary: PathLike | None = None,
    progress: ProgressOption = False,
) -> Vectors:
    """Read the vectors of some words from a file, or from the package behind `glove`; the rest is skipped.

    The format is detected from the content unless `format` names it. Text may be compressed with gzip.
    `vocabulary` is for formats whose words are in a file of their own. `progress` is as for `salva.evaluate`.
    """
    requested, lookup = list(words), Lookup.of(chain)
    if os.fspath(spec) == "glove" and vocabulary is not None:
        remedy = f"leave {argument('vocabulary')} out"
        raise UsageError(f"the package behind 'glove' has its own vocabulary; {remedy}")
    with tracking(progress) as tracker:
        selection = Selection(lookup.needed(requested), tracker)
        tracker.begin("reading vectors", "words")
        if os.fspath(spec) == "glove":
            read_glove_package(selection)
        else:
            _read(spec, selection, format, vocabulary)
    return Vectors(Path(spec).name, selection.known(), requested, lookup=lookup, **asdict(selection.counts))


def as_similarities(
    vectors: Similarities | PathLike,
    words: Iterable[str],
    *,
    chain: Sequence[str] | str = CHAIN,
    progress: ProgressOption = False,
) -> Similarities:
    """Return similarities as they are, and open anything that `open_vectors` takes."""
    if isinstance(vectors, str | os.PathLike):
        return open_vectors(vectors, words, chain=chain, progress=progress)
    return vectors


def _read(path: PathLike, selection: Selection, name: str | None, vocabulary: PathLike | None) -> None:
    form = _detect_format(path, name)
    if form.separate_words:
        form.read(path, selection, vocabulary)
    elif vocabulary is not None:
        others = " and ".join(SEPARATE)
        raise UsageError(f"{os.fspath(path)} contains its words; a vocabulary is for {others}")
    else:
        form.read(path, selection)


def _detect_format(path: PathLike, name: str | None) -> VectorFormat:
    """Return the named format, or else the detected one, after refusing files that can run code."""
    if name is not None:
        check_choice("format", name, FORMATS)
    with open_regular(path) as stream, storage_errors(path):
        sample = stream.read(_SAMPLE)
    if not sample:
        raise InputError.at(path, None, "is empty")
    _refuse_code(path, sample)
    if name is not None:
        return FORMATS[name]
    suffix = Path(path).suffix.lower()
    fitting = (form for form in FORMATS.values() if suffix == form.suffix or form.detect(path, sample))
    return next(fitting, VectorFormat(read_text))


def _refuse_code(path: PathLike, sample: bytes) -> None:
    suffix = Path(os.fspath(path).removesuffix(".gz")).suffix.lower()
    pickled = sample[0] == 0x80 and sample[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if pickled or suffix in _PICKLES:
        problem = "is a pickle (PyTorch, gensim or joblib), which can run code when it is read"
        raise InputError.at(path, None, f"{problem}; {_CONVERT}")
    if sample.startswith(b"PK\x03\x04"):
        problem = "is an archive (npz, PyTorch or zip), which is not opened"
        raise InputError.at(path, None, f"{problem}; {_CONVERT}")
    if sample.startswith(_FASTTEXT):
        problem = "is a fastText model (.bin)"
        raise InputError.at(path, None, f"{problem}; use its .vec file, or fasttext's bin_to_vec")
