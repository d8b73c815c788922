"""Tables of synonyms, which the user provides: lines of two words or phrases, `a TAB b`.

What this does not do: inflect words (inflected forms need lines of their own), or change `a` to `an`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from salva._files import read_text
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError

WORD = re.compile(r"[^\W_][\w\u0300-\u036f]*")  # keeps a letter written as two code points whole


@dataclass(frozen=True, slots=True)
class Synonym:
    """Two words or phrases with the same meaning."""

    a: str
    b: str

    def __post_init__(self) -> None:
        for word in (self.a, self.b):
            if not isinstance(word, str) or not _is_phrase(word):
                expected = "a word or phrase that begins and ends with a letter or digit"
                raise UsageError(f"{word!r} must be {expected}")
        if fold(self.a) == fold(self.b):
            raise UsageError(f"{self.a!r} is given as its own synonym")

    @property
    def kind(self) -> str:
        """The kind of the pairs that it makes."""
        return f"{self.a}/{self.b}"

    def reversed(self) -> Synonym:
        """Return the synonym with `a` and `b` exchanged."""
        return Synonym(self.b, self.a)


def read_synonyms(path: PathLike) -> list[Synonym]:
    """Return the synonyms in a file; empty lines and lines that begin with # are skipped."""
    table: dict[frozenset[str], Synonym] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            try:
                synonym = _parse(line)
            except UsageError as error:
                raise InputError.at(path, number, str(error)) from None
            words = frozenset((fold(synonym.a), fold(synonym.b)))
            if words in table:
                both = f"{synonym.a!r} and {synonym.b!r}"
                raise InputError.at(path, number, f"{both} are given twice; keep one line")
            table[words] = synonym
    if not table:
        raise InputError.at(path, None, "has no synonyms; write lines of a, a tab and b")
    return list(table.values())


def _parse(line: str) -> Synonym:
    cells = [" ".join(cell.split()) for cell in line.rstrip("\r").split("\t")]
    if len(cells) != 2:
        raise UsageError(f"{number_of(len(cells), 'cell')}, not 2; write a, tab, b")
    return Synonym(*cells)


def _is_phrase(text: str) -> bool:
    words = [match.span() for match in WORD.finditer(text)]
    return bool(words) and words[0][0] == 0 and words[-1][1] == len(text)


@lru_cache(maxsize=1 << 16)
def fold(phrase: str) -> str:
    """Return the form used to look up a phrase: no case, single blanks, straight apostrophes."""
    return " ".join(phrase.replace("’", "'").casefold().split())  # noqa: RUF001
