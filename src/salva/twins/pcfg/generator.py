"""PCFG SET corpora: train, dev and test with the sizes and distributions of the official one, or free ones.

Every split has exactly the official share of lines of every depth and length, and lines with results of all
lengths; the rest follows from the grammar and is measured. No string argument occurs twice in any split.
Every line is interpreted before it is written.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

from salva._arguments import check_whole
from salva._show import number_of
from salva._types import PathLike
from salva.errors import UsageError
from salva.twins.pcfg.files import whole_folder, write_lines, write_manifest
from salva.twins.pcfg.language import MOST_DEPTH, define_language, measure
from salva.twins.pcfg.sampling import (
    ORDER,
    Grammar,
    LineQuotas,
    divide,
    draw,
    draw_samples,
    official,
    order_draws,
    write_sample,
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
class Distance:
    """The distance of a split from the official test set, and that of the official dev set (tolerance)."""

    split: str
    measure: str
    distance: float
    tolerance: float

    @property
    def within(self) -> bool:
        """Whether the distance is at most that between the two official sets, which is due to chance."""
        return self.distance <= self.tolerance


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
        return dataclasses.asdict(self) | {"distances": parts, "within_tolerances": self.within_tolerances}


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
    quotas = [_quotas(size, depth, length) for size in sizes.values()]
    drawn, samples, strings = _draw_splits(grammar, quotas)
    splits = dict(zip(sizes, drawn, strict=True))
    free = depth is not None or length is not None
    far = () if free else tuple(d for name, split in splits.items() for d in distances(name, split))
    settings = {
        "lines": lines,
        "depth": depth,
        "length": length,
        "string_sizes": grammar.sizes,
        "alphabet": list(grammar.alphabet),
    }
    with whole_folder(folder, overwrite=overwrite) as place:
        files = {
            f"{name}.{ending}": write_lines(place / f"{name}.{ending}", column)
            for name, split in splits.items()
            for ending, column in (
                ("src", [line.source for line in split]),
                ("tgt", [line.target for line in split]),
            )
        }
        corpus = Corpus(str(Path(folder)), grammar.seed, sizes, samples, strings, far, files)
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
    return [line.source for line in _draw_splits(grammar, [quotas])[0][0]]


class _Line(NamedTuple):
    """A line, its value, and its measures."""

    source: str
    target: str
    depth: int
    length: int
    functions: int
    output_length: int


def _draw_splits(grammar: Grammar, quotas: list[LineQuotas]) -> tuple[list[list[_Line]], int, int]:
    """Draw and interpret all lines at once; return those of every split, and how many samples and strings."""
    counts = [split.sizes for split in quotas]
    total = dataclasses.replace(quotas[0], sizes=[sum(column) for column in zip(*counts, strict=True)])
    samples, drawn = draw_samples(grammar, total)
    samples.sort(key=lambda sample: draw(sample.key, 0, ORDER))  # hides the order in which they were found
    language, seen = define_language(None, grammar.symbols()), set[str]()
    lines = []
    for sample in samples:
        source = write_sample(grammar, sample, seen)
        tree = language.parse(source)
        value = language.value(tree)
        lines.append(_Line(source, " ".join(value), *measure(tree), len(value)))
    owners = _assign_splits(grammar, [sample.quota for sample in samples], lines, counts)
    splits: list[list[_Line]] = [[] for _ in quotas]
    for line, owner in zip(lines, owners, strict=True):
        splits[owner].append(line)
    return splits, drawn, len(seen)


def _assign_splits(
    grammar: Grammar, quotas: list[int], lines: list[_Line], counts: list[Sequence[int]]
) -> list[int]:
    """Return the split of every line.

    From each quota, sorted by the length of the result, each split takes lines at equal steps from a random
    start. If they were taken at random, the few lines of dev would often be further from the official test
    set than the official dev set is.
    """
    starts = iter(order_draws(grammar.seed, "twins split", len(counts) * len(counts[0])))
    turns = []
    for split, sizes in enumerate(counts):
        for quota, size in enumerate(sizes):
            start = next(starts) >> 34  # thirty bits, so that no float decides
            turns += [(quota, ((number << 30) + start) // size, split) for number in range(size)]
    order = sorted(range(len(lines)), key=lambda i: (quotas[i], lines[i].output_length, lines[i].functions))
    owners = [0] * len(lines)
    for row, (_, _, split) in zip(order, sorted(turns), strict=True):
        owners[row] = split
    return owners


def total_variation(left: Mapping[Hashable, int], right: Mapping[Hashable, int]) -> float:
    """Return half of the sum of absolute differences between two distributions, given as counts.

    >>> total_variation({"a": 1, "b": 1}, {"a": 30, "b": 10})
    0.25
    """
    n_left, n_right = sum(left.values()), sum(right.values())
    return sum(abs(left.get(key, 0) / n_left - right.get(key, 0) / n_right) for key in {**left, **right}) / 2


def distances(split: str, lines: Sequence[_Line]) -> list[Distance]:
    """Return the distance of some lines from the official test set, for each measure."""
    measured: dict[str, Iterable[Hashable]] = {
        "input_length": (line.length for line in lines),
        "depth": (line.depth for line in lines),
        "functions_per_line": (line.functions for line in lines),
        "output_length": (line.output_length for line in lines),
        "joint_depth_length": ((line.depth, line.length) for line in lines),
    }
    known = official()
    return [
        Distance(split, name, total_variation(Counter(values), known.histograms[name]), known.tolerance[name])
        for name, values in measured.items()
    ]


def _quotas(lines: int, depth: Bounds, length: Bounds) -> LineQuotas:
    """Ask for a number of lines of each depth and length, or of any within bounds, both ends included."""
    if depth is None and length is None:
        counts = divide(lines, official().cells)
        numbers = {cell: number for number, cell in enumerate(counts)}
        return LineQuotas(numbers, list(counts.values()), "of the official depths and lengths")
    shallow, deep = _bounds("depth", depth, (1, 17), (1, MOST_DEPTH))
    short, long = _bounds("length", length, (2, 71), (2, _MOST_LENGTH))
    cells = [(d, n) for d in range(shallow, deep + 1) for n in range(short, long + 1)]
    described = f"of depth {shallow} to {deep} and length {short} to {long}"
    return LineQuotas(dict.fromkeys(cells, 0), [lines], described)


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
