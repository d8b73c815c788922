"""String columns of any make, turned into one checked layout: contiguous UTF-8 bytes and 64-bit offsets.

Kernels index memory without looking; so offsets and UTF-8 are checked here, once, before any of them runs.
`validate(full=True)` comes before every other call on foreign data: pyarrow trusts offsets (5 GB/s, noise).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from salva._types import Ints
from salva.errors import InputError

__all__ = ["BadRowError", "Strings", "as_strings", "repair"]


class BadRowError(InputError):
    """One row of a column is broken; `row` counts from 0, `problem` does not name it."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(f"row {row}: {problem}")
        self.row = row
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Strings:
    """A checked string column: row `i` is `data[offsets[i]:offsets[i + 1]]`, empty where it is null."""

    array: pa.LargeStringArray
    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.array)


def as_strings(values: Any) -> Strings:
    """Check a list, an Arrow array, a pandas or polars series, or an iterable of strings.

    >>> as_strings(["a", None, "bc"]).offsets.tolist()
    [0, 1, 1, 3]
    """
    chunks = _chunks(values)
    row, checked = 0, []
    for chunk in chunks:
        try:
            checked.append(_large(chunk))
        except BadRowError as error:
            raise BadRowError(row + error.row, error.problem) from None
        row += len(chunk)
    if not checked:
        checked.append(pa.array([], pa.large_string()))
    return _contiguous(checked[0] if len(checked) == 1 else pa.concat_arrays(checked))


def repair(values: pa.Array | pa.ChunkedArray) -> tuple[pa.LargeStringArray, list[int]]:
    """Return the column with bad bytes as U+FFFD, and the rows where there were any."""
    texts: list[str | None] = []
    bad: list[int] = []
    for chunk in _chunks(values):
        _check_layout(chunk)
        for value in _as_binary(chunk).to_pylist():
            text = None if value is None else value.decode("utf-8", "replace")
            if text is not None and text.encode() != value:
                bad.append(len(texts))
            texts.append(text)
    return pa.array(texts, pa.large_string()), bad


def _chunks(values: Any) -> list[pa.Array]:
    if isinstance(values, pa.Array):
        return [values]
    if isinstance(values, pa.ChunkedArray):
        return list(values.chunks)
    if hasattr(values, "__arrow_c_stream__"):
        return list(pa.chunked_array(values).chunks)
    if hasattr(values, "__arrow_c_array__"):
        return [pa.array(values)]
    if hasattr(values, "to_numpy"):
        return [pa.array(values, from_pandas=True)]
    return [_from_python(values)]


def _from_python(values: Iterable[Any]) -> pa.Array:
    values = list(values)
    try:
        return pa.array(values, pa.large_string())
    except (pa.ArrowException, UnicodeEncodeError):
        for row, value in enumerate(values):
            _check_python(row, value)
        raise


def _check_python(row: int, value: Any) -> None:
    if value is None:
        return
    if not isinstance(value, str):
        raise BadRowError(row, f"{value!r:.40} is {type(value).__name__}, not str")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        problem = (
            f"lone surrogate {value[error.start]!r} at position {error.start}; encode with errors='replace'"
        )
        raise BadRowError(row, problem) from None


def _large(chunk: pa.Array) -> pa.LargeStringArray:
    try:
        chunk.validate(full=True)
        return _decoded(chunk).cast(pa.large_string())
    except pa.ArrowInvalid as error:
        _check_layout(chunk)
        for row, value in enumerate(_as_binary(chunk).to_pylist()):
            _check_utf8(row, value)
        raise InputError(f"broken Arrow column: {error}") from None


def _decoded(chunk: pa.Array) -> pa.Array:
    kind = chunk.type
    if pa.types.is_dictionary(kind):
        return _decoded(chunk.dictionary_decode())
    if chunk.null_count == len(chunk):
        return pa.nulls(len(chunk))
    if _is_text(kind):
        return chunk
    raise InputError(f"column of type {kind} holds no text; expected strings")


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_binary_view(kind)
        or types.is_fixed_size_binary(kind)
    )


def _check_layout(chunk: pa.Array) -> None:
    """Refuse a column whose offsets point outside its data; text that is only bad UTF-8 passes."""
    if pa.types.is_dictionary(chunk.type):
        _check_layout(chunk.dictionary)
        indices = chunk.indices.drop_null()
        top = pc.max(indices).as_py()
        low = pc.min(indices).as_py()
        if top is not None and (top >= len(chunk.dictionary) or low < 0):
            raise InputError("broken Arrow column: a dictionary index is out of range")
        return
    try:
        chunk.validate()
    except pa.ArrowInvalid as error:
        raise InputError(f"broken Arrow column: {error}") from None
    if pa.types.is_string_view(chunk.type) or pa.types.is_binary_view(chunk.type):
        _check_views(chunk)
    elif len(chunk) and not pa.types.is_fixed_size_binary(chunk.type) and _is_text(chunk.type):
        _check_offsets(chunk)


def _check_offsets(chunk: pa.Array) -> None:
    wide = pa.types.is_large_string(chunk.type) or pa.types.is_large_binary(chunk.type)
    _, offsets, data = chunk.buffers()
    numbers: Ints = np.frombuffer(offsets, np.int64 if wide else np.int32)
    starts = numbers[chunk.offset : chunk.offset + len(chunk) + 1]
    size = data.size if data is not None else 0
    wrong = (starts[1:] < starts[:-1]) | (starts[:-1] < 0) | (starts[1:] > size)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise BadRowError(row, f"broken Arrow offsets ({starts[row]} to {starts[row + 1]} of {size} bytes)")


def _check_views(chunk: pa.Array) -> None:
    """Check as binary views, where a full validation looks at places and not at UTF-8."""
    try:
        chunk.view(pa.binary_view()).validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError(f"broken Arrow column: {error}") from None


def _as_binary(chunk: pa.Array) -> pa.Array:
    kind = chunk.type
    if pa.types.is_dictionary(kind):
        return _as_binary(chunk.dictionary).take(chunk.indices)
    if pa.types.is_string(kind):
        return chunk.view(pa.binary())
    if pa.types.is_large_string(kind):
        return chunk.view(pa.large_binary())
    if pa.types.is_string_view(kind):
        return chunk.view(pa.binary_view())
    return chunk


def _check_utf8(row: int, value: bytes | None) -> None:
    try:
        (value or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise BadRowError(row, f"byte 0x{byte:02x} at offset {error.start} is not UTF-8") from None


def _contiguous(array: pa.LargeStringArray) -> Strings:
    """Return the column with its first byte at 0; the bytes themselves are not copied."""
    size = len(array)
    validity, offsets, data = array.buffers()
    if size == 0:
        return Strings(pa.array([], pa.large_string()), np.empty(0, np.uint8), np.zeros(1, np.int64))
    starts = np.frombuffer(offsets, np.int64)[array.offset : array.offset + size + 1]
    first, last = int(starts[0]), int(starts[-1])
    bytes_ = data.slice(first, last - first) if data is not None else pa.py_buffer(b"")
    if array.offset or first:
        starts = starts - first
        validity = pc.is_valid(array).buffers()[1] if array.null_count else None
        parts = [validity, pa.py_buffer(starts), bytes_]
        array = pa.Array.from_buffers(pa.large_string(), size, parts)
    return Strings(array, np.frombuffer(bytes_, np.uint8), starts)
