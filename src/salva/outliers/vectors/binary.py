"""Vectors in word2vec's binary format: a header line, then records of a word, a space and 32-bit floats."""

from __future__ import annotations

import os
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from salva._files import open_regular, storage_errors
from salva._types import PathLike
from salva.errors import InputError
from salva.outliers.vectors.selection import MOST_WORD_BYTES, Selection
from salva.outliers.vectors.text import Header, parse_header

_STEP = 1 << 20
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r")
_LOOKED_AT = 64  # records whose numbers are checked even if their words are not requested
_OTHER = "the numbers may not be 32-bit little-endian floats, or the file is damaged"


def is_binary(path: PathLike, sample: bytes) -> bool:
    """Return whether a file starts with a header line and records; what is not text either is refused."""
    if sample.startswith(b"\x1f\x8b"):
        return False
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError.at(path, None, "looks like UTF-16; convert it to UTF-8")
    header, newline, rest = sample.partition(b"\n")
    if not any(byte in _CONTROLS for byte in rest):
        return False
    if newline and len(header.split()) == 2 and len(header) < 64:
        return True
    problem = "is neither text nor word2vec's binary format, which starts with a number of vectors"
    raise InputError.at(path, None, f"{problem} and a dimension")


def read_binary(path: PathLike, selection: Selection) -> None:
    """Read every record and keep the requested ones."""
    with open_regular(path) as stream:
        _Reader(stream, path, selection).read()


class _Reader:
    """A window on the file, and the number of the current record."""

    def __init__(self, stream: BinaryIO, path: PathLike, selection: Selection) -> None:
        self.stream, self.path, self.selection = stream, path, selection
        self.record = self.rows = 0

    def read(self) -> None:
        with storage_errors(self.path):
            line = self.stream.readline(256)
            size = os.fstat(self.stream.fileno()).st_size
        header = parse_header(self.path, line) if line.endswith(b"\n") else None
        if header is None:
            raise InputError.at(self.path, None, "has no header line, with which binary vectors must start")
        header.check_size(self.path, len(line) + header.rows * (4 * header.dimension + 2), size)
        self.selection.counts.dimension = header.dimension
        self.buffer = bytearray(2 * (_STEP + MOST_WORD_BYTES + 4 * header.dimension))
        self.at = self.end = 0
        self.rows = header.rows
        for self.record in range(1, header.rows + 1):
            self._read_record(4 * header.dimension)
        self.selection.counts.rows = header.rows
        self._refuse_more(header)

    def _read_record(self, length: int) -> None:
        if self.end - self.at < MOST_WORD_BYTES + length + 2:
            self._fill()
        limit = min(self.end, self.at + MOST_WORD_BYTES + 2)
        space = self.buffer.find(b" ", self.at, limit)
        if space < 0:
            self._refuse(f"no word of at most {MOST_WORD_BYTES:,} bytes followed by a space; {_OTHER}")
        word = bytes(self.buffer[self.at : space]).removeprefix(b"\n")
        self._check_word(word)
        self.at = space + 1 + length
        if self.at > self.end:
            self._refuse("the file ends in the middle of the vector; it is cut off")
        if self.record <= _LOOKED_AT or word in self.selection.keys:
            self._check_numbers(word, np.frombuffer(self.buffer, "<f4", length // 4, space + 1))
        self.selection.counts.capitals = self.selection.counts.capitals or 65 <= word[0] < 91

    def _fill(self) -> None:
        """Move the remaining bytes to the front of the window and read more after them."""
        self.selection.tracker.reach(self.record, total=self.rows)
        left = self.end - self.at
        self.buffer[:left] = self.buffer[self.at : self.end]
        self.at, self.end = 0, left
        view = memoryview(self.buffer)
        with storage_errors(self.path):
            while self.end < len(self.buffer) // 2:
                got = self.stream.readinto(view[self.end :])  # type: ignore[attr-defined]
                if not got:
                    return
                self.end += got

    def _check_word(self, word: bytes) -> None:
        if not word:
            self._refuse(f"an empty word; {_OTHER}")
        if b"\0" in word:
            self._refuse(f"a zero byte in the word; {_OTHER}")
        if not word.isascii():
            try:
                word.decode()
            except UnicodeDecodeError:
                self._refuse(f"the word is not UTF-8; {_OTHER}")

    def _check_numbers(self, word: bytes, values: NDArray[np.float32]) -> None:
        finite = values[np.isfinite(values)]
        strange = np.abs(finite[finite != 0])
        if len(finite) == len(values) and (_is_text(values) or not _is_usual(strange)):
            self._refuse(f"numbers such as {float(strange[0]):.3g}; {_OTHER}")
        if len(finite) < len(values):
            self._refuse(f"a number that is not finite; {_OTHER}")
        if word in self.selection.keys:
            self.selection.add(self.selection.keys[word], values)

    def _refuse_more(self, header: Header) -> None:
        self._fill()
        if bytes(self.buffer[self.at : self.end]).strip(b"\n"):
            raise InputError.at(self.path, 1, f"{header.promise}, but the file has more")

    def _refuse(self, problem: str) -> None:
        raise InputError.at(self.path, None, f"record {self.record:,}: {problem}")


def _is_usual(sizes: NDArray[np.float32]) -> bool:
    """Return whether numbers have the usual sizes of vectors; with swapped bytes, all sizes are as likely."""
    return len(sizes) == 0 or float(np.mean((sizes > 1e-9) & (sizes < 1e4))) >= 0.5


def _is_text(values: NDArray[np.float32]) -> bool:
    """Return whether floats are text: digits, points and spaces misread as numbers."""
    letters = values.tobytes()
    return letters.isascii() and letters.strip(b"0123456789+-.eE \n\r\t") == b""
