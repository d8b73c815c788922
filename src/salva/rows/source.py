r"""An input as bytes and as blocks of lines, and what happens to its bad rows.

It is decompressed, transcoded to UTF-8, digested, and watched for changes. The formats interpret the bytes.
Only \n ends a line; the formats handle \r\n.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import is_utf8
from salva._files import open_regular, scratch_folder, storage_errors
from salva._types import PathLike
from salva.errors import InputError, UsageError

CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    **{f"BZh{level}1AY&SY".encode(): "bz2" for level in range(1, 10)},
    b"PK\x03\x04": "zip",
}
# Text compresses to a tenth of its size, at the very best to a fiftieth; zeros compress to a thousandth.
MAX_RATIO = 200
RATIO_FREE_BYTES = 64 << 20
BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 256 << 20
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

OnBadRow: TypeAlias = Literal["fail", "keep", "drop"]


@dataclass(frozen=True, slots=True)
class BadRow:
    """One row that was repaired or rejected, and why."""

    place: int
    problem: str
    kept: bool


@dataclass(slots=True)
class BadRows:
    """Counts bad rows and lists the first of them; with `fail`, the first bad row is an error.

    `keep` replaces bytes that are not text with U+FFFD and fills missing cells with empty ones. Rows that
    cannot be repaired (too many cells, broken JSON) are rejected by `keep` as well as by `drop`.
    """

    name: str
    policy: OnBadRow = "fail"
    numbered_by: Literal["line", "row"] = "line"
    repaired: int = 0
    rejected: int = 0
    listed: list[BadRow] = field(default_factory=list)

    MOST_LISTED = 1000

    def accepts(
        self, place: int, problem: str, *, repairable: bool = False, by: Literal["row"] | None = None
    ) -> bool:
        """Record a bad row; return whether its repaired form stays in the data."""
        if self.policy == "fail":
            remedy = f"to go on, pass {argument('on_bad_row', 'keep')} or drop"
            raise self.error(place, f"{problem}; {remedy}", by)
        kept = repairable and self.policy == "keep"
        self.repaired += kept
        self.rejected += not kept
        if len(self.listed) < self.MOST_LISTED:
            self.listed.append(BadRow(place, problem, kept))
        return kept

    def error(self, place: int, problem: str, by: Literal["row"] | None = None) -> InputError:
        """Return the error for a problem at a line or row."""
        if (by or self.numbered_by) == "line":
            return InputError.at(self.name, place, problem)
        return InputError.at(self.name, None, f"row {place}: {problem}")


@dataclass(slots=True)
class Layout:
    """How an input is laid out, as far as a writer of the same format keeps it."""

    delimiter: str | None = None
    byte_order_mark: bool = False


def name_input(path: PathLike) -> str:
    """Return the name of an input in messages: its path, or that of standard input."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def check_encoding(encoding: str | None) -> str | None:
    """Return the name of a text encoding, None for UTF-8; refuse anything else."""
    if encoding is None:
        return None
    try:
        name = codecs.lookup(encoding).name
        "".encode(encoding)  # base64 and the like are codecs, but not text encodings
    except (LookupError, ValueError):
        raise UsageError(f"encoding {encoding!r} is unknown; try utf-8, utf-16, cp1252 or latin-1") from None
    return None if name in {"utf-8", "utf-8-sig", "ascii"} else name


