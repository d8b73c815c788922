"""Natural twins: plain texts in which a word is replaced with its synonym, or which a preset rewrites.

The user provides the synonyms: a table of lines `a TAB b`, optionally with a third column of outputs accepted
for both, separated by `|`. What this does not do: inflect words (inflected forms need lines of their own), or
change `a` to `an`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from salva._files import read_text
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.text import casing
from salva.transforms import Transform, preset
from salva.twins.pair import TwinPair

_WORD = re.compile(r"[^\W_][\w\u0300-\u036f]*")  # keeps a letter written as two code points whole


@dataclass(frozen=True, slots=True)
class Synonym:
    """Two words or phrases with the same meaning, and the outputs accepted for either."""

    a: str
    b: str
    accepted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for word in (self.a, self.b):
            if not isinstance(word, str) or not _is_phrase(word):
                expected = "a word or phrase that begins and ends with a letter or digit"
                raise UsageError(f"{word!r} must be {expected}")
        if _folded(self.a) == _folded(self.b):
            raise UsageError(f"{self.a!r} is given as its own synonym")

    @property
    def kind(self) -> str:
        """The kind of the pairs that it makes."""
        return f"{self.a}/{self.b}"

    def reversed(self) -> Synonym:
        """Return the synonym with `a` and `b` exchanged."""
        return Synonym(self.b, self.a, self.accepted)


def read_synonyms(path: PathLike) -> list[Synonym]:
    """Return the synonyms in a file; empty lines and lines that begin with # are skipped."""
    table: list[Synonym] = []
    known: set[frozenset[str]] = set()
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            try:
                one = _synonym(line)
            except UsageError as error:
                raise InputError.at(path, number, str(error)) from None
            words = frozenset((_folded(one.a), _folded(one.b)))
            if words in known:
                raise InputError.at(path, number, f"{one.a!r} and {one.b!r} are given twice; keep one line")
            known.add(words)
            table.append(one)
    if not table:
        raise InputError.at(path, None, "has no synonyms; write lines of a, a tab and b")
    return table


def accepted_by_kind(table: Sequence[Synonym]) -> dict[str, tuple[str, ...]]:
    """Return the accepted outputs for each kind of pair, for the comparator `accepted`."""
    both = [*table, *(one.reversed() for one in table)]
    return {one.kind: one.accepted for one in both if one.accepted}


def natural_pairs(
    texts: Sequence[str | None],
    table: Sequence[Synonym],
    *,
    targets: Sequence[str] | None = None,
    both_ways: bool = False,
) -> list[TwinPair]:
    """Return the pairs of texts that contain the first word of a synonym: one pair per text and synonym.

    All occurrences are replaced, whole words only, keeping the case of the original; if several entries begin
    at the same place, the longest wins. A text that already contains the second word is left out, since the
    two could not be told apart there. `both_ways` also replaces the second word with the first. `targets` are
    the right answers to the texts, empty if unknown. None stands for a row without a text.

    >>> natural_pairs(["The lorry stops. LORRY!"], [Synonym("lorry", "truck")])[0].twin
    'The truck stops. TRUCK!'
    """
    rights = _targets(texts, targets)
    if not all(isinstance(one, Synonym) for one in table):
        raise UsageError("table must be a list of Synonym(a, b)")
    entries = [*table, *(one.reversed() for one in table if both_ways)]
    finder = _Finder([word for one in entries for word in (one.a, one.b)])
    numbers: dict[str, list[int]] = {}
    for number, one in enumerate(entries):
        numbers.setdefault(_folded(one.a), []).append(number)
    pairs = []
    for row, (text, target) in enumerate(zip(texts, rights, strict=True)):
        if text is None:
            continue
        places = finder.places(text)
        for number in sorted(number for phrase in places for number in numbers.get(phrase, ())):
            one = entries[number]
            if _folded(one.b) not in places:
                twin = _replaced(text, places[_folded(one.a)], one.b)
                pairs.append(TwinPair(text, twin, target, target, one.kind, row))
    return pairs


