"""A thesaurus as similarities: lines of word, neighbour and score separated by tabs, read as a stream.

Lists of neighbours are cut off at some point, so a pair may be listed in one direction only or not at all; a
direction that is not listed counts as 0.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from salva._show import number_of
from salva._types import Floats, PathLike
from salva.errors import InputError
from salva.outliers.vectors.lookup import Lookup
from salva.outliers.vectors.selection import MOST_WORD_BYTES, SMALLEST, Selection
from salva.outliers.vectors.similarities import SourceInfo
from salva.outliers.vectors.text import BYTE_ORDER_MARK, NUMBER, damage_errors, is_zero, open_text, quote

THESAURUS_CHAIN = ("exact", "lower")
_LONGEST = 2 * MOST_WORD_BYTES + 100
_LARGEST = 1e300  # larger scores cannot be added up

Pairs = dict[tuple[str, str], float]


class Thesaurus:
    """Scores of ordered pairs of words; a word is known if it appears anywhere in the thesaurus.

    >>> thesaurus = Thesaurus("tiny", {("tea", "coffee"): 0.3}, {"tea", "coffee"}, ["tea", "coffee"])
    >>> thesaurus.matrix(["tea", "coffee"]).tolist()
    [[0.0, 0.3], [0.0, 0.0]]
    """

    def __init__(
        self,
        name: str,
        pairs: Pairs,
        forms: set[str],
        words: Iterable[str],
        *,
        lookup: Lookup | None = None,
        **counts: int,
    ) -> None:
        self._pairs = pairs
        steps = lookup or Lookup(THESAURUS_CHAIN)
        self._form: dict[str, str] = {}
        found: Counter[str] = Counter()
        for word in dict.fromkeys(words):
            single = (candidate for candidate in steps.candidates(word) if candidate.step != "parts")
            step, form = next(((c.step, c.parts[0][0]) for c in single if c.parts[0][0] in forms), ("", ""))
            if step:
                self._form[word] = form
                found[step] += 1
        self.info = SourceInfo(
            "thesaurus", name, _digest(pairs), steps.chain, found=dict(found), capitals=False, **counts
        )

    def known(self, word: str) -> bool:
        """Return whether a word was found."""
        return word in self._form

    def matrix(self, words: Sequence[str]) -> Floats:
        """Return the scores of every word's neighbours: one row per word, one column per neighbour.

        No word is its own neighbour, whatever the file says.
        """
        forms = [self._form[word] for word in words]
        scores = [[self._pairs.get((form, neighbour), 0.0) for neighbour in forms] for form in forms]
        matrix = np.array(scores, dtype=np.float64).reshape(len(forms), len(forms))
        np.fill_diagonal(matrix, 0.0)
        return matrix


def open_thesaurus(
    path: PathLike, words: Iterable[str], *, chain: Sequence[str] | str = THESAURUS_CHAIN
) -> Thesaurus:
    """Read the pairs of some words from a thesaurus, which may be compressed with gzip.

    The step `parts` finds nothing in a thesaurus. If a pair is listed twice, the first one counts.
    """
    requested, lookup = list(words), Lookup.of(chain)
    keys = Selection(lookup.needed(requested)).keys
    pairs: Pairs = {}
    forms: set[str] = set()
    rows = duplicates = 0
    for line, word, neighbour, score in _rows(path):
        rows += 1
        pair = keys.get(word), keys.get(neighbour)
        forms.update(form for form in pair if form is not None)
        if pair[0] is not None and pair[1] is not None:
            duplicates += pair in pairs
            pairs.setdefault((pair[0], pair[1]), _parse_score(path, line, score))
    if not rows:
        raise InputError.at(path, None, "has no lines; a line is word, neighbour and score separated by tabs")
    name = Path(path).name
    return Thesaurus(name, pairs, forms, requested, lookup=lookup, rows=rows, duplicates=duplicates)


def _rows(path: PathLike) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    with open_text(path) as (stream, _), damage_errors(path):
        for number, line in enumerate(iter(partial(stream.readline, _LONGEST + 1), b""), 1):
            if len(line) > _LONGEST:
                raise InputError.at(path, number, f"a line of more than {_LONGEST:,} bytes")
            cells = line.removeprefix(BYTE_ORDER_MARK if number == 1 else b"").rstrip(b"\r\n").split(b"\t")
            if len(cells) != 3:
                problem = f"{number_of(len(cells), 'cell')}, not word, neighbour and score separated by tabs"
                raise InputError.at(path, number, problem)
            if number == 1 and not any(byte in b"0123456789" for byte in cells[2]):
                continue  # names of columns
            if not cells[0] or not cells[1]:
                raise InputError.at(path, number, "an empty word")
            if not NUMBER.fullmatch(cells[2]):
                _parse_score(path, number, cells[2])
            yield number, cells[0], cells[1], cells[2]


def _parse_score(path: PathLike, line: int, cell: bytes) -> float:
    value = float(cell) if NUMBER.fullmatch(cell) else float("nan")
    if not np.isfinite(value):
        raise InputError.at(path, line, f"score {quote(cell)} must be a finite number")
    if not is_zero(cell) and not SMALLEST <= abs(value) <= _LARGEST:
        problem = f"score {quote(cell)} must be 0 or of a size from 1e-300 to 1e300"
        raise InputError.at(path, line, problem)
    return value


def _digest(pairs: Pairs) -> str:
    lines = (f"{word}\t{neighbour}\t{score!r}\n" for (word, neighbour), score in sorted(pairs.items()))
    return f"sha256:{hashlib.sha256(''.join(lines).encode('utf-8', 'surrogatepass')).hexdigest()}"
