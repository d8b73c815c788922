"""The settings of a run on which its results depend, checked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from salva._arguments import check_severity, check_whole
from salva._types import PathLike
from salva.datasets import ReadOptions
from salva.errors import UsageError
from salva.runs.noise import ALONE_TEXTS, NOISE_TEXTS
from salva.transforms import Transform, fit_files, presets
from salva.transforms import preset as make_preset
from salva.transforms.vocabulary import FitOn

SEVERITIES = (0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """Everything except the data and the model on which the numbers of a run depend.

    `noise` texts are asked about again, `alone` of them one at a time. For every condition, `flips` rows are
    kept for inspection; for each of them, the model is called at most `blame_calls` times to find the edits
    to blame.
    """

    transforms: Mapping[str, Transform]
    severities: tuple[float, ...] = SEVERITIES
    replicates: int = 1
    seed: int = 0
    effective_over: float = 4.0
    noise: int = NOISE_TEXTS
    alone: int = ALONE_TEXTS
    flips: int = 50
    blame_calls: int = 32
    resamples: int = 10_000
    transformed_column: int = 0
    label_map: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.transforms:
            raise UsageError("there is no preset; give one, or leave out --preset for all")
        severities = tuple(sorted({check_severity(value) for value in self.severities}))
        if not severities or severities[0] == 0:
            raise UsageError("severity 0 changes nothing; give severities above 0, up to 1")
        object.__setattr__(self, "severities", severities)
        check_whole("seed", self.seed)
        for name, least in (("replicates", 1), ("noise", 0), ("alone", 0), ("flips", 0), ("blame_calls", 0)):
            check_whole(name, getattr(self, name), least)
        check_whole("resamples", self.resamples, 100, 1_000_000)
        if not math.isfinite(self.effective_over):
            raise UsageError(f"effective_over={self.effective_over!r} must be a number of points")

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        names = (
            "replicates",
            "seed",
            "effective_over",
            "noise",
            "alone",
            "flips",
            "blame_calls",
            "resamples",
        )
        values = {
            "presets": {name: one.as_dict() for name, one in self.transforms.items()},
            "severities": self.severities,
            **{name: getattr(self, name) for name in names},
            "transformed_column": self.transformed_column,
            "label_map": dict(self.label_map),
        }
        plain: dict[str, Any] = json.loads(json.dumps(values))  # as it will be read back: lists, not tuples
        return plain


def named_transforms(given: Iterable[PathLike | Transform] | None) -> dict[str, Transform]:
    """Return transforms under distinct names: those of their presets, numbered if there are several.

    >>> list(named_transforms(["typos", make_preset("typos", prob=0.1)]))
    ['typos', 'typos-2']
    """
    wanted = presets() if given is None else given
    named: dict[str, Transform] = {}
    for one in wanted:
        transform = one if isinstance(one, Transform) else make_preset(one)
        name, number = transform.name, 1
        while name in named:
            number += 1
            name = f"{transform.name}-{number}"
        named[name] = transform
    return named


def fitted_transforms(
    transforms: Mapping[str, Transform],
    fit: FitOn | None,
    source: PathLike | pa.Table,
    options: ReadOptions,
    *,
    threads: int | None = None,
) -> dict[str, Transform]:
    """Return the transforms; those with a vocabulary are fitted on the common words of `fit`."""
    if fit is None:
        return dict(transforms)
    fitted = fit_files(transforms.values(), fit, source=source, options=options, threads=threads)
    return dict(zip(transforms, fitted, strict=True))
