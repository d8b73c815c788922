"""String columns from any source, converted to one checked layout: contiguous UTF-8 bytes and 64-bit offsets.

Kernels index memory without bounds checks, so offsets and UTF-8 are checked here, once, before any of them
runs. `validate(full=True)` precedes every other call on foreign data, because pyarrow trusts offsets; at
5 GB/s its cost is negligible. It skips the slots of nulls, so these are emptied.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from salva._types import Bools, Bytes, Ints, Ints64, PathLike
from salva.errors import InputError

_BINARY = {
    pa.string(): pa.binary(),
    pa.large_string(): pa.large_binary(),
    pa.string_view(): pa.binary_view(),
    **{plain: plain for plain in (pa.binary(), pa.large_binary(), pa.binary_view())},
}


class BadRowError(InputError):
    """One row of a column is broken; `row` counts from 0, `problem` does not include it."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(f"row {row}: {problem}")
        self.row = row
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Strings:
    """A checked string column: row `i` is `data[offsets[i]:offsets[i + 1]]`, empty where it is null."""

    array: pa.LargeStringArray
    data: Bytes
    offsets: Ints64

    def __post_init__(self) -> None:
        # Always read-only: kernels would be compiled again for writable arrays.
        self.data.flags.writeable = False
        self.offsets.flags.writeable = False

    def __len__(self) -> int:
        return len(self.array)

    @classmethod
    def of(cls, data: Bytes, offsets: Ints64, like: pa.Array | None = None) -> Strings:
        """Return a kernel's output as a column without copying, null where `like` is null.

        >>> Strings.of(np.frombuffer(b"abc", np.uint8), np.array([0, 1, 3])).array.to_pylist()
        ['a', 'bc']
        """
        buffers = [None if like is None else validity(like), pa.py_buffer(offsets), pa.py_buffer(data)]
        return cls(pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers), data, offsets)

    @classmethod
    def from_checked(cls, array: pa.LargeStringArray) -> Strings:
        """Return a column that was checked before, with its first byte at 0 and empty null slots.

        It is usually not copied.
        """
        if not len(array):
            return cls(pa.nulls(0, pa.large_string()), np.empty(0, np.uint8), np.zeros(1, np.int64))
        is_hidden = array.null_count and np.diff(_starts(array))[~valid_rows(array)].any()
        shown = array.fill_null("") if is_hidden else array
        starts = _starts(shown)
        first, last = int(starts[0]), int(starts[-1])
        data = np.frombuffer(shown.buffers()[2] or b"", np.uint8)[first:last]
        return cls.of(data, starts - first if first else starts, array)

    def rows(self, start: int, stop: int) -> Strings:
        """Return rows `start` to `stop` without copying the data."""
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        offsets = self.offsets[start : stop + 1] - first
        return Strings(self.array.slice(start, stop - start), self.data[first:last], offsets)


def as_strings(values: Any) -> Strings:
    """Check a list, an Arrow array, a pandas or polars series, or an iterable of strings.

    `Strings` are returned as they are.

    >>> as_strings(["a", None, "bc"]).offsets.tolist()
    [0, 1, 1, 3]
    """
    if isinstance(values, Strings):
        return values
    row, checked = 0, []
    for chunk in _chunks(values):
        try:
            checked.append(_large(chunk))
        except BadRowError as error:
            raise BadRowError(row + error.row, error.problem) from None
        row += len(chunk)
    if not checked:
        checked.append(pa.nulls(0, pa.large_string()))
    return Strings.from_checked(checked[0] if len(checked) == 1 else pa.concat_arrays(checked))


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are UTF-8; `bytes.decode` would also make a string."""
    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def open_disk(path: PathLike) -> pa.NativeFile:
    """Open a file for Arrow, whatever its name; not as a memory map, which dies if the file is truncated."""
    return pa.OSFile(os.fsencode(path))  # Arrow takes a str only if it is UTF-8


def ints(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return the numbers of an Arrow column without nulls, not copied; `to_numpy` would import pandas."""
    array = one_array(column)
    count = array.offset + len(array)
    numbers: NDArray[Any] = np.frombuffer(array.buffers()[1], array.type.to_pandas_dtype(), count)
    return numbers[array.offset :]


def ints_or(column: pa.Array | pa.ChunkedArray, missing: int) -> NDArray[Any]:
    """Return the numbers of an Arrow column, with another one in place of null."""
    array = one_array(column)
    return np.where(valid_rows(array), ints(array), missing)


