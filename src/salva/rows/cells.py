"""Cells of csv by kernels: many rows at a time, if nothing about them is odd."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, room
from salva._types import Ints64

_MOST_CELLS = 1 << 17
_MOST_ROWS = 1 << 14


class PlainRows:
    """Finds plain rows of csv: complete, with the expected number of cells, and quoted as they should be."""

    def __init__(self, delimiter: str, width: int) -> None:
        from salva._kernels.cells import CellSpans

        self._delimiter, self._width = ord(delimiter), width
        starts, stops, doubled = np.empty((3, max(width, _MOST_CELLS)), np.int64)
        self._spans = CellSpans(starts, stops, doubled)

    def read(self, data: bytes, place: int) -> tuple[list[pa.Array], int]:
        """Return the columns of the plain rows from a place on, and where the first other row begins."""
        from salva._kernels.cells import find_cells

        content = np.frombuffer(data, np.uint8)
        rows, place = find_cells(content, place, self._delimiter, self._width, self._spans)
        return [self._column(content, column, rows) for column in range(self._width)], place

    def copy(self, data: bytes, place: int, longest: int) -> tuple[list[pa.Array], int]:
        """Return the plain rows from a place on as `encode_plain` writes them, and where another row begins.

        So does a row with more than `longest` bytes. They come in several columns if there are very many.
        """
        from salva._kernels.cells import CellSpans, copy_rows

        content, copied = np.frombuffer(data, np.uint8), []
        spans = CellSpans(*(array[: self._width] for array in self._spans))
        while place < len(data):
            offsets, out = np.empty(_MOST_ROWS + 1, np.int64), room(2 * (len(data) - place))
            rows, place = copy_rows(content, place, self._delimiter, longest, spans, offsets, out)
            if not rows:
                break
            copied.append(Strings.of(out[: offsets[rows]], offsets[: rows + 1]).array)
        return copied, place

    def _column(self, content: np.ndarray, column: int, rows: int) -> pa.Array:
        from salva._kernels.cells import copy_column, measure_column

        offsets = np.empty(rows + 1, np.int64)
        measure_column(self._spans, column, self._width, offsets)
        out = room(int(offsets[-1]))
        copy_column(content, self._spans, column, self._width, rows, out)
        return Strings.of(out, offsets).array


def encode_plain(columns: Sequence[pa.Array], delimiter: str) -> memoryview:
    """Return columns of strings as lines of csv, with quotes only where needed."""
    from salva._kernels.cells import measure_rows, write_rows

    cells = [Strings.from_checked(column) for column in columns]
    data = room(sum(len(column.data) for column in cells))
    np.concatenate([column.data for column in cells], out=data)
    firsts = np.cumsum([0, *(len(column.data) for column in cells[:-1])])
    offsets: Ints64 = np.stack([column.offsets + first for column, first in zip(cells, firsts, strict=True)])
    quotes = np.empty((len(cells), len(cells[0])), np.int64)
    out = room(measure_rows(data, offsets, ord(delimiter), quotes))
    write_rows(data, offsets, ord(delimiter), quotes, out)
    return out.data
