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
from pathlib import Path
from typing import IO, BinaryIO, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import is_utf8
from salva._files import digest, open_regular, storage_errors
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
_NEWLINE = ord("\n")
_HEAD_BYTES = max(map(len, _MAGIC))


OnBadRow: TypeAlias = Literal["fail", "keep", "drop"]
Numbering: TypeAlias = Literal["line", "row"]


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
    numbered_by: Numbering = "line"
    repaired: int = 0
    rejected: int = 0
    listed: list[BadRow] = field(default_factory=list)

    MOST_LISTED = 1000

    def accepts(
        self, place: int, problem: str, *, repairable: bool = False, by: Numbering | None = None
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

    def error(self, place: int, problem: str, by: Numbering | None = None) -> InputError:
        """Return the error for a problem at a line or row."""
        if (by or self.numbered_by) == "line":
            return InputError.at(self.name, place, problem)
        return InputError.at(self.name, None, f"row {place}: {problem}")


@dataclass(slots=True)
class Layout:
    """How an input is laid out, as far as a writer of the same format keeps it."""

    delimiter: str | None = None
    byte_order_mark: bool = False


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


def name_input(path: PathLike) -> str:
    """Return the name of an input in messages: its path, or that of standard input."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


class Source:
    """One input. `read` returns UTF-8 bytes; `local_path` returns a file that allows random access."""

    def __init__(self, path: PathLike, *, encoding: str | None = None) -> None:
        self.name = name_input(path)
        self.path = None if os.fspath(path) == "-" else Path(path)
        self.encoding = check_encoding(encoding)
        self.rows: int | None = None  # how many rows it has, if its format records that
        self.layout = Layout()
        self._count = 0
        self._spool: IO[bytes] | None = None
        self._file = self._open()
        try:
            with storage_errors(self.name):
                self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        self._state = self._stat()
        self._tap = _Tap(self._file)
        if not self._tap.head:
            raise InputError.at(self.name, None, "no rows; the file is empty")
        self.head = self._tap.head
        packed = next((codec for magic, codec in _MAGIC.items() if self.head.startswith(magic)), None)
        if packed == "zip":
            raise InputError.at(self.name, None, "is a zip archive; extract it first")
        self._codec = packed
        self._stream: _Readable = self._tap
        if packed is not None:
            self._stream = pa.CompressedInputStream(pa.PythonFile(self._tap, mode="r"), packed)
        if self.encoding is not None:
            self._stream = _Transcoder(self.name, self._stream, self.encoding)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, none at the end."""
        try:
            with storage_errors(self.name) if self._codec is None else contextlib.nullcontext():
                chunk = self._stream.read(size)
        except OSError as error:
            if self._codec is None or error.errno is not None:
                raise
            fault = "is cut off" if "Truncated" in str(error) else "is damaged"
            raise InputError.at(self.name, None, f"{fault} ({self._codec}: {error})") from None
        self._count += len(chunk)
        if self._codec is not None and self._count > max(RATIO_FREE_BYTES, MAX_RATIO * self._tap.count):
            problem = f"decompresses to over {MAX_RATIO} times its size; unpack it yourself if you trust it"
            raise InputError.at(self.name, None, problem)
        return chunk

    def local_path(self) -> Path:
        """Return the path of the plain file; standard input and compressed files are first copied to disk."""
        if self.path is not None and self._codec is None:
            return self.path
        if self._spool is None:
            with storage_errors(tempfile.gettempdir()):
                self._spool = _open_spool()
                while chunk := self.read(1 << 20):
                    self._spool.write(chunk)
                self._spool.flush()
        return _path_of(self._spool)

    def may_block(self) -> bool:
        """Return whether reading may wait for another program."""
        return self.path is None and self._spool is None

    def estimate_rows(self, read: int) -> int | None:
        """Return how many rows there are, by the share of the bytes that the rows so far took."""
        if self.rows is not None or not self._state or self._tap.count == len(self.head):
            return self.rows
        return max(read, round(read * self._state[0] / self._tap.count))

    def finish(self) -> str:
        """Check that the file did not change while it was being read; return the digest of its bytes."""
        with storage_errors(self.name):
            if self._stat() != self._state:
                raise InputError.at(
                    self.name, None, "changed while it was being read; run again when nothing writes to it"
                )
            if self.path is not None and self._tap.count == len(self._tap.head):
                return digest(self.path)
            while self._tap.read(1 << 20):
                pass
        return f"sha256:{self._tap.hash.hexdigest()}"

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._spool is not None:
            self._spool.close()
        if self.path is not None:
            self._file.close()

    def _open(self) -> BinaryIO:
        if self.path is not None:
            return open_regular(self.path)
        if sys.stdin is None:
            raise UsageError("standard input is closed; pass a file")
        return sys.stdin.buffer

    def _stat(self) -> tuple[int, ...]:
        if self.path is None:
            return ()
        try:
            now = self.path.stat()
        except FileNotFoundError:
            return (-1,)
        return (now.st_size, now.st_mtime_ns, now.st_ino)


def _open_spool() -> IO[bytes]:
    """Open a temporary file; on Linux without a name, so that nothing is left if this process is killed."""
    unnamed: IO[bytes] = tempfile.TemporaryFile(prefix="salva-")  # noqa: SIM115
    if _path_of(unnamed).exists():
        return unnamed
    unnamed.close()
    return tempfile.NamedTemporaryFile(prefix="salva-")


def _path_of(file: IO[bytes]) -> Path:
    return Path(file.name) if isinstance(file.name, str) else Path(f"/proc/self/fd/{file.fileno()}")


class _Tap(io.RawIOBase):
    """Raw bytes, counted and digested as they are read; the first few are available at once as `head`."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.head = file.read(_HEAD_BYTES)
        self._pending = self.head
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


class _Transcoder:
    """Transcodes bytes from another encoding to UTF-8."""

    def __init__(self, name: str, stream: _Readable, encoding: str) -> None:
        self._name, self._stream, self._encoding = name, stream, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._count = 0

    def read(self, size: int = -1, /) -> bytes:
        while True:
            chunk = self._stream.read(size)
            try:
                text = self._decoder.decode(chunk, final=not chunk)
            except UnicodeError as error:
                place = self._count + getattr(error, "start", 0)
                problem = f"byte {place} is not {self._encoding} ({getattr(error, 'reason', error)})"
                raise InputError.at(self._name, None, problem) from None
            self._count += len(chunk)
            if text or not chunk:
                return text.encode("utf-8", "surrogatepass")


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


class Block(NamedTuple):
    """Whole lines in UTF-8: the number of the first, the bytes, and the problems by line.

    `marked` is whether a byte order mark was removed.
    """

    first: int
    data: bytes
    bad: dict[int, str]
    marked: bool

    @property
    def text(self) -> str:
        """The lines as a string."""
        return self.data.decode()


def text_blocks(source: Source, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Block]:
    """Yield the lines of a source in blocks of about a megabyte, without a leading byte order mark.

    Bad bytes become U+FFFD, and `bad` has the problem of their line.
    """
    for number, raw in _byte_blocks(source, max_line_bytes):
        if number == 1:
            _refuse_other_encodings(source, raw)
        marked = number == 1 and raw.startswith(codecs.BOM_UTF8)
        block = raw.removeprefix(codecs.BOM_UTF8) if marked else raw
        if is_utf8(block):
            yield Block(number, block, {}, marked)
        else:
            yield Block(number, block.decode("utf-8", "replace").encode(), _bad_lines(number, block), marked)


def _byte_blocks(source: Source, max_line_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield whole lines as bytes, with the number of the first."""
    rest = bytearray()
    number = 1
    while chunk := source.read(BLOCK_BYTES):
        end = chunk.rfind(b"\n") + 1
        if end:
            block = b"".join([rest, memoryview(chunk)[:end]])
            _refuse_long_lines(source, block, number, max_line_bytes)
            yield number, block
            number += count_lines(block)
            rest = bytearray(chunk[end:])
        else:
            rest += chunk
        _refuse_long_lines(source, rest, number, max_line_bytes)
    if rest:
        yield number, bytes(rest)
    elif number == 1:
        raise InputError.at(source.name, None, "no rows; the file is empty")


def count_lines(data: bytes, start: int = 0, stop: int | None = None) -> int:
    """Return how many lines end in a part of some bytes (`bytes.count` takes four times as long)."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8)[start:stop] == _NEWLINE))


def _refuse_long_lines(source: Source, block: bytes | bytearray, first: int, most: int) -> None:
    if len(block) <= most:
        return
    for number, line in enumerate(block.split(b"\n"), first):
        if len(line) > most:
            problem = f"line is longer than {most} bytes; raise {argument('max_line_bytes')}"
            raise InputError.at(source.name, number, problem)


def _bad_lines(first: int, block: bytes) -> dict[int, str]:
    bad = {}
    for i, line in enumerate(block.split(b"\n")):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = line[error.start]
            guess = "cp1252" if 0x80 <= byte < 0xA0 else "latin-1"
            bad[first + i] = (
                f"byte 0x{byte:02x} at offset {error.start} of the line is not UTF-8; "
                f"if the file is in another encoding, pass {argument('encoding')} (perhaps {guess})"
            )
    return bad


def _refuse_other_encodings(source: Source, block: bytes) -> None:
    """Refuse files that are clearly not UTF-8, or whose lines end with CR alone."""
    guess = next((name for mark, name in _WIDE_MARKS.items() if block.startswith(mark)), None)
    if guess is None and _alternate_nulls(block):
        guess = "utf-16-le" if block[1] == 0 else "utf-16-be"
    if guess is not None:
        remedy = f"convert it or pass {argument('encoding', guess)}"
        raise InputError.at(source.name, None, f"looks like {guess}; {remedy}")
    if b"\r" in block.rstrip(b"\r") and b"\n" not in block:
        problem = "lines end with CR alone; convert them to LF (tr '\\r' '\\n')"
        raise InputError.at(source.name, None, problem)


def _alternate_nulls(block: bytes) -> bool:
    """Return whether every other byte is zero, as in western UTF-16 text without a byte order mark."""
    head = block[:64]
    if len(head) < 8:
        return False
    even, odd = head[::2].count(0), head[1::2].count(0)
    return max(even, odd) > 0.9 * len(head) / 2 and min(even, odd) == 0
