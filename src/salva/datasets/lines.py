r"""Bytes cut into blocks of whole lines. Only \n ends a line; the formats handle \r\n."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import NamedTuple

from salva.datasets.source import Source
from salva.errors import InputError

BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 256 << 20
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Block(NamedTuple):
    """Whole lines.

    The number of the first line, the text, the problems by line, and whether a byte order mark was removed.
    """

    first: int
    text: str
    bad: dict[int, str]
    marked: bool


def text_blocks(source: Source, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[Block]:
    """Yield the lines of a source in blocks of about a megabyte, without a leading byte order mark.

    Bad bytes become U+FFFD, and `bad` has the problem of their line.
    """
    number = 1
    for i, raw in enumerate(_byte_blocks(source, max_line_bytes)):
        if i == 0:
            _refuse_other_encodings(source, raw)
        marked = i == 0 and raw.startswith(codecs.BOM_UTF8)
        block = raw.removeprefix(codecs.BOM_UTF8) if marked else raw
        try:
            yield Block(number, block.decode("utf-8"), {}, marked)
        except UnicodeDecodeError:
            yield Block(number, block.decode("utf-8", "replace"), _bad_lines(number, block), marked)
        number += block.count(b"\n")


def _byte_blocks(source: Source, max_line_bytes: int) -> Iterator[bytes]:
    rest = bytearray()
    number = 1
    while chunk := source.read(BLOCK_BYTES):
        end = chunk.rfind(b"\n") + 1
        if end:
            rest += chunk[:end]
            _refuse_long_lines(source, rest, number, max_line_bytes)
            number += rest.count(b"\n")
            yield bytes(rest)
            rest = bytearray(chunk[end:])
        else:
            rest += chunk
        _refuse_long_lines(source, rest, number, max_line_bytes)
    if rest:
        yield bytes(rest)


def _refuse_long_lines(source: Source, block: bytearray, first: int, most: int) -> None:
    if len(block) <= most:
        return
    for number, line in enumerate(block.split(b"\n"), first):
        if len(line) > most:
            problem = f"line is longer than {most} bytes; raise --max-line-bytes"
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
                f"if the file is in another encoding, pass --encoding (perhaps {guess})"
            )
    return bad


def _refuse_other_encodings(source: Source, block: bytes) -> None:
    """Refuse files that are clearly not UTF-8, or whose lines end with CR alone."""
    guess = next((name for mark, name in _WIDE_MARKS.items() if block.startswith(mark)), None)
    if guess is None and _alternate_nulls(block):
        guess = "utf-16-le" if block[1] == 0 else "utf-16-be"
    if guess is not None:
        raise InputError.at(source.name, None, f"looks like {guess}; convert it or pass --encoding {guess}")
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
