"""The result of a score: one object from which the page, the table on the terminal and the JSON are made.

Rates are percentages. `opp` is OP/n, `opp_1based` is (OP+1)/(n+1): two conventions that cannot be compared.
None stands for what could not be measured. `read_score` reads the JSON back for a comparison.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from salva._results import brief, load_result, read_json
from salva._types import PathLike
from salva.errors import InputError
from salva.numbers import Estimate
from salva.outliers.vectors.similarities import SourceInfo


@dataclass(frozen=True, slots=True)
class Figures:
    """Exercises that count, hits among them, and the measures with bootstrap intervals over topics."""

    counted: int
    hits: int
    accuracy: Estimate
    opp: Estimate
    opp_1based: Estimate


@dataclass(frozen=True, slots=True)
class GroupScore:
    """Figures for some of the exercises: `by` sub-set, kind, part of speech, language or multiword."""

    by: str
    name: str
    sets: int
    figures: Figures


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many words of the sets were found (16 per set), and how many exercises have all their words."""

    words: int
    known: int
    percent: float
    exercises: int
    complete: int


@dataclass(frozen=True, slots=True)
class ExerciseScore:
    """One outlier among the inliers.

    `op` is how many of the `n` inliers rank above the outlier; `predicted` is the word taken as the outlier;
    `beaten_by` are the inliers that fit in less well than the outlier, worst first; `margin` is by how much
    even the worst-fitting inlier is more similar to the others than the outlier (below 0: not found).
    """

    digest: str
    topic: str
    language: str
    number: int
    subset: int
    outlier: str
    multiword: bool
    counted: bool
    n: int
    op: int
    hit: bool
    opp: float
    opp_1based: float
    predicted: str | None
    beaten_by: tuple[str, ...]
    margin: float | None
    reason: str | None


@brief
@dataclass(frozen=True, slots=True)
class SetScore:
    """One set: kind, part of speech, missing words, figures without intervals, and those of sub-sets 1 to 4.

    `reason` says why exercises count as wrong, or do not count, if words are missing.
    """

    digest: str
    topic: str
    language: str
    kind: str | None
    pos: str | None
    missing: tuple[str, ...]
    figures: Figures
    subsets: tuple[Figures, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Confusion:
    """An inlier that fitted in less well than outliers of its set, in `times` of `of` exercises."""

    topic: str
    language: str
    word: str
    times: int
    of: int
    outliers: tuple[str, ...]


@brief
@dataclass(frozen=True, slots=True)
class OutlierScore:
    """All results of a score; nothing in it depends on the time or the machine."""

    format: int
    salva: str
    signature: str
    source: SourceInfo
    policy: str
    min_coverage: float
    seed: int
    coverage: Coverage
    figures: Figures
    groups: tuple[GroupScore, ...]
    sets: tuple[SetScore, ...]
    confusions: tuple[Confusion, ...]
    exercises: tuple[ExerciseScore, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def read_score(path: PathLike) -> OutlierScore:
    """Return a score that `salva outliers score --json` printed."""
    plain = read_json(path)
    if not isinstance(plain, dict) or not {"format", "exercises", "policy"} <= plain.keys():
        raise InputError.at(path, None, "is not a score; make one with salva outliers score --json")
    if plain["format"] != 1:
        raise InputError.at(path, None, f"has format {plain['format']!r}, unknown to this Salva; score again")
    return load_result(path, OutlierScore, plain)
