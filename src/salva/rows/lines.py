"""Lines of JSON by kernels: many at a time, if nothing about them is odd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_numbers, room, valid_rows
from salva._types import Bytes, Ints64

if TYPE_CHECKING:
    from salva._kernels.json_lines import Keys

AT_END = -1
_MOST_LINES = 1 << 14
_MOST_KEYS = 64


class PlainLines:
    """Finds plain lines of JSON: objects whose texts are strings, and whose keys are simple and differ."""

    def __init__(self, texts: Sequence[str], also: Sequence[str], placed: int = 0) -> None:
        from salva._kernels.json_lines import Values

        self._texts, self._placed = len(texts), placed
        self._keys = _wanted([*texts, *also], len(texts))
        lines, stops = np.empty((2, _MOST_LINES), np.int64)
        first, last = np.empty((2, _MOST_LINES, len(texts) + len(also)), np.int64)
        self._values = Values(lines, stops, first, last, np.empty((_MOST_LINES, len(texts)), np.int64))
        self._hashes = np.empty(_MOST_KEYS, np.uint64)

    def read(self, data: bytes, place: int) -> tuple[list[pa.Array], int]:
        """Return the columns of the plain lines from a place on, and where the first other line begins.

        The columns are the texts, the other values as JSON, the lines, and where each of the first `placed`
        values begins and ends.
        """
        from salva._kernels.json_lines import find_values

        content = np.frombuffer(data, np.uint8)
        count, place = find_values(content, place, self._keys, self._hashes, self._values)
        lines, ends, starts, stops, sizes = (array[:count] for array in self._values)
        spans = [(starts[:, key].copy(), stops[:, key].copy()) for key in range(starts.shape[1])]
        texts = [_decoded(content, *spans[text], sizes[:, text]) for text in range(self._texts)]
        also = [_slices(content, start, stop, start >= 0) for start, stop in spans[self._texts :]]
        numbers = [
            as_numbers(np.where(places < 0, AT_END, places - lines))
            for span in spans[: self._placed]
            for places in span
        ]
        return [*texts, *also, _slices(content, lines, ends, None), *numbers], place

    def copy(self, data: bytes) -> tuple[list[pa.Array], int]:
        """Return the first plain lines with their texts as a writer encodes them, and where another begins.

        They come in several columns if there are very many.
        """
        from salva._kernels.json_copies import copy_lines

        content, place, copied = np.frombuffer(data, np.uint8), 0, []
        while place < len(data):
            offsets, out = np.empty(_MOST_LINES + 1, np.int64), room(len(data) - place + 1)
            rest = (self._hashes, self._values.starts[0], self._values.stops[0], offsets, out)
            count, place = copy_lines(content, place, self._keys, *rest)
            if not count:
                break
            copied.append(Strings.of(out[: offsets[count]], offsets[: count + 1]).array)
        return copied, place


def split_lines(
    lines: Strings, parse: Callable[[str], Mapping[str, tuple[int, int]]]
) -> dict[str, tuple[Ints64, Ints64]] | None:
    """Return where the values of all keys begin and end in the data of the lines; -1 where there is none.

    `parse` splits lines that are odd or have a new key. Returns None if there are too many keys for kernels.
    """
    from salva._kernels import json_lines as kernels

    numbers: dict[str, int] = {}
    keys, hashes = _wanted([]), np.empty(_MOST_KEYS, np.uint64)
    starts, stops = np.full((2, len(lines), 0), -1)
    row = kernels.split_lines(lines.data, lines.offsets, 0, keys, hashes, starts, stops)
    while row < len(lines):
        line = lines.array[row].as_py()
        spans = parse(line)
        new = [key for key in spans if key not in numbers]
        if len(numbers) + len(new) > _MOST_KEYS:
            return None
        if new:
            numbers.update(zip(new, range(len(numbers), len(numbers) + len(new)), strict=True))
            keys, nowhere = _wanted(list(numbers)), np.full((len(lines), len(new)), -1)
            starts, stops = np.hstack([starts, nowhere]), np.hstack([stops, nowhere])
        starts[row], stops[row] = -1, -1
        for key, span in spans.items():
            places = (lines.offsets[row] + len(line[:place].encode()) for place in span)
            starts[row, numbers[key]], stops[row, numbers[key]] = places
        row = kernels.split_lines(lines.data, lines.offsets, row + 1, keys, hashes, starts, stops)
    return {key: (starts[:, k].copy(), stops[:, k].copy()) for key, k in numbers.items()}


def _wanted(names: Sequence[str], texts: int = 0) -> Keys:
    from salva._kernels.json_lines import Keys

    encoded = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, encoded)])
    return Keys(np.frombuffer(b"".join(encoded) + b"\0", np.uint8), ends, texts)


class Insertion(NamedTuple):
    """A column of JSON, what precedes it, and the bytes it replaces in its line, or `AT_END`."""

    prefix: str
    values: pa.Array
    starts: Ints64
    stops: Ints64


def put_into_lines(lines: pa.Array, columns: Sequence[Insertion]) -> memoryview:
    """Return lines of JSON with the columns put into them."""
    from salva._kernels.json_lines import Insertions, splice_lines

    old = Strings.from_checked(lines)
    new = [Strings.from_checked(column.values) for column in columns]
    prefixes = [column.prefix.encode() for column in columns]
    firsts = np.cumsum([0, *(len(column.data) for column in new[:-1])])
    starts, stops = (
        np.stack([column.starts for column in columns]),
        np.stack([column.stops for column in columns]),
    )
    insertions = Insertions(
        new[0].data if len(new) == 1 else np.concatenate([column.data for column in new]),
        np.stack([column.offsets + first for column, first in zip(new, firsts, strict=True)]),
        np.frombuffer(b"".join(prefixes) + b"\0", np.uint8),
        np.cumsum([0, *map(len, prefixes)]),
        starts,
        stops,
    )
    added = len(insertions.data) + len(old) * (1 + sum(map(len, prefixes)))
    out = room(len(old.data) + added - int((stops - starts).sum()))
    splice_lines(old.data, old.offsets, insertions, np.empty(len(columns), np.int64), out)
    return out.data


def encode_strings(column: pa.Array) -> pa.Array:
    """Return texts as JSON: strings in quotes, or null."""
    from salva._kernels import json_strings as kernels

    texts, valid = Strings.from_checked(column), valid_rows(column)
    ends = np.empty(len(texts) + 1, np.int64)
    kernels.measure_strings(texts.data, texts.offsets, valid, ends)
    out = room(int(ends[-1]))
    kernels.encode_strings(texts.data, texts.offsets, valid, out)
    return Strings.of(out, ends).array


def decode_values(content: Bytes, starts: Ints64, stops: Ints64) -> pa.Array:
    """Return JSON values as texts, null where they are null or begin at -1; refuse half a surrogate pair."""
    from salva._kernels import json_strings as kernels

    offsets, valid = np.empty(len(starts) + 1, np.int64), np.empty(len(starts), np.bool_)
    if kernels.measure_values(content, starts, stops, offsets, valid) >= 0:
        raise ValueError("half a surrogate pair")
    out = room(int(offsets[-1]))
    kernels.decode_values(content, starts, stops, valid, offsets, out)
    return _masked(out, offsets, valid)


def _decoded(content: Bytes, starts: Ints64, stops: Ints64, sizes: Ints64) -> pa.Array:
    """Return texts whose sizes are known, null where these are negative."""
    from salva._kernels.json_strings import decode_values as decode

    valid = sizes >= 0
    offsets = np.concatenate([[0], np.cumsum(np.maximum(sizes, 0))])
    out = room(int(offsets[-1]))
    decode(content, starts, stops, valid, offsets, out)
    return _masked(out, offsets, valid)


def _slices(content: Bytes, starts: Ints64, stops: Ints64, valid: np.ndarray | None) -> pa.Array:
    from salva._kernels.scanning import copy_slices

    sizes = stops - starts
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    out = room(int(offsets[-1]))
    copy_slices(content, starts, stops, out)
    return _masked(out, offsets, np.ones(len(starts), np.bool_) if valid is None else valid)


def _masked(data: Bytes, offsets: Ints64, valid: np.ndarray) -> pa.Array:
    """Return strings as a column, null where they are not valid."""
    mask = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [mask, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(valid), buffers)