def flags(column: pa.Array | pa.ChunkedArray) -> Bools:
    """Return the truths of an Arrow column; null is false."""
    array = one_array(column)
    return _truths(array) & valid_rows(array) if len(array) else np.empty(0, np.bool_)


def is_text(column: pa.Array | pa.ChunkedArray, text: str) -> pa.Array | pa.ChunkedArray:
    """Return which rows have a text; to compare with a string of Python's would import pandas."""
    return pc.is_in(column, value_set=repeated(text, 1).cast(column.type))


def one_array(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    if isinstance(column, pa.Array):
        return column
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)


def repeated(text: str, times: int) -> pa.StringArray:
    """Return a column with the same text in all rows; `pa.repeat` would import pandas."""
    data = text.encode()
    offsets = np.arange(times + 1, dtype=np.int32) * len(data)
    return pa.Array.from_buffers(
        pa.string(), times, [None, pa.py_buffer(offsets), pa.py_buffer(data * times)]
    )


def as_numbers(values: Ints, like: pa.Array | None = None) -> pa.Array:
    """Return numbers as an Arrow array that shares their memory, null where `like` is null.

    `pa.array` would import pandas.

    >>> as_numbers(np.array([1, 2], np.int16)).type
    DataType(int16)
    """
    buffers = [None if like is None else validity(like), pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), buffers)


def as_floats(values: NDArray[Any]) -> pa.Array:
    """Return numbers as an Arrow array, NaN as null."""
    valid = pa.py_buffer(np.packbits(~np.isnan(values), bitorder="little"))
    buffers = [valid, pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), buffers)


def validity(array: pa.Array) -> pa.Buffer | None:
    """Return the validity bitmap, starting at the first row; None if no row is null."""
    return array.is_valid().buffers()[1] if array.null_count else None


def repair(column: pa.Array) -> tuple[pa.LargeStringArray, list[int]]:
    """Return the column with bad bytes replaced by U+FFFD, and the rows that had any."""
    values = _checked_binary(column).to_pylist()
    texts = [None if value is None else value.decode("utf-8", "replace") for value in values]
    bad = [row for row, text in enumerate(texts) if text is not None and text.encode() != values[row]]
    return pa.array(texts, pa.large_string()), bad


def supported_type(data_type: pa.DataType) -> pa.DataType | None:
    """Return the type as which a foreign column can be filtered, copied and written; None if there is none.

    Views and run-end encoded columns become plain columns. Inside lists and structs they are refused, like
    unions: Arrow validates them poorly and supports few operations on them.
    """
    if _is_view(data_type):
        return pa.large_string() if pa.types.is_string_view(data_type) else pa.large_binary()
    if pa.types.is_run_end_encoded(data_type):
        return supported_type(data_type.value_type)
    return None if _holds_odd_types(data_type) else data_type


def _is_view(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(data_type) or pa.types.is_binary_view(data_type))


