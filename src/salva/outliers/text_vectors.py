"""Vectors as text: one line per word with its numbers, as GloVe, word2vec and fastText (.vec) write them.

Files are read in blocks. In most lines, only the gaps between fields and the last characters of numbers are
checked, which is enough to refuse a row of another length or a `nan` with its line. Only the numbers of
wanted words are parsed.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from salva._files import storage_errors
from salva._show import number_of
from salva._types import Bools, Bytes, PathLike, Uints32
from salva.errors import InputError
from salva.outliers.text_lines import Header, is_zero, parse_header, parse_numbers, parse_row
from salva.outliers.wanted import MOST_DIMENSIONS, MOST_WORD_BYTES, Wanted, too_small

Places = NDArray[np.intp]

# 171 MB take 0.49 s in steps of 256 kB, whose masks stay in the cache, but 0.79 s in steps of 1 MB.
_STEP = 1 << 18
_LONGEST = 1 << 20
_SUM_BITS = 18
_MARK = b"\xef\xbb\xbf"


def read_text_vectors(
    stream: BinaryIO, path: PathLike, wanted: Wanted, *, size: int | None, header: bool | None = None
) -> None:
    """Read every line and keep the wanted ones; `size` is that of the file, None if it is compressed.

    `header` says whether the first line is a header; None means that it is one if it has two fields.
    """
    reader = _Reader(path, wanted, size, header)
    for block in _blocks(stream, path, reader):
        reader.read(block)
    reader.finish()


def _blocks(stream: BinaryIO, path: PathLike, reader: _Reader) -> Iterator[bytes]:
    """Yield blocks of whole lines; a missing final newline is added."""
    buffer, kept = bytearray(_LONGEST), 0
    view = memoryview(buffer)
    while got := _fill(stream, path, view[kept : kept + _STEP]):
        end = kept + got
        cut = buffer.rfind(b"\n", 0, end) + 1
        if cut:
            yield bytes(view[:cut])
            buffer[: end - cut] = buffer[cut:end]
        elif end == _LONGEST:
            problem = f"a line of more than {_LONGEST >> 20} MB, too long for a vector"
            raise InputError.at(path, reader.line + 1, problem)
        kept = end - cut
    if kept:
        yield bytes(view[:kept]) + b"\n"


def _fill(stream: BinaryIO, path: PathLike, room: memoryview) -> int:
    with storage_errors(path):
        try:
            return int(stream.readinto(room))  # type: ignore[attr-defined]
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError.at(path, None, f"is cut off or damaged ({error})") from None


class _Reader:
    """The state between blocks: the lines so far, and the layout of the lines in this file."""

    def __init__(self, path: PathLike, wanted: Wanted, size: int | None, header: bool | None) -> None:
        self.path, self.wanted, self.seen = path, wanted, wanted.seen
        self.size, self.has_header = size, header
        self.line = 0
        self.header: Header | None = None
        self.gaps = 0  # white space characters in a usual line, including its newline
        self.sieve = _sieve(wanted)

    def read(self, block: bytes) -> None:
        start = self._begin(block) if not self.gaps else 0
        if start == len(block):
            return
        block = block[start:] if start else block
        data = np.frombuffer(block, np.uint8)
        if not self._fast(block, data, np.flatnonzero(data <= 32)):
            self._slowly(block)
        if not _is_utf8(block):  # such a word cannot be looked up
            self.seen.not_utf8 += sum(not _is_utf8(line) for line in block.split(b"\n"))
        if self.header is not None and self.seen.rows > self.header.rows:
            extra = self.line - (self.seen.rows - self.header.rows) + 1
            raise InputError.at(
                self.path, extra, f"the header promises {number_of(self.header.rows, 'vector')}, not more"
            )

    def finish(self) -> None:
        if not self.seen.rows:
            raise InputError.at(self.path, None, "has no vectors")
        if self.header is not None and self.seen.rows < self.header.rows:
            promised = f"the header promises {number_of(self.header.rows, 'vector')}"
            raise InputError.at(self.path, 1, f"{promised}; the file has {self.seen.rows:,}")

    def _begin(self, block: bytes) -> int:
        """Read the header, if there is one, and the layout of the first row; return where the rows start."""
        start = len(_MARK) if self.line == 0 and block.startswith(_MARK) else 0
        if self.line == 0 and self.has_header is not False:
            end = block.index(b"\n", start) + 1
            self.header = parse_header(self.path, block[start:end])
            if self.header is None and self.has_header:
                raise InputError.at(self.path, 1, "the first line must be a header (two numbers)")
            if self.header is not None:
                self._check_size(self.header)
                start, self.line = end, 1
        if start < len(block):
            self._lay_out(block[start : block.index(b"\n", start) + 1])
        return start

    def _check_size(self, header: Header) -> None:
        least = header.rows * (2 * header.dimension + 2) - 1  # a letter and digits, each followed by a gap
        if self.size is not None and least > self.size:
            promised = (
                f"the header promises {number_of(header.rows, 'vector')} of {header.dimension:,} numbers"
            )
            problem = f"{promised}, which take at least {least:,} bytes; the file has {self.size:,}"
            raise InputError.at(self.path, 1, problem)

    def _lay_out(self, line: bytes) -> None:
        promised = self.header.dimension if self.header else None
        row = parse_row(self.path, self.line + 1, line[:-1], None)
        dimension = len(row.numbers)
        if promised not in (None, dimension):
            problem = f"{number_of(dimension, 'number')}, but the header promises {promised:,}"
            raise InputError.at(self.path, self.line + 1, problem)
        if not 2 <= dimension <= MOST_DIMENSIONS:
            problem = f"{number_of(dimension, 'number')}; a vector must have 2 to {MOST_DIMENSIONS:,}"
            raise InputError.at(self.path, self.line + 1, problem)
        self.seen.dimension = dimension
        self.gaps = sum(byte <= 32 for byte in line)

    def _fast(self, block: bytes, data: Bytes, gaps: Places) -> bool:
        """Read usual lines; return False, with nothing done, if any line needs a closer look."""
        if len(gaps) != np.count_nonzero(data == 10) * self.gaps:
            return False
        rows = gaps.reshape(-1, self.gaps)
        starts, stops, ends = np.append(0, rows[:-1, -1] + 1), rows[:, 0], rows[:, -1]
        lengths = stops - starts
        usual = (data[ends] == 10).all() and lengths.min() >= 1 and lengths.max() <= MOST_WORD_BYTES
        if not usual or not self._end_as_numbers(data, gaps):
            return False
        likely = np.flatnonzero(self.sieve[_sums(data, starts, stops)])
        words = zip(likely.tolist(), starts[likely].tolist(), stops[likely].tolist(), strict=True)
        for row, start, stop in words:
            form = self.wanted.keys.get(block[start:stop])
            if form is not None:
                self._keep(self.line + row + 1, form, block[stop : ends[row]].split())
        self.seen.capitals = self.seen.capitals or bool((data[starts] - 65 < 26).any())
        self.seen.rows += len(rows)
        self.line += len(rows)
        return True

    def _end_as_numbers(self, data: Bytes, gaps: Places) -> bool:
        """Return whether all numbers end with a digit or a point; `nan`, `-inf` and empty fields do not."""
        before = data.take(gaps - 1).reshape(-1, self.gaps)
        return bool((before[:, 1 : self.seen.dimension + 1] - 46 < 12).all())

    def _slowly(self, block: bytes) -> None:
        for line in block[:-1].split(b"\n"):
            self.line += 1
            row = parse_row(self.path, self.line, line, self.seen.dimension)
            self.seen.rows += 1
            self.seen.spaced += b" " in row.word
            self.seen.capitals |= 65 <= row.word[0] < 91
            form = self.wanted.keys.get(row.word)
            if form is not None:
                self._keep(self.line, form, row.numbers)

    def _keep(self, line: int, form: str, fields: list[bytes]) -> None:
        numbers = parse_numbers(self.path, line, fields)
        problem = self.wanted.add(form, numbers)
        if not any(numbers) and not all(map(is_zero, fields)):
            problem = too_small(form)
        if problem:
            raise InputError.at(self.path, line, problem)


def _sieve(wanted: Wanted) -> Bools:
    """Return which sums wanted words have; most other words have none of them."""
    joined = np.frombuffer(b"".join(key + b" " for key in wanted.keys), np.uint8)
    stops = np.cumsum([len(key) + 1 for key in wanted.keys], dtype=np.intp) - 1
    starts = stops - np.array([len(key) for key in wanted.keys], dtype=np.intp)
    sieve = np.zeros(1 << _SUM_BITS, dtype=bool)
    sieve[_sums(joined, starts, stops)] = True
    return sieve


def _sums(data: Bytes, starts: Places, stops: Places) -> Uints32:
    """Return a hash of each word, computed from its length and four of its bytes."""
    lengths = (stops - starts).astype(np.uint32)
    mixed = lengths
    half = (stops - starts) // 2
    for places in (starts, starts + half // 2, starts + half, stops - 1):
        mixed = mixed * np.uint32(2_654_435_761) + data[places]
    return mixed * np.uint32(2_654_435_761) >> np.uint32(32 - _SUM_BITS)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
