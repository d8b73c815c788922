"""PCFG SET corpora: train, dev and test with the sizes and distributions of the official one, or free ones.

Every split has exactly the official share of lines of every depth and length, and lines with results of all
lengths; the rest follows from the grammar and is measured. No string argument occurs twice in any split.
Every line is interpreted before it is written.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

from salva._arguments import check_whole
from salva._show import number_of
from salva._types import Ints64, PathLike
from salva.errors import UsageError
from salva.twins.pcfg.files import whole_folder, write_lines, write_manifest
from salva.twins.pcfg.interpreter import LineMeasures, interpret_and_measure
from salva.twins.pcfg.language import MOST_DEPTH
from salva.twins.pcfg.official import Distance, distances, official
from salva.twins.pcfg.sampling import (
    Grammar,
    LineQuotas,
    Samples,
    divide,
    draw_samples,
    order_draws,
    sample_draws,
    write_samples,
)

LINES = 97_203
SPLITS = ("train", "dev", "test")
_SHARES = (85, 5)  # percent; the rest is test
_MOST_LENGTH = 1000
_LEAST_LINES = 20  # so that dev has one
_MOST_LINES = 100_000_000

Bounds = int | tuple[int, int] | None


class CorpusShape(TypedDict):
    """The arguments of `generate` that say how large a corpus is and what its lines are like."""

    lines: int
    depth: Bounds
    length: Bounds
    alphabet: int | Sequence[str] | None
    string_sizes: Mapping[int, int] | None


@dataclass(frozen=True, slots=True)
class Corpus:
    """What was written: lines per split, files with digests, samples drawn, distances from the official."""

    folder: str
    seed: int
    lines: Mapping[str, int]
    samples: int
    strings: int
    distances: tuple[Distance, ...]
    files: Mapping[str, Mapping[str, Any]]

    @property
    def within_tolerances(self) -> bool | None:
        """Whether every distance is within its tolerance; None if lengths or depths were chosen."""
        return all(distance.within for distance in self.distances) if self.distances else None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        parts = [dataclasses.asdict(distance) | {"within": distance.within} for distance in self.distances]
        rest = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return rest | {"distances": parts, "within_tolerances": self.within_tolerances}


def split_sizes(lines: int) -> dict[str, int]:
    """Return the number of lines in train, dev and test.

    >>> split_sizes(97_203)
    {'train': 82622, 'dev': 4860, 'test': 9721}
    """
    train, dev = (lines * share // 100 for share in _SHARES)
    return {"train": train, "dev": dev, "test": lines - train - dev}


def generate(
    folder: PathLike,
    *,
    seed: int = 0,
    lines: int = LINES,
    depth: Bounds = None,
    length: Bounds = None,
    alphabet: int | Sequence[str] | None = None,
    string_sizes: Mapping[int, int] | None = None,
    overwrite: bool = False,
) -> Corpus:
    """Write train, dev and test, as `.src` and `.tgt`, and a manifest with a report into a folder.

    With `depth` or `length` (a number, or the least and the greatest value), lines are taken as the grammar
    makes them within these bounds; otherwise they are distributed as in the official corpus. `alphabet` is a
    number of symbols or a list of them; `string_sizes` maps the sizes of string arguments to weights.
    """
    grammar = Grammar.of(seed, alphabet, string_sizes)
    if check_whole("lines", lines, 1, _MOST_LINES) < _LEAST_LINES:
        few = f"{number_of(lines, 'line')} {'is' if lines == 1 else 'are'} too few"
        raise UsageError(f"{few} for train, dev and test; use {_LEAST_LINES} or more")
    sizes = split_sizes(lines)
    parts, drawn = _draw_splits(grammar, [_quotas(size, depth, length) for size in sizes.values()])
    splits = dict(zip(sizes, parts, strict=True))
    free = depth is not None or length is not None
    far = () if free else tuple(d for name, split in splits.items() for d in distances(name, split.measures))
    settings = {
        "lines": lines,
        "depth": depth,
        "length": length,
        "string_sizes": grammar.sizes,
        "alphabet": list(grammar.alphabet),
    }
    with whole_folder(folder, overwrite=overwrite) as place:
        files = {
            f"{name}.{ending}": write_lines(place / f"{name}.{ending}", content)
            for name, split in splits.items()
            for ending, content in (("src", split.sources), ("tgt", split.targets))
        }
        corpus = Corpus(str(Path(folder)), grammar.seed, sizes, drawn.drawn, drawn.strings, far, files)
        report = {name: value for name, value in corpus.as_dict().items() if name != "folder"}
        write_manifest(place, "salva twins generate", {"settings": settings} | report)
    return corpus


def generate_lines(
    count: int,
    *,
    seed: int = 0,
    depth: Bounds = None,
    length: Bounds = None,
    alphabet: int | Sequence[str] | None = None,
    string_sizes: Mapping[int, int] | None = None,
) -> list[str]:
    """Return lines without writing them; see `generate`.

    >>> len(generate_lines(3, depth=1, alphabet=26))
    3
    """
    grammar = Grammar.of(seed, alphabet, string_sizes)
    quotas = _quotas(check_whole("lines", count, 1, _MOST_LINES), depth, length)
    return _draw_splits(grammar, [quotas])[0][0].sources


class _Split(NamedTuple):
    """Lines, their values, and their measures."""

    sources: list[str]
    targets: list[str]
    measures: LineMeasures


def _draw_splits(grammar: Grammar, quotas: list[LineQuotas]) -> tuple[list[_Split], Samples]:
    """Draw the lines of all splits at once, and interpret every line."""
    total = dataclasses.replace(quotas[0], sizes=np.sum([split.sizes for split in quotas], axis=0))
    drawn = draw_samples(grammar, total)
    mixed = np.argsort(sample_draws(grammar, drawn.samples), kind="stable")
    lines = write_samples(grammar, total, drawn.samples[mixed], drawn.strings)
    values, measures = interpret_and_measure(lines, alphabet=grammar.symbols())
    labels = _assign_splits(grammar, drawn.quotas[mixed], measures, [split.sizes for split in quotas])
    splits = []
    for number in range(len(quotas)):
        rows = np.flatnonzero(labels == number)
        sources, targets = ([texts[row] for row in rows.tolist()] for texts in (lines, values))
        splits.append(_Split(sources, targets, LineMeasures(*(measure[rows] for measure in measures))))
    return splits, drawn


def _assign_splits(grammar: Grammar, quotas: Ints64, measures: LineMeasures, counts: list[Ints64]) -> Ints64:
    """Return the split of every line.

    From each quota, sorted by the length of the result, each split takes lines at equal steps from a random
    start. If they were taken at random, the few lines of dev would often be further from the official test
    set than the official dev set is.
    """
    shape = (len(counts), len(counts[0]))
    starts = order_draws(grammar.seed, "twins split", shape[0] * shape[1]).reshape(shape)
    steps, owners, homes = [], [], []
    for split, count in enumerate(counts):
        home = np.repeat(np.arange(len(count)), count)
        number = np.arange(len(home)) - np.repeat(np.cumsum(count) - count, count)
        # Thirty bits per start, so that all values are integers below 2**62 and the same on every machine.
        start = (starts[split] >> np.uint64(34)).astype(np.int64)[home]
        steps.append(((number << 30) + start) // count[home])
        owners.append(np.full(len(home), split))
        homes.append(home)
    owner, home = np.concatenate(owners), np.concatenate(homes)
    turns = owner[np.lexsort((owner, np.concatenate(steps), home))]
    labels = np.empty(len(quotas), np.int64)
    labels[np.lexsort((measures.functions, measures.output_length, quotas))] = turns
    return labels


def _quotas(lines: int, depth: Bounds, length: Bounds) -> LineQuotas:
    if depth is None and length is None:
        return LineQuotas.per_cell(divide(lines, official().cells))
    return LineQuotas.within(
        lines,
        _bounds("depth", depth, (1, 17), (1, MOST_DEPTH)),
        _bounds("length", length, (2, 71), (2, _MOST_LENGTH)),
    )


def _bounds(name: str, given: Bounds, usual: tuple[int, int], limits: tuple[int, int]) -> tuple[int, int]:
    low, high = usual if given is None else (given, given) if isinstance(given, int) else _two(name, given)
    if not limits[0] <= low <= high <= limits[1]:
        raise UsageError(
            f"{name}={given!r} must be between {limits[0]} and {limits[1]}, smaller number first"
        )
    return low, high


def _two(name: str, given: object) -> tuple[int, int]:
    if isinstance(given, tuple | list) and len(given) == 2 and all(type(number) is int for number in given):
        return given[0], given[1]
    raise UsageError(f"{name}={given!r:.60} must be a whole number or a range such as (2, 4)")