def _holds_odd_types(data_type: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(data_type):
        return types.is_nested(data_type.value_type) or _holds_odd_types(data_type.value_type)
    odd = (_is_view, types.is_list_view, types.is_union, types.is_run_end_encoded)
    inner = (data_type.field(i).type for i in range(data_type.num_fields))
    return any(test(data_type) for test in odd) or any(map(_holds_odd_types, inner))


def as_supported(column: pa.Array) -> pa.Array:
    """Return a foreign column as its `supported_type`, with the null slots of views emptied."""
    if pa.types.is_run_end_encoded(column.type):
        _validate(column, full=True)
        return as_supported(pc.run_end_decode(column))
    if _is_view(column.type):
        binary = _checked_binary(column)
        return binary if pa.types.is_binary_view(column.type) else _as_text(binary)
    return column


def _as_text(binary: pa.LargeBinaryArray) -> pa.LargeStringArray:
    """Return the same bytes as strings, unchecked."""
    buffers = binary.buffers()
    return pa.Array.from_buffers(pa.large_string(), len(binary), buffers, offset=binary.offset)


def _chunks(values: Any) -> list[pa.Array]:
    if isinstance(values, pa.Array):
        return [values]
    if isinstance(values, pa.ChunkedArray):
        return list(values.chunks)
    if isinstance(values, str | bytes):
        raise InputError(f"{values!r:.40} is one text, not a column; pass a list")
    if not hasattr(values, "__iter__"):
        raise InputError(f"{values!r:.40} is {type(values).__name__}, not a column; pass a list of strings")
    if hasattr(values, "__arrow_c_stream__"):
        with contextlib.suppress(pa.ArrowException, UnicodeEncodeError):
            return list(pa.chunked_array(values).chunks)
    elif hasattr(values, "__arrow_c_array__"):
        return [pa.array(values)]
    return [_from_python(values)]


def _from_python(values: Iterable[Any]) -> pa.LargeBinaryArray:
    # `pa.array` imports pandas if it is installed, which takes a third of a second.
    values = list(values)
    try:
        encoded = [b"" if value is None else value.encode() for value in values]
    except (AttributeError, UnicodeEncodeError):
        values = [_as_bytes(row, value) for row, value in enumerate(values)]
        encoded = [value or b"" for value in values]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    missing = [value is None for value in values]
    validity = pa.py_buffer(np.packbits(np.logical_not(missing), bitorder="little")) if any(missing) else None
    buffers = [validity, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_binary(), len(values), buffers)


def _as_bytes(row: int, value: Any) -> bytes | None:
    """Return one value as UTF-8 bytes, None for the null values of pandas."""
    is_nan = isinstance(value, float) and math.isnan(value)
    if is_nan or value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise BadRowError(row, f"{value!r:.40} is {type(value).__name__}, not str")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        place = error.start
        problem = f"lone surrogate {value[place]!r} at position {place}; encode with errors='replace'"
        raise BadRowError(row, problem) from None


def _large(chunk: pa.Array) -> pa.LargeStringArray:
    """Return a validated chunk as `large_string`."""
    binary = _checked_binary(chunk)
    column = _as_text(binary)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        for row, value in enumerate(binary.to_pylist()):
            try:
                (value or b"").decode()
            except UnicodeDecodeError as fault:
                problem = f"byte 0x{value[fault.start]:02x} at offset {fault.start} is not UTF-8"
                raise BadRowError(row, problem) from None
        raise InputError(f"broken Arrow column: {error}") from None
    return column


def _checked_binary(chunk: pa.Array) -> pa.LargeBinaryArray:
    """Return the bytes of a column after checking its layout, but not its UTF-8."""
    types = pa.types
    if types.is_run_end_encoded(chunk.type):
        return _checked_binary(as_supported(chunk))
    if types.is_dictionary(chunk.type):
        words = _checked_binary(chunk.dictionary)
        _validate(chunk.indices)
        try:
            return words.take(chunk.indices)
        except IndexError:
            raise InputError("broken Arrow column: a dictionary index is out of range") from None
    if _is_view(chunk.type):
        chunk = _clean_views(chunk)
    _validate(chunk)
    if chunk.type not in _BINARY and not types.is_fixed_size_binary(chunk.type):
        if chunk.null_count < len(chunk):
            raise InputError(f"column of type {chunk.type} does not hold text; expected strings")
        return pa.nulls(len(chunk), pa.large_binary())
    binary = chunk.view(_BINARY.get(chunk.type, chunk.type))  # so that Arrow does not check its UTF-8
    _validate(binary, full=True)
    return binary.cast(pa.large_binary())


def _validate(chunk: pa.Array, *, full: bool = False) -> None:
    try:
        chunk.validate(full=full)
    except pa.ArrowException as error:
        raise InputError(f"broken Arrow column: {error}") from None


def _clean_views(chunk: pa.Array) -> pa.Array:
    """Return a column of views with empty null slots, which Arrow would copy without checking."""
    _validate(chunk)
    if chunk.null_count == 0:
        return chunk
    validity, views, *data = chunk.buffers()
    slots = np.frombuffer(views, "V16", chunk.offset + len(chunk)).copy()
    slots[chunk.offset :][~valid_rows(chunk)] = np.zeros(1, "V16")
    buffers = [validity, pa.py_buffer(slots.tobytes()), *data]
    return pa.Array.from_buffers(chunk.type, len(chunk), buffers, offset=chunk.offset)


def valid_rows(array: pa.Array) -> Bools:
    """Return which rows are not null; `to_numpy` would import pandas if it is installed."""
    return _truths(pc.is_valid(array))


def _truths(array: pa.BooleanArray) -> Bools:
    bits = np.frombuffer(array.buffers()[1], np.uint8)
    found = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    return found[array.offset :].astype(np.bool_)


def _starts(array: pa.LargeStringArray) -> Ints64:
    return np.frombuffer(array.buffers()[1], np.int64, array.offset + len(array) + 1)[array.offset :]
