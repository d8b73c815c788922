"""A set file as it is, however faulty: its lines, and which words would be inliers and outliers.

The strict reader (`salva.outliers.sets`), the checks and the fixes all read files through this module.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from salva._files import read_whole
from salva._types import PathLike

SIZE = 8  # inliers per set, and outliers per set

ENGLISH = "EN"  # the language that all translations start from
UNDETERMINED = "UND"  # ISO 639-2 for an undetermined language

_MOST_BYTES = 1 << 20  # a set has about 150 bytes
_NAME = re.compile(r"([A-Z]{2,3})-([^-].*)\.txt")
# Lists in the guidelines are numbered, and the numbers get copied along with the words.
_NUMBER = re.compile(r"(\d{1,2})[.)]?\s+(?=\S)")
# Invisible characters at the edge of a word that are not white space, so `str.strip` leaves them.
_HIDDEN = "\u00ad\u180e\u200b\u200e\u200f\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is not empty: its number from 1, its text without the line end, and its word.

    `bare` is the text without white space, invisible characters and numbering, encoded as in the file;
    `word` is the same in NFC. `number` is the number before the word if all lines are numbered.
    """

    line: int
    text: str
    bare: str
    number: str | None = None

    @property
    def word(self) -> str:
        """The word on the line, in NFC."""
        return unicodedata.normalize("NFC", self.bare)


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a set file, and what its name says; `text` is None if the file is not UTF-8."""

    path: str
    topic: str
    language: str
    raw: bytes
    text: str | None
    inliers: tuple[Entry, ...]
    outliers: tuple[Entry, ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Inliers, then outliers."""
        return self.inliers + self.outliers

    @property
    def words(self) -> tuple[str, ...]:
        """All words, without surrounding white space and numbers."""
        return tuple(entry.word for entry in self.entries)

    @property
    def is_unfinished(self) -> bool:
        """Whether inliers or outliers are missing; too many of either are a fault instead."""
        sizes = len(self.inliers), len(self.outliers)
        return self.text is not None and min(sizes) < SIZE and max(sizes) <= SIZE

    def lines(self) -> list[str]:
        """Return the lines without line ends; a final newline does not add an empty line."""
        return split_lines(self.text or "")

    @classmethod
    def of(cls, path: str, raw: bytes, *, topic: str, language: str) -> Draft:
        """Return the draft for the bytes of a file."""
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            return cls(path, topic, language, raw, None, (), ())
        inliers, outliers = _halves(split_lines(text))
        return cls(path, topic, language, raw, text, inliers, outliers)


def read_draft(path: PathLike) -> Draft:
    """Read a set file, whatever it contains; only a file that cannot be read at all is refused."""
    raw = read_whole(path, _MOST_BYTES)
    topic, language = parse_name(path)
    return Draft.of(os.fspath(path), raw, topic=topic, language=language)


def parse_name(path: PathLike) -> tuple[str, str]:
    """Return the topic and language in a file name; the language is UND if the name has none.

    >>> parse_name("Music/EN-Music.txt"), parse_name("Big_cats.txt")
    (('Music', 'EN'), ('Big_cats', 'UND'))
    """
    match = _NAME.fullmatch(Path(path).name)
    return (match[2], match[1]) if match else (Path(path).stem, UNDETERMINED)


def strip_word(text: str) -> str:
    r"""Return the text without white space and invisible characters at either end.

    >>> strip_word("\ufeff lait\u00a0")
    'lait'
    """
    last = None
    while text != last:
        last, text = text, text.strip().strip(_HIDDEN)
    return text


def clean_word(text: str) -> str:
    """Return the word on a line: stripped, and in NFC."""
    return unicodedata.normalize("NFC", strip_word(text))


def split_lines(text: str) -> list[str]:
    """Return the lines, split at line feeds only: other separators count as part of a word, as a fault."""
    if "\n" not in text:  # line ends of old Macintoshes
        text = text.replace("\r", "\n")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _halves(lines: Sequence[str]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Return the entries before and after the first empty line between words."""
    filled = [strip_word(line) for line in lines if strip_word(line)]
    blocks = list(_blocks(lines, numbered=all(map(_NUMBER.match, filled))))
    if len(blocks) == 1:  # without an empty line, the first eight are taken as the inliers
        return blocks[0][:SIZE], blocks[0][SIZE:]
    first, *others = blocks or [()]
    return first, tuple(entry for block in others for entry in block)


def _blocks(lines: Sequence[str], *, numbered: bool) -> Iterator[tuple[Entry, ...]]:
    block: list[Entry] = []
    for number, line in enumerate([*lines, ""], 1):
        bare = strip_word(line)
        if bare:
            prefix = _NUMBER.match(bare) if numbered else None
            block.append(Entry(number, line, bare[prefix.end() :] if prefix else bare, prefix and prefix[1]))
        elif block:
            yield tuple(block)
            block = []
