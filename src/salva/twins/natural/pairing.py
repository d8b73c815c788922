"""Pairs of plain texts: a word is replaced with its synonym, or a preset rewrites the text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from salva._arguments import argument
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.models import label_name
from salva.rows import ReadOptions, open_rows
from salva.rows.jsonl import as_table
from salva.text import casing
from salva.transforms import Transform, preset
from salva.twins.natural.synonyms import WORD, Synonym, fold, read_synonyms
from salva.twins.pair import TwinPair


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
    targets = _check_targets(texts, targets)
    if not all(isinstance(synonym, Synonym) for synonym in table):
        raise UsageError("table must be a list of Synonym(a, b)")
    synonyms = [*table, *(synonym.reversed() for synonym in table if both_ways)]
    finder = _PhraseFinder([word for synonym in synonyms for word in (synonym.a, synonym.b)])
    numbers: dict[str, list[int]] = {}
    for number, synonym in enumerate(synonyms):
        numbers.setdefault(fold(synonym.a), []).append(number)
    pairs = []
    for row, (text, target) in enumerate(zip(texts, targets, strict=True)):
        places = {} if text is None else finder.places(text)
        for number in sorted(number for phrase in places for number in numbers.get(phrase, ())):
            synonym = synonyms[number]
            if text is not None and fold(synonym.b) not in places:
                twin = _replace(text, places[fold(synonym.a)], synonym.b)
                pairs.append(TwinPair(text, twin, target, target, synonym.kind, row))
    return pairs


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
    targets = _check_targets(texts, targets)
    rewriter = preset(transform) if isinstance(transform, str) else transform
    twins = rewriter.transform(list(texts), seed=seed, severity=severity).transformed
    rows = zip(texts, twins, targets, strict=True)
    return [
        TwinPair(text, twin, target, target, rewriter.name, row)
        for row, (text, twin, target) in enumerate(rows)
        if text is not None and twin is not None and twin != text
    ]


def _check_targets(texts: Sequence[str | None], targets: Sequence[str] | None) -> Sequence[str]:
    if isinstance(texts, str) or not all(text is None or isinstance(text, str) for text in texts):
        raise UsageError("texts must be a list of strings, with None for a missing text")
    if targets is None:
        return [""] * len(texts)
    if len(targets) != len(texts):
        raise UsageError(
            f"{number_of(len(targets), 'target')} for {number_of(len(texts), 'text')}; give one per text"
        )
    return targets


def pair_texts(
    path: PathLike,
    *,
    synonyms: PathLike | None = None,
    both_ways: bool = False,
    presets: Sequence[str] = (),
    options: ReadOptions | None = None,
    seed: int = 0,
    severity: float | None = None,
) -> list[TwinPair]:
    """Return the pairs of the texts of a data set, by a table of synonyms, by presets, or by both.

    The label column of the data set, if it has one, is the target of a text and of its twin.
    """
    texts, targets = read_texts(path, options)
    table = [] if synonyms is None else read_synonyms(synonyms)
    pairs = natural_pairs(texts, table, targets=targets, both_ways=both_ways)
    for name in presets:
        pairs += transform_pairs(texts, name, targets=targets, seed=seed, severity=severity)
    if not pairs:
        problem = f"no pair can be made from its {number_of(len(texts), 'text')}"
        raise InputError.at(path, None, f"{problem}; try other synonyms or presets")
    return pairs


def read_texts(path: PathLike, options: ReadOptions | None = None) -> tuple[list[str | None], list[str]]:
    """Return the texts of a data set and their labels; a missing text is None, a missing label ""."""
    texts: list[str | None] = []
    targets: list[str] = []
    with open_rows(path, options) as rows:
        if len(rows.columns.text) > 1:
            names = f"{argument('text_column')} names {len(rows.columns.text)} columns"
            raise UsageError(f"{names}; twins need exactly one")
        for batch in map(as_table, rows):
            label = rows.columns.label
            labels: list[Any] = [None] * len(batch) if label is None else batch.column(label).to_pylist()
            texts += batch.column(rows.columns.text[0]).to_pylist()
            targets += [label_name(value) or "" for value in labels]
    return texts, targets


class _PhraseFinder:
    """Finds words and phrases in texts; the time depends on the length of the text, not of the table."""

    def __init__(self, phrases: Sequence[str]) -> None:
        self._phrases = frozenset(map(fold, phrases))
        sizes: dict[str, set[int]] = {}
        for phrase in self._phrases:
            words = WORD.findall(phrase)
            sizes.setdefault(words[0], set()).add(len(words))
        self._sizes = {word: sorted(some, reverse=True) for word, some in sizes.items()}

    def places(self, text: str) -> dict[str, list[tuple[int, int]]]:
        """Return where each phrase occurs, without overlaps."""
        places: dict[str, list[tuple[int, int]]] = {}
        words = [match.span() for match in WORD.finditer(text)]
        free = 0
        for k, (start, end) in enumerate(words):
            sizes = self._sizes.get(fold(text[start:end]), ()) if start >= free else ()
            for last in (words[k + size - 1][1] for size in sizes if k + size <= len(words)):
                phrase = fold(text[start:last])
                if phrase in self._phrases:
                    places.setdefault(phrase, []).append((start, last))
                    free = last
                    break
        return places


def _replace(text: str, places: Sequence[tuple[int, int]], word: str) -> str:
    parts, last = [], 0
    for start, end in places:
        parts += [text[last:start], _match_case(text[start:end], word)]
        last = end
    return "".join([*parts, text[last:]])


@lru_cache(maxsize=1 << 16)
def _match_case(old: str, new: str) -> str:
    """Return a word in the case of the one it replaces; a word with capitals of its own keeps them."""
    pattern, own = casing.detect(old), casing.detect(new)
    keeps = own == "mixed" or (pattern == "lower" and own != "lower")
    return new if keeps else casing.apply(pattern, new)
