"""Rows of csv as bytes: where their cells are, the cells as columns, and columns as rows again.

Only plain rows are read here: complete, with the expected number of cells, and quoted as they should be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from salva._kernels.jit import kernel, step
from salva._kernels.scanning import EIGHT, ONES, find_byte, first_byte, zero_bytes
from salva._kernels.strings import copy_bytes, eight_bytes
from salva._types import Bytes, Ints64

U64 = np.uint64
QUOTE, LF, CR = 34, 10, 13


class CellSpans(NamedTuple):
    """Cells in the order of the file: where each begins and ends, without quotes, and its doubled quotes."""

    starts: Ints64
    stops: Ints64
    doubled: Ints64


@step
def find_cell_end(data: Bytes, place: int, delimiter: int) -> int:
    """Return where a cell without quotes ends: at a delimiter, at the end of its line, or of the data."""
    delimiters, ends, returns = U64(delimiter) * ONES, U64(LF) * ONES, U64(CR) * ONES
    while place + EIGHT <= len(data):
        bits = eight_bytes(data, U64(place))
        found = zero_bytes(bits ^ delimiters) | zero_bytes(bits ^ ends) | zero_bytes(bits ^ returns)
        if found != U64(0):
            return place + first_byte(found)
        place += EIGHT
    while place < len(data) and data[place] != delimiter and data[place] != LF and data[place] != CR:
        place += 1
    return place


@step
def line_end(data: Bytes, place: int) -> int:
    """Return the length of the line end at a place: 1, 2, or 0 if there is none."""
    if data[place] == LF:
        return 1
    return 2 if data[place] == CR and place + 1 < len(data) and data[place + 1] == LF else 0


@step
def find_cell(data: Bytes, place: int, delimiter: int, cell: int, spans: CellSpans) -> int:
    """Note the cell that begins at a place; return where it ends, with its quotes, or the end of the data."""
    doubled = 0
    if data[place] != QUOTE:
        end = find_cell_end(data, place, delimiter)
        spans.starts[cell], spans.stops[cell], spans.doubled[cell] = place, end, doubled
        return end
    end = find_byte(data, place + 1, len(data), QUOTE)
    while end + 1 < len(data) and data[end + 1] == QUOTE:
        doubled += 1
        end = find_byte(data, end + 2, len(data), QUOTE)
    spans.starts[cell], spans.stops[cell], spans.doubled[cell] = place + 1, end, doubled
    return min(end + 1, len(data))


@step
def find_row(data: Bytes, place: int, delimiter: int, first: int, width: int, spans: CellSpans) -> int:
    """Note the cells of a row; return where the next row begins, or -1 if this one is not plain."""
    for cell in range(first, first + width):
        place = find_cell(data, place, delimiter, cell, spans)
        if place >= len(data):
            return -1
        if cell == first + width - 1:
            break
        if data[place] != delimiter or place + 1 == len(data):
            return -1
        place += 1
    end = line_end(data, place)
    return place + end if end else -1


@kernel
def find_cells(data: Bytes, place: int, delimiter: int, width: int, spans: CellSpans) -> tuple[int, int]:
    """Note the cells of all rows until one is not plain; return their number and where that one begins."""
    rows, most = 0, len(spans.starts) // width
    while place < len(data) and rows < most:
        blank = line_end(data, place)
        if blank:
            place += blank
            continue
        following = find_row(data, place, delimiter, rows * width, width, spans)
        if following < 0:
            break
        place = following
        rows += 1
    return rows, place


@kernel
def measure_column(spans: CellSpans, column: int, width: int, offsets: Ints64) -> None:
    """Fill the offsets of a column of cells."""
    offsets[0] = 0
    for row in range(len(offsets) - 1):
        cell = row * width + column
        size = spans.stops[cell] - spans.starts[cell] - spans.doubled[cell]
        offsets[row + 1] = offsets[row] + size


@kernel
def copy_column(data: Bytes, spans: CellSpans, column: int, width: int, rows: int, out: Bytes) -> None:
    """Copy a column of cells, with one quote for two."""
    size = 0
    for row in range(rows):
        cell = row * width + column
        place = spans.starts[cell]
        for _ in range(spans.doubled[cell]):
            quote = find_byte(data, place, len(data), QUOTE)
            size = copy_bytes(data, place, quote + 1, size, out)
            place = quote + 2
        size = copy_bytes(data, place, spans.stops[cell], size, out)


@step
def find_special(data: Bytes, place: int, stop: int, delimiter: int) -> int:
    """Return the next place of a cell because of which it needs quotes, or its end."""
    delimiters, ends, returns = U64(delimiter) * ONES, U64(LF) * ONES, U64(CR) * ONES
    quotes = U64(QUOTE) * ONES
    while place + EIGHT <= len(data) and place < stop:
        bits = eight_bytes(data, U64(place))
        found = zero_bytes(bits ^ delimiters) | zero_bytes(bits ^ quotes)
        found |= zero_bytes(bits ^ ends) | zero_bytes(bits ^ returns)
        if found != U64(0):
            return min(place + first_byte(found), stop)
        place += EIGHT
    while place < stop and data[place] not in (delimiter, QUOTE, LF, CR):
        place += 1
    return min(place, stop)


@step
def count_quotes(data: Bytes, start: int, stop: int, delimiter: int, needed: bool) -> int:
    """Return how many quotes a cell needs: none, or two and one for each that is in it."""
    place = find_special(data, start, stop, delimiter)
    if place == stop and not needed:
        return 0
    quotes = 2
    place = find_byte(data, place, stop, QUOTE)
    while place < stop:
        quotes += 1
        place = find_byte(data, place + 1, stop, QUOTE)
    return quotes


@kernel
def measure_rows(data: Bytes, offsets: Ints64, delimiter: int, quotes: Ints64) -> int:
    """Count the quotes of every cell; return the size of all rows. Each row of `offsets` is a column."""
    width, size = len(offsets), 0
    for row in range(offsets.shape[1] - 1):
        for column in range(width):
            start, stop = offsets[column, row], offsets[column, row + 1]
            # An unquoted empty cell alone on its line would be an empty line, which readers skip.
            alone = width == 1 and start == stop
            quotes[column, row] = count_quotes(data, start, stop, delimiter, alone)
            size += stop - start + quotes[column, row] + 1
    return size


@step
def put_quoted(data: Bytes, start: int, stop: int, quotes: int, size: int, out: Bytes) -> int:
    """Write a cell in quotes, with two quotes for one; return the end."""
    out[size] = QUOTE
    size += 1
    for _ in range(quotes - 2):
        quote = find_byte(data, start, stop, QUOTE)
        size = copy_bytes(data, start, quote + 1, size, out)
        out[size] = QUOTE
        size += 1
        start = quote + 1
    size = copy_bytes(data, start, stop, size, out)
    out[size] = QUOTE
    return size + 1


@kernel
def write_rows(data: Bytes, offsets: Ints64, delimiter: int, quotes: Ints64, out: Bytes) -> None:
    """Write columns as rows of csv."""
    width, size = len(offsets), 0
    for row in range(offsets.shape[1] - 1):
        for column in range(width):
            start, stop = offsets[column, row], offsets[column, row + 1]
            if quotes[column, row]:
                size = put_quoted(data, start, stop, quotes[column, row], size, out)
            else:
                size = copy_bytes(data, start, stop, size, out)
            out[size] = LF if column == width - 1 else delimiter
            size += 1


@step
def is_as_written(data: Bytes, begin: int, end: int, delimiter: int, width: int) -> bool:
    """Return whether a cell, with its quotes if it has any, is what `write_rows` makes of it."""
    if data[begin] != QUOTE:
        return find_byte(data, begin, end, QUOTE) == end
    empty = end - begin == 2
    return (empty and width == 1) or find_special(data, begin + 1, end - 1, delimiter) < end - 1


@step
def put_as_written(
    data: Bytes, begin: int, end: int, delimiter: int, width: int, size: int, out: Bytes
) -> int:
    """Write a cell, given with its quotes, as `write_rows` does; return the end."""
    if is_as_written(data, begin, end, delimiter, width):
        return copy_bytes(data, begin, end, size, out)
    if data[begin] == QUOTE:
        return copy_bytes(data, begin + 1, end - 1, size, out)
    return put_quoted(data, begin, end, count_quotes(data, begin, end, delimiter, False), size, out)


@kernel
def copy_rows(
    data: Bytes, place: int, delimiter: int, longest: int, spans: CellSpans, offsets: Ints64, out: Bytes
) -> tuple[int, int]:
    """Write rows as `write_rows` does, until one is not plain or too long.

    Return their number and where that one begins. `spans` has room for the cells of one row. A row becomes
    at most twice as long: one quote per quote, and two for each cell with one, which has another character.
    """
    rows, size, width = 0, 0, len(spans.starts)
    offsets[0] = 0
    while place < len(data) and rows < len(offsets) - 1:
        blank = line_end(data, place)
        if blank:
            place += blank
            continue
        following = find_row(data, place, delimiter, 0, width, spans)
        if following < 0 or following - place > longest:
            break
        for cell in range(width):
            end = spans.stops[cell] + (data[place] == QUOTE)
            size = put_as_written(data, place, end, delimiter, width, size, out)
            out[size] = LF if cell == width - 1 else delimiter
            size += 1
            place = end + 1
        rows += 1
        offsets[rows] = size
        place = following
    return rows, place
