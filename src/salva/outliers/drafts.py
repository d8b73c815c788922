"""A set file as it stands, however wrong: its lines, and which words would be inliers and outliers.

The strict reader (`salva.outliers.sets`), the checks and the fixes all look at a file through this.
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

__all__ = ["SIZE", "UNDETERMINED", "Draft", "Entry", "name_parts", "plain", "read_draft", "stripped"]

SIZE = 8  # inliers a set, and outliers

UNDETERMINED = "UND"  # ISO 639-2 for a language that nobody said

_MOST_BYTES = 1 << 20  # a set is some 150 bytes
_NAME = re.compile(r"([A-Z]{2,3})-([^-].*)\.txt")
# White space is what Unicode says; these hide at the edge of a word as well, and `str.strip` leaves them.
# Lists in the guidelines are numbered, and come along when they are copied.
_NUMBER = re.compile(r"(\d{1,2})[.)]?\s+(?=\S)")
_HIDDEN = "\u00ad\u180e\u200b\u200e\u200f\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is not empty: its number from 1, its text without the line end, and the word meant.

    `bare` is the text without what surrounds it, as it is encoded; the word is that in NFC. `number` is what
    stands before the word where all lines are numbered.
    """

    line: int
    text: str
    bare: str
    number: str | None = None

    @property
    def word(self) -> str:
        """The word that the line means."""
        return unicodedata.normalize("NFC", self.bare)


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of a set file, and what its name says; `text` is None where it is not UTF-8."""

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
        """All words, without what surrounds them."""
        return tuple(entry.word for entry in self.entries)

    def lines(self) -> list[str]:
        """Return the lines without their ends; a file that ends as it should has no last empty one."""
        return split_lines(self.text or "")

    @classmethod
    def of(cls, path: str, raw: bytes, *, topic: str, language: str) -> Draft:
        """Return the draft of a file's bytes."""
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            return cls(path, topic, language, raw, None, (), ())
        inliers, outliers = _halves(split_lines(text))
        return cls(path, topic, language, raw, text, inliers, outliers)


def read_draft(path: PathLike) -> Draft:
    """Read a set file, whatever is in it; only what cannot be read at all is refused."""
    raw = read_whole(path, _MOST_BYTES)
    topic, language = name_parts(path)
    return Draft.of(os.fspath(path), raw, topic=topic, language=language)


def name_parts(path: PathLike) -> tuple[str, str]:
    """Return topic and language of a file's name; the language is UND where the name has none.

    >>> name_parts("Music/EN-Music.txt"), name_parts("Big_cats.txt")
    (('Music', 'EN'), ('Big_cats', 'UND'))
    """
    match = _NAME.fullmatch(Path(path).name)
    return (match[2], match[1]) if match else (Path(path).stem, UNDETERMINED)


def stripped(text: str) -> str:
    r"""Return the text without white space and invisible characters at its ends.

    >>> stripped("\ufeff lait\u00a0")
    'lait'
    """
    last = None
    while text != last:
        last, text = text, text.strip().strip(_HIDDEN)
    return text


def plain(text: str) -> str:
    """Return the word that a line means: without what surrounds it, in NFC."""
    return unicodedata.normalize("NFC", stripped(text))


def split_lines(text: str) -> list[str]:
    """Return the lines, split at line feeds alone: other separators are part of a word, and wrong there."""
    if "\n" not in text:  # the line ends of old Macintoshes
        text = text.replace("\r", "\n")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _halves(lines: Sequence[str]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Return what stands before the first empty line between words, and what after."""
    filled = [stripped(line) for line in lines if stripped(line)]
    blocks = list(_blocks(lines, numbered=all(map(_NUMBER.match, filled))))
    if len(blocks) == 1:  # without an empty line, the first eight are taken for the inliers
        return blocks[0][:SIZE], blocks[0][SIZE:]
    first, *others = blocks or [()]
    return first, tuple(entry for block in others for entry in block)


def _blocks(lines: Sequence[str], *, numbered: bool) -> Iterator[tuple[Entry, ...]]:
    block: list[Entry] = []
    for number, line in enumerate([*lines, ""], 1):
        bare = stripped(line)
        if bare:
            found = _NUMBER.match(bare) if numbered else None
            block.append(Entry(number, line, bare[found.end() :] if found else bare, found and found[1]))
        elif block:
            yield tuple(block)
            block = []
