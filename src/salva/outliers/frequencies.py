"""How often words occur, from a list of words and counts; only the requested words are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from salva._files import open_regular, storage_errors
from salva._types import PathLike
from salva.errors import InputError

_LONGEST_LINE = 1 << 16


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Counts of some words, and the total of all words in the list."""

    counts: dict[str, int]
    total: int

    def per_million(self, word: str) -> float:
        """Return how often a word or its lower-case form occurs per million words; 0 if it is not listed.

        >>> Frequencies({"dog": 3}, 1_000_000).per_million("Dog")
        3.0
        """
        count = max(self.counts.get(spelling, 0) for spelling in _spellings(word))
        return count * 1e6 / self.total if self.total else 0.0


def read_frequencies(path: PathLike, words: Iterable[str]) -> Frequencies:
    """Read lines of a word, a tab and a count; terms may be written with spaces or underscores."""
    wanted = {spelling for word in words for spelling in _spellings(word)}
    counts: dict[str, int] = {}
    total, number = 0, 0
    with open_regular(path) as stream, storage_errors(path):
        while line := stream.readline(_LONGEST_LINE):
            number += 1
            word, count = _pair(path, number, line)
            total += count
            if word in wanted:
                counts[word] = counts.get(word, 0) + count
    if not total:
        raise InputError.at(path, None, "has no counts; a line must be a word, a tab and a count")
    return Frequencies(counts, total)


def _pair(path: PathLike, number: int, line: bytes) -> tuple[str, int]:
    try:
        word, tab, count = line.decode("utf-8-sig").rstrip("\r\n").partition("\t")
    except UnicodeDecodeError:
        raise InputError.at(path, number, "is not UTF-8") from None
    if not tab or not (count.isascii() and count.isdigit() and len(count) < 19):
        raise InputError.at(path, number, f"{line[:40]!r} must be a word, a tab and a count")
    return word, int(count)


def _spellings(word: str) -> tuple[str, ...]:
    spaced = word.replace("_", " ")
    return word, word.lower(), spaced, spaced.lower()
