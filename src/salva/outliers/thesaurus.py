"""A thesaurus as similarities: lines of word, neighbour and score separated by tabs, read as a stream.

Lists of neighbours are cut off at some point, so a pair may be listed in one direction only or not at all; a
direction that is not listed counts as 0.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from salva._files import open_regular, storage_errors
from salva._show import number_of
from salva._types import Floats, PathLike
from salva.errors import InputError
from salva.outliers.lookup import Lookup
from salva.outliers.text_lines import is_zero, shown
from salva.outliers.vectors import SourceInfo
from salva.outliers.wanted import MOST_WORD_BYTES, Wanted

THESAURUS_CHAIN = ("exact", "lower")
_LONGEST = 2 * MOST_WORD_BYTES + 100
_SMALLEST, _LARGEST = 1e-300, 1e300  # sizes that can be added up and compared
_SCORE = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

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
        **seen: int,
    ) -> None:
        self.name = name
        self._pairs = pairs
        chosen = lookup or Lookup(THESAURUS_CHAIN)
        self._form: dict[str, str] = {}
        steps: Counter[str] = Counter()
        for word in dict.fromkeys(words):
            single = (one for one in chosen.candidates(word) if one.step != "parts")
            step, form = next(((c.step, c.parts[0][0]) for c in single if c.parts[0][0] in forms), ("", ""))
            if step:
                self._form[word] = form
                steps[step] += 1
        self.digest = _digest(pairs)
        self.info = SourceInfo(
            "thesaurus", name, self.digest, chosen.chain, found=dict(steps), capitals=False, **seen
        )

    def known(self, word: str) -> bool:
        """Return whether a word was found."""
        return word in self._form

    def matrix(self, words: Sequence[str]) -> Floats:
        """Return the scores of every word's neighbours: one row per word, one column per neighbour.

        No word is its own neighbour, whatever the file says.
        """
        forms = [self._form[word] for word in words]
        scores = [[self._pairs.get((one, other), 0.0) for other in forms] for one in forms]
        found = np.array(scores, dtype=np.float64)
        np.fill_diagonal(found, 0.0)
        return found


def open_thesaurus(
    path: PathLike, words: Iterable[str], *, chain: Sequence[str] | str = THESAURUS_CHAIN
) -> Thesaurus:
    """Read the pairs of some words from a thesaurus, which may be compressed with gzip.

    The step `parts` finds nothing in a thesaurus. If a pair is listed twice, the first one counts.
    """
    asked, lookup = list(words), Lookup.of(chain)
    keys = Wanted(lookup.needed(asked)).keys
    pairs: Pairs = {}
    forms: set[str] = set()
    rows = duplicates = 0
    for line, word, neighbour, score in _rows(path):
        rows += 1
        one, other = keys.get(word), keys.get(neighbour)
        forms.update(form for form in (one, other) if form is not None)
        if one is not None and other is not None:
            number = _number(path, line, score)
            duplicates += (one, other) in pairs
            pairs.setdefault((one, other), number)
    if not rows:
        raise InputError.at(path, None, "has no lines; a line is word, neighbour and score separated by tabs")
    return Thesaurus(Path(path).name, pairs, forms, asked, lookup=lookup, rows=rows, duplicates=duplicates)


def _rows(path: PathLike) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    with open_regular(path) as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        stream = cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file
        for number, line in enumerate(_lines(stream, path), 1):
            cells = line.rstrip(b"\r\n").split(b"\t")
            if len(cells) != 3:
                problem = f"{number_of(len(cells), 'cell')}, not word, neighbour and score separated by tabs"
                raise InputError.at(path, number, problem)
            if number == 1 and not any(byte in b"0123456789" for byte in cells[2]):
                continue  # names of columns
            if not cells[0] or not cells[1]:
                raise InputError.at(path, number, "an empty word")
            if not _SCORE.fullmatch(cells[2]):
                _number(path, number, cells[2])
            yield number, cells[0], cells[1], cells[2]


def _lines(stream: BinaryIO, path: PathLike) -> Iterator[bytes]:
    number = 0
    while True:
        with storage_errors(path):
            try:
                line = stream.readline(_LONGEST + 1)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise InputError.at(path, None, f"is cut off or damaged ({error})") from None
        number += 1
        if not line:
            return
        if len(line) > _LONGEST:
            raise InputError.at(path, number, f"a line of more than {_LONGEST:,} bytes")
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        yield line


def _number(path: PathLike, line: int, cell: bytes) -> float:
    value = float(cell) if _SCORE.fullmatch(cell) else float("nan")
    if not np.isfinite(value):
        raise InputError.at(path, line, f"score {shown(cell)} must be a finite number")
    if not is_zero(cell) and not _SMALLEST <= abs(value) <= _LARGEST:
        problem = f"score {shown(cell)} must be 0 or of a size from 1e-300 to 1e300"
        raise InputError.at(path, line, problem)
    return value


def _digest(pairs: Pairs) -> str:
    lines = (f"{one}\t{other}\t{score!r}\n" for (one, other), score in sorted(pairs.items()))
    return f"sha256:{hashlib.sha256(''.join(lines).encode('utf-8', 'surrogatepass')).hexdigest()}"
