"""Lines of JSON by kernels: many at a time, if nothing about them is odd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_numbers, valid_rows
from salva._types import Bytes, Ints64

AT_END = -1
_MOST_LINES = 1 << 14
_MOST_KEYS = 64


class PlainLines:
    """Finds plain lines of JSON: objects whose texts are strings, and whose keys are simple and differ."""

    def __init__(self, texts: Sequence[str], also: Sequence[str]) -> None:
        from salva._kernels.json_lines import Keys, Values

        names = [name.encode() for name in (*texts, *also)]
        ends = np.cumsum([0, *map(len, names)])
        self._texts = len(texts)
        self._keys = Keys(np.frombuffer(b"".join(names) + b"\0", np.uint8), ends, len(texts))
        lines, stops = np.empty((2, _MOST_LINES), np.int64)
        self._values = Values(lines, stops, *np.empty((2, _MOST_LINES, len(names)), np.int64))
        self._hashes = np.empty(_MOST_KEYS, np.uint64)

    def read(self, data: bytes, place: int) -> tuple[list[pa.Array], int]:
        """Return the columns of the plain lines from a place on, and where the first other line begins.

        The columns are the texts, the other values as JSON, the lines, and where each text begins and ends.
        """
        from salva._kernels.json_lines import find_values

        content = np.frombuffer(data, np.uint8)
        count, place = find_values(content, place, self._keys, self._hashes, self._values)
        lines, ends, starts, stops = (array[:count] for array in self._values)
        spans = [(starts[:, key].copy(), stops[:, key].copy()) for key in range(starts.shape[1])]
        texts = [_decode(content, lines + start, lines + stop) for start, stop in spans[: self._texts]]
        also = [
            _slices(content, lines + start, lines + stop, start >= 0) for start, stop in spans[self._texts :]
        ]
        numbers = [as_numbers(places) for span in spans[: self._texts] for places in span]
        return [*texts, *also, _slices(content, lines, ends, None), *numbers], place


class Insertion(NamedTuple):
    """A column of JSON, what precedes it, and the bytes it replaces in its line, or `AT_END`."""

    prefix: str
    values: pa.Array
    starts: Ints64
    stops: Ints64


def put_into_lines(lines: pa.Array, columns: Sequence[Insertion]) -> bytes:
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
        np.concatenate([column.data for column in new]),
        np.stack([column.offsets + first for column, first in zip(new, firsts, strict=True)]),
        np.frombuffer(b"".join(prefixes) + b"\0", np.uint8),
        np.cumsum([0, *map(len, prefixes)]),
        starts,
        stops,
    )
    added = len(insertions.data) + len(old) * (1 + sum(map(len, prefixes)))
    out = np.empty(len(old.data) + added - int((stops - starts).sum()), np.uint8)
    splice_lines(old.data, old.offsets, insertions, np.empty(len(columns), np.int64), out)
    return out.tobytes()


def encode_strings(column: pa.Array) -> pa.Array:
    """Return texts as JSON: strings in quotes, or null."""
    from salva._kernels import json_strings as kernels

    texts, valid = Strings.from_checked(column), valid_rows(column)
    ends = np.empty(len(texts) + 1, np.int64)
    kernels.measure_strings(texts.data, texts.offsets, valid, ends)
    out = np.empty(int(ends[-1]), np.uint8)
    kernels.encode_strings(texts.data, texts.offsets, valid, out)
    return Strings.of(out, ends).array


def _decode(content: Bytes, starts: Ints64, stops: Ints64) -> pa.Array:
    from salva._kernels.json_strings import decode_texts, measure_texts

    offsets, valid = np.empty(len(starts) + 1, np.int64), np.empty(len(starts), np.bool_)
    measure_texts(content, starts, stops, offsets, valid)
    out = np.empty(int(offsets[-1]), np.uint8)
    decode_texts(content, starts, stops, valid, out)
    return _masked(out, offsets, valid)


def _slices(content: Bytes, starts: Ints64, stops: Ints64, valid: np.ndarray | None) -> pa.Array:
    from salva._kernels.scanning import copy_slices

    sizes = stops - starts
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    out = np.empty(int(offsets[-1]), np.uint8)
    copy_slices(content, starts, stops, out)
    return _masked(out, offsets, np.ones(len(starts), np.bool_) if valid is None else valid)


def _masked(data: Bytes, offsets: Ints64, valid: np.ndarray) -> pa.Array:
    """Return strings as a column, null where they are not valid."""
    mask = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [mask, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(valid), buffers)