class _Tap(io.RawIOBase):
    """Raw bytes, counted and digested as they are read; the first few are available at once as `head`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.head = self._pending = file.read(max(map(len, _MAGIC)))
        self.count = len(self.head)
        self.hash = hashlib.sha256(self.head)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        pending, self._pending = self._pending, b""
        chunk = self._file.read(max(size - len(pending), 0) if size >= 0 else -1)
        self.count += len(chunk)
        self.hash.update(chunk)
        return pending + chunk


class Source:
    """One input: `chunks` are its bytes in UTF-8; `local_path` is a file that allows random access."""

    def __init__(self, path: PathLike, encoding: str | None = None) -> None:
        self.name = name_input(path)
        self.path = None if os.fspath(path) == "-" else Path(path)
        self.rows: int | None = None  # how many rows it has, if its format records that
        self.layout = Layout()
        self._encoding = check_encoding(encoding)
        self.may_block = self.path is None  # whether reading may wait for another program
        if self.path is None and sys.stdin is None:
            raise UsageError("standard input is closed; pass a file")
        with contextlib.ExitStack() as files:
            file = sys.stdin.buffer if self.path is None else files.enter_context(open_regular(self.path))
            with storage_errors(self.name):
                self._state = self._stat()
                self._tap = _Tap(file)
            self.head = self._tap.head
            found = (codec for magic, codec in _MAGIC.items() if self.head.startswith(magic))
            self._codec = next(found, None)
            if not self.head:
                raise InputError.at(self.name, None, "no rows; the file is empty")
            if self._codec == "zip":
                raise InputError.at(self.name, None, "is a zip archive; extract it first")
            self._files = files.pop_all()

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes in UTF-8, in chunks of about a megabyte."""
        stream: Any = self._tap
        if self._codec is not None:
            stream = pa.CompressedInputStream(pa.PythonFile(self._tap, mode="r"), self._codec)
        decoder = None if self._encoding is None else codecs.getincrementaldecoder(self._encoding)()
        count = 0
        while True:
            text = chunk = self._read(stream)
            if decoder is not None:
                try:
                    text = decoder.decode(chunk, final=not chunk).encode("utf-8", "surrogatepass")
                except UnicodeError as error:
                    place = count + getattr(error, "start", 0)
                    problem = f"byte {place} is not {self._encoding} ({getattr(error, 'reason', error)})"
                    raise InputError.at(self.name, None, problem) from None
            count += len(chunk)
            if self._codec is not None and count > max(RATIO_FREE_BYTES, MAX_RATIO * self._tap.count):
                problem = f"decompresses to over {MAX_RATIO} times its size"
                raise InputError.at(self.name, None, f"{problem}; unpack it yourself if you trust it")
            if text:
                yield text
            if not chunk:
                return

    def _read(self, stream: Any) -> bytes:
        with storage_errors(self.name):
            try:
                return bytes(stream.read(BLOCK_BYTES))
            except OSError as error:
                if self._codec is None or error.errno is not None:
                    raise
                fault = "is cut off" if "Truncated" in str(error) else "is damaged"
                raise InputError.at(self.name, None, f"{fault} ({self._codec}: {error})") from None

    def local_path(self) -> Path:
        """Return the path of the plain file; standard input and compressed files are first copied to disk."""
        if self.path is not None and self._codec is None:
            return self.path
        path = self._files.enter_context(scratch_folder()) / "input"
        with storage_errors(tempfile.gettempdir()), path.open("wb") as copy:
            copy.writelines(self.chunks())
        self.may_block = False
        return path

    def estimate_rows(self, read: int) -> int | None:
        """Return how many rows there are, by the share of the bytes that the rows so far took."""
        if self.rows is not None or not self._state or self._tap.count == len(self.head):
            return self.rows
        return max(read, round(read * self._state[0] / self._tap.count))

    def finish(self) -> str:
        """Check that the file did not change while it was being read; return the digest of its bytes."""
        with storage_errors(self.name):
            if self._stat() != self._state:
                problem = "changed while it was being read; run again when nothing writes to it"
                raise InputError.at(self.name, None, problem)
            while self._tap.read(1 << 20):
                pass
        return f"sha256:{self._tap.hash.hexdigest()}"

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._files.close()

    def _stat(self) -> tuple[int, ...]:
        if self.path is None:
            return ()
        try:
            now = self.path.stat()
        except FileNotFoundError:
            return (-1,)
        return (now.st_size, now.st_mtime_ns, now.st_ino)


class Block(NamedTuple):
    """Whole lines in UTF-8: the number of the first, the bytes, and the problems by line."""

    first: int
    data: bytes
    bad: dict[int, str]


def text_blocks(source: Source, max_line_bytes: int) -> Iterator[Block]:
    """Yield the lines of a source in blocks of about a megabyte, without a leading byte order mark.

    Bad bytes become U+FFFD, and `bad` has the problem of their line.
    """
    number, rest = 1, bytearray()
    for chunk in chain(source.chunks(), [b""]):
        whole = chunk.rfind(b"\n") + 1
        end = len(rest) + whole if whole or not chunk else 0
        rest += chunk
        if end:
            data = bytes(memoryview(rest)[:end])
            del rest[:end]
            _refuse_long_lines(source, data, number, max_line_bytes)
            lines = count_lines(data)
            if number == 1:
                _refuse_other_encodings(source, data)
                source.layout.byte_order_mark = data.startswith(codecs.BOM_UTF8)
                data = data.removeprefix(codecs.BOM_UTF8)
            if is_utf8(data):
                yield Block(number, data, {})
            else:
                bad = dict(_bad_lines(number, data))
                yield Block(number, data.decode("utf-8", "replace").encode(), bad)
            number += lines
        elif not chunk and number == 1:
            raise InputError.at(source.name, None, "no rows; the file is empty")
        _refuse_long_lines(source, rest, number, max_line_bytes)


def count_lines(data: bytes, start: int = 0, stop: int | None = None) -> int:
    """Return how many lines end in a part of some bytes (`bytes.count` takes four times as long)."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8)[start:stop] == ord("\n")))


def _refuse_long_lines(source: Source, block: bytes | bytearray, first: int, most: int) -> None:
    lines = block.split(b"\n") if len(block) > most else []
    if number := next((number for number, line in enumerate(lines, first) if len(line) > most), None):
        problem = f"line is longer than {most} bytes; raise {argument('max_line_bytes')}"
        raise InputError.at(source.name, number, problem)


def _bad_lines(first: int, block: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(block.split(b"\n"), first):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = line[error.start]
            guess = "cp1252" if 0x80 <= byte < 0xA0 else "latin-1"
            problem = f"byte 0x{byte:02x} at offset {error.start} of the line is not UTF-8; if the file is in"
            yield number, f"{problem} another encoding, pass {argument('encoding')} (perhaps {guess})"


def _refuse_other_encodings(source: Source, block: bytes) -> None:
    """Refuse files that are clearly not UTF-8, or whose lines end with CR alone."""
    guess = next((name for mark, name in _WIDE_MARKS.items() if block.startswith(mark)), None)
    # In western UTF-16 text without a byte order mark, every other byte is zero.
    head = block[:64]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if guess is None and len(head) >= 8 and max(even, odd) > 0.45 * len(head) and min(even, odd) == 0:
        guess = "utf-16-le" if odd else "utf-16-be"
    if guess is not None:
        remedy = f"convert it or pass {argument('encoding', guess)}"
        raise InputError.at(source.name, None, f"looks like {guess}; {remedy}")
    if b"\r" in block.rstrip(b"\r") and b"\n" not in block:
        problem = "lines end with CR alone; convert them to LF (tr '\\r' '\\n')"
        raise InputError.at(source.name, None, problem)