def _targets(texts: Sequence[str | None], targets: Sequence[str] | None) -> Sequence[str]:
    if isinstance(texts, str) or not all(text is None or isinstance(text, str) for text in texts):
        raise UsageError("texts must be a list of strings, with None for a missing text")
    if targets is None:
        return [""] * len(texts)
    if len(targets) != len(texts):
        raise UsageError(
            f"{number_of(len(targets), 'target')} for {number_of(len(texts), 'text')}; give one per text"
        )
    return targets


def transform_pairs(
    texts: Sequence[str | None],
    transform: Transform | str,
    *,
    targets: Sequence[str] | None = None,
    seed: int = 0,
    severity: float | None = None,
) -> list[TwinPair]:
    """Return the texts that a preset of `salva transform` changes, paired with the changed texts.

    >>> transform_pairs(["A great film"], preset("typos", prob=1.0, render="splice"), seed=1)[0].kind
    'typos'
    """
    rights = _targets(texts, targets)
    made = preset(transform) if isinstance(transform, str) else transform
    twins = made.transform(list(texts), seed=seed, severity=severity).transformed
    rows = zip(texts, twins, rights, strict=True)
    return [
        TwinPair(text, twin, target, target, made.name, row)
        for row, (text, twin, target) in enumerate(rows)
        if text is not None and twin is not None and twin != text
    ]


def _synonym(line: str) -> Synonym:
    cells = [" ".join(cell.split()) for cell in line.rstrip("\r").split("\t")]
    if not 2 <= len(cells) <= 3:
        raise UsageError(
            f"{number_of(len(cells), 'cell')}, not 2 or 3; write a, tab, b, and optionally tab and outputs"
        )
    accepted = cells[2].split("|") if len(cells) == 3 else []
    return Synonym(cells[0], cells[1], tuple(one.strip() for one in accepted if one.strip()))


def _is_phrase(text: str) -> bool:
    words = [match.span() for match in _WORD.finditer(text)]
    return bool(words) and words[0][0] == 0 and words[-1][1] == len(text)


@lru_cache(maxsize=1 << 16)
def _folded(phrase: str) -> str:
    """Return the form used to look up a phrase: no case, single blanks, straight apostrophes."""
    return " ".join(phrase.replace("’", "'").casefold().split())  # noqa: RUF001


class _Finder:
    """Finds words and phrases in texts; the time depends on the length of the text, not of the table."""

    def __init__(self, phrases: Sequence[str]) -> None:
        self._phrases = frozenset(map(_folded, phrases))
        sizes: dict[str, set[int]] = {}
        for phrase in self._phrases:
            words = _WORD.findall(phrase)
            sizes.setdefault(words[0], set()).add(len(words))
        self._sizes = {word: sorted(some, reverse=True) for word, some in sizes.items()}

    def places(self, text: str) -> dict[str, list[tuple[int, int]]]:
        """Return where each phrase occurs, without overlaps."""
        found: dict[str, list[tuple[int, int]]] = {}
        free = 0
        for start, end, phrase in self._hits(text):
            if start >= free:
                found.setdefault(phrase, []).append((start, end))
                free = end
        return found

    def _hits(self, text: str) -> Iterator[tuple[int, int, str]]:
        words = [match.span() for match in _WORD.finditer(text)]
        for k, (start, end) in enumerate(words):
            for size in self._sizes.get(_folded(text[start:end]), ()):
                last = words[k + size - 1][1] if k + size <= len(words) else None
                phrase = "" if last is None else _folded(text[start:last])
                if last is not None and phrase in self._phrases:
                    yield start, last, phrase
                    break


def _replaced(text: str, places: Sequence[tuple[int, int]], word: str) -> str:
    parts, last = [], 0
    for start, end in places:
        parts += [text[last:start], _cased(text[start:end], word)]
        last = end
    return "".join([*parts, text[last:]])


@lru_cache(maxsize=1 << 16)
def _cased(old: str, new: str) -> str:
    """Return a word in the case of the one it replaces; a word with capitals of its own keeps them."""
    pattern = casing.detect(old)
    own = casing.detect(new)
    if own == "mixed" or (pattern == "lower" and own != "lower"):
        return new
    return casing.apply(pattern, new)
