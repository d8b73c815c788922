"""Vectors as text: one line per word with its numbers, as GloVe, word2vec and fastText (.vec) write them.

Files are read in blocks. In most lines, only the gaps between fields and the last characters of numbers are
checked, which is enough to refuse a row of another length or a `nan` with its line. Only the numbers of
requested words are parsed.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from salva._files import open_regular, storage_errors
from salva._show import number_of
from salva._types import Bools, Bytes, PathLike, Uints32
from salva.errors import InputError
from salva.outliers.vectors.selection import MOST_DIMENSIONS, MOST_WORD_BYTES, Selection, explain_too_small

Places = NDArray[np.intp]

# 171 MB take 0.49 s in steps of 256 kB, whose masks stay in the cache, but 0.79 s in steps of 1 MB.
_STEP = 1 << 18
_LONGEST = 1 << 20
_SUM_BITS = 18
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANK = b" \t\r"
NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_ZERO = re.compile(rb"[-+]?[0.]+(?:[eE].*)?")
_NOT_A_NUMBER = re.compile(rb"[-+]?(?:nan|inf(?:inity)?)", re.IGNORECASE)


class Header(NamedTuple):
    """The header in the first line of a word2vec file."""

    rows: int
    dimension: int

    @property
    def promise(self) -> str:
        """What the header says, for errors."""
        return f"the header promises {number_of(self.rows, 'vector')}"

    def check_size(self, path: PathLike, least: int, size: int) -> None:
        """Refuse a file that is smaller than the vectors that it promises."""
        if least > size:
            needed = f"which take at least {least:,} bytes; the file has {size:,}"
            raise InputError.at(path, 1, f"{self.promise} of {self.dimension:,} numbers, {needed}")


class Row(NamedTuple):
    """The word of a line, and its numbers as written."""

    word: bytes
    numbers: list[bytes]


def read_text(path: PathLike, selection: Selection, *, header: bool | None = None) -> None:
    """Read every line and keep the requested ones.

    `header` says whether the first line is a header; None means that it is one if it has two fields.
    """
    with open_text(path) as (stream, size):
        reader = _Reader(path, selection, size, header)
        passed = 0
        for block in _blocks(stream, path, reader):
            reader.read(block)
            passed += len(block)
            total = None if size is None else max(reader.line, round(reader.line * size / passed))
            selection.tracker.reach(reader.line, total=total, about=True)
        reader.finish()


@contextlib.contextmanager
def open_text(path: PathLike) -> Iterator[tuple[BinaryIO, int | None]]:
    """Open a text file for reading, and return its size, None if it is compressed with gzip."""
    with open_regular(path) as stream:
        with storage_errors(path):
            packed = stream.read(2) == b"\x1f\x8b"
            stream.seek(0)
            size = os.fstat(stream.fileno()).st_size
        yield (cast(BinaryIO, gzip.GzipFile(fileobj=stream)), None) if packed else (stream, size)


@contextlib.contextmanager
def damage_errors(path: PathLike) -> Iterator[None]:
    """Turn what a damaged gzip file raises in the block into an `InputError`, and an `OSError` as usual."""
    with storage_errors(path):
        try:
            yield
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError.at(path, None, f"is cut off or damaged ({error})") from None


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
    with damage_errors(path):
        return int(stream.readinto(room))  # type: ignore[attr-defined]


class _Reader:
    """The state between blocks: the lines so far, and the layout of the lines in this file."""

    def __init__(self, path: PathLike, selection: Selection, size: int | None, header: bool | None) -> None:
        self.path, self.selection, self.counts = path, selection, selection.counts
        self.size, self.has_header = size, header
        self.line = 0
        self.header: Header | None = None
        self.gaps = 0  # white space characters in a usual line, including its newline
        self.sieve = _sieve(selection)

    def read(self, block: bytes) -> None:
        start = self._begin(block) if not self.gaps else 0
        if start == len(block):
            return
        block = block[start:] if start else block
        data = np.frombuffer(block, np.uint8)
        if not self._read_fast(block, data, np.flatnonzero(data <= 32)):
            self._read_slowly(block)
        if not _is_utf8(block):  # such a word cannot be looked up
            self.counts.not_utf8 += sum(not _is_utf8(line) for line in block.split(b"\n"))
        if self.header is not None and self.counts.rows > self.header.rows:
            extra = self.line - (self.counts.rows - self.header.rows) + 1
            raise InputError.at(self.path, extra, f"{self.header.promise}, not more")

    def finish(self) -> None:
        if not self.counts.rows:
            raise InputError.at(self.path, None, "has no vectors")
        if self.header is not None and self.counts.rows < self.header.rows:
            raise InputError.at(self.path, 1, f"{self.header.promise}; the file has {self.counts.rows:,}")

    def _begin(self, block: bytes) -> int:
        """Read the header, if there is one, and the layout of the first row; return where the rows start."""
        start = len(BYTE_ORDER_MARK) if self.line == 0 and block.startswith(BYTE_ORDER_MARK) else 0
        if self.line == 0 and self.has_header is not False:
            end = block.index(b"\n", start) + 1
            self.header = parse_header(self.path, block[start:end])
            if self.header is None and self.has_header:
                raise InputError.at(self.path, 1, "the first line must be a header (two numbers)")
            if self.header is not None:
                rows, dimension = self.header
                if self.size is not None:  # a letter and digits, each followed by a gap
                    self.header.check_size(self.path, rows * (2 * dimension + 2) - 1, self.size)
                start, self.line = end, 1
        if start < len(block):
            self._lay_out(block[start : block.index(b"\n", start) + 1])
        return start

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
        self.counts.dimension = dimension
        self.gaps = sum(byte <= 32 for byte in line)

    def _read_fast(self, block: bytes, data: Bytes, gaps: Places) -> bool:
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
            form = self.selection.keys.get(block[start:stop])
            if form is not None:
                self._keep(self.line + row + 1, form, block[stop : ends[row]].split())
        self.counts.capitals = self.counts.capitals or bool((data[starts] - 65 < 26).any())
        self.counts.rows += len(rows)
        self.line += len(rows)
        return True

    def _end_as_numbers(self, data: Bytes, gaps: Places) -> bool:
        """Return whether all numbers end with a digit or a point; `nan`, `-inf` and empty fields do not."""
        before = data.take(gaps - 1).reshape(-1, self.gaps)
        return bool((before[:, 1 : self.counts.dimension + 1] - 46 < 12).all())

    def _read_slowly(self, block: bytes) -> None:
        for line in block[:-1].split(b"\n"):
            self.line += 1
            row = parse_row(self.path, self.line, line, self.counts.dimension)
            self.counts.rows += 1
            self.counts.spaced += b" " in row.word
            self.counts.capitals |= 65 <= row.word[0] < 91
            form = self.selection.keys.get(row.word)
            if form is not None:
                self._keep(self.line, form, row.numbers)

    def _keep(self, line: int, form: str, fields: list[bytes]) -> None:
        numbers = parse_numbers(self.path, line, fields)
        problem = self.selection.add(form, numbers)
        if not any(numbers) and not all(map(is_zero, fields)):
            problem = explain_too_small(form)
        if problem:
            raise InputError.at(self.path, line, problem)


def _sieve(selection: Selection) -> Bools:
    """Return which sums requested words have; most other words have none of them."""
    joined = np.frombuffer(b"".join(key + b" " for key in selection.keys), np.uint8)
    stops = np.cumsum([len(key) + 1 for key in selection.keys], dtype=np.intp) - 1
    starts = stops - np.array([len(key) for key in selection.keys], dtype=np.intp)
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


def parse_header(path: PathLike, line: bytes) -> Header | None:
    """Return the header in the first line, or None if it is a vector; an impossible header is refused."""
    fields = line.split()
    if len(fields) != 2:
        return None
    if not all(re.fullmatch(rb"[0-9]{1,18}", field) for field in fields) or int(fields[0]) < 1:
        problem = f"header {quote(line)} must be a number of vectors and a dimension"
        raise InputError.at(path, 1, f"{problem}; a vector has at least 2 numbers")
    header = Header(int(fields[0]), int(fields[1]))
    if not 2 <= header.dimension <= MOST_DIMENSIONS:
        problem = f"header {quote(line)}: the dimension must be 2 to {MOST_DIMENSIONS:,}"
        raise InputError.at(path, 1, problem)
    return header


def parse_row(path: PathLike, number: int, line: bytes, dimension: int | None) -> Row:
    """Return the word and numbers of a line; a word may contain spaces, as some in GloVe do.

    Without a dimension, everything after the first space is numbers.
    """
    fields = line.rstrip(_BLANK).replace(b"\t", b" ").split(b" ")
    if fields == [b""]:
        raise InputError.at(path, number, "an empty line; a row must be a word and its numbers")
    if not fields[0]:
        raise InputError.at(path, number, "no word before the numbers")
    present = len(fields) - 1
    count = present if dimension is None else dimension
    spaced = present > count and not all(map(NUMBER.fullmatch, fields[1:-count]))
    if present != count and not spaced:
        problem = f"{number_of(present, 'number')}, not {count:,} as in the first row"
        raise InputError.at(path, number, problem)
    word = b" ".join(fields[:-count])
    if len(word) > MOST_WORD_BYTES:
        raise InputError.at(
            path, number, f"a word of {len(word):,} bytes; at most {MOST_WORD_BYTES:,} are allowed"
        )
    if b"\0" in word:
        raise InputError.at(path, number, f"a zero byte in the word {quote(word)}; is this file binary?")
    parse_numbers(path, number, fields[-count:])
    return Row(word, fields[-count:])


def parse_numbers(path: PathLike, line: int, fields: list[bytes]) -> list[float]:
    """Return the numbers of a vector; notations that only Python understands are refused."""
    # Try all fields at once first: 8 times as fast as matching each one.
    with contextlib.suppress(ValueError):
        if not b"".join(fields).translate(None, b"0123456789+-.eE"):
            return list(map(float, fields))
    for place, field in enumerate(fields, 1):
        if not NUMBER.fullmatch(field):
            hint = "" if b"," not in field else "; use a decimal point"
            what = "not finite" if _NOT_A_NUMBER.fullmatch(field) else f"not a number{hint}"
            raise InputError.at(path, line, f"number {place} is {quote(field)}, {what}")
    return [float(field) for field in fields]


def is_zero(number: bytes) -> bool:
    """Return whether a number is written as zero; `1e-400` is not, although it becomes 0.0 as a float.

    >>> is_zero(b"-0.0e3"), is_zero(b"1e-400")
    (True, False)
    """
    return bool(_ZERO.fullmatch(number))


def quote(field: bytes) -> str:
    """Return bytes of a file as errors show them."""
    return repr(field.strip().decode("utf-8", "replace")[:80])
