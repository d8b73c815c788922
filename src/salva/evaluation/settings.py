"""The settings on which the results of a run depend, checked; and the conditions that they describe."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pyarrow as pa

from salva._arguments import argument, check_severity, check_whole
from salva._arrow import Strings
from salva._types import PathLike
from salva.datasets import ReadOptions
from salva.errors import UsageError
from salva.runs.noise import ALONE_TEXTS, NOISE_TEXTS
from salva.tasks import Task, read_task, restore_task
from salva.transforms import Protected, Transform, Twins, expand_names, fit_files, restore
from salva.transforms import preset as make_preset
from salva.transforms.vocabulary import FitOn

SEVERITIES = (0.25, 0.5, 1.0)
Presets: TypeAlias = PathLike | Transform | Iterable[PathLike | Transform] | None
DEFAULT_PRESETS = ("natural", "misspellings")


@dataclass(frozen=True, slots=True)
class Condition:
    """A preset at one severity and replicate: `typos@0.5`, `typos@0.5#1`; or `typos/render`.

    The latter has no severity: texts are taken apart and reassembled without an edit.
    """

    name: str
    preset: str
    transform: Transform
    severity: float | None
    replicate: int
    seed: int

    def make_twins(self, texts: Strings, *, protected: Protected = None, threads: int | None = None) -> Twins:
        """Return the texts and their twins under this condition."""
        if self.severity is None:
            return self.transform.put_together(texts, protected=protected, threads=threads)
        return self.transform.transform(
            texts,
            seed=self.seed,
            severity=self.severity,
            replicate=self.replicate,
            protected=protected,
            threads=threads,
        )

    @property
    def spliced(self) -> bool:
        """Whether everything except the edits is unchanged."""
        return self.transform.render == "splice"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """Everything that the numbers of a run depend on, except the data and the model.

    `noise` texts are asked about again, `alone` of them one at a time. For every condition, `flips` rows are
    kept for inspection; for each of them, the model is called at most `blame_calls` times to find the edits
    to blame. Rows with the same value in `group_column` are not independent; by default, those with the same
    text are not. The drop is also measured in slices of the rows by each column of `slice_by`. With a `task`,
    the model is asked the task's questions.
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
    group_column: str | None = None
    slice_by: tuple[str, ...] = ()
    task: Task | None = None

    def __post_init__(self) -> None:
        if not self.transforms:
            raise UsageError(
                f"there is no preset; give one, or leave out {argument('presets', flag='--preset')}"
            )
        severities = tuple(sorted({check_severity(value) for value in self.severities}))
        if not severities or severities[0] == 0:
            raise UsageError("severity 0 changes nothing; give severities above 0, up to 1")
        object.__setattr__(self, "severities", severities)
        columns = (self.slice_by,) if isinstance(self.slice_by, str) else self.slice_by
        object.__setattr__(self, "slice_by", tuple(dict.fromkeys(columns)))
        check_whole("seed", self.seed)
        for name, least in (("replicates", 1), ("noise", 0), ("alone", 0), ("flips", 0), ("blame_calls", 0)):
            check_whole(name, getattr(self, name), least)
        check_whole("resamples", self.resamples, 100, 1_000_000)
        if not math.isfinite(self.effective_over):
            raise UsageError(f"effective_over={self.effective_over!r} must be a number of points")

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions: for each preset its render, if that may change a text, then its severities."""
        conditions = []
        for preset, transform in self.transforms.items():
            if transform.render != "splice":
                conditions.append(Condition(f"{preset}/render", preset, transform, None, 0, self.seed))
            for severity in self.severities:
                for replicate in range(self.replicates):
                    name = f"{preset}@{severity:g}" + (f"#{replicate}" if replicate else "")
                    conditions.append(Condition(name, preset, transform, severity, replicate, self.seed))
        return tuple(conditions)

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The columns of the data that are kept with the texts, labels and ids."""
        groups = () if self.group_column is None else (self.group_column,)
        asked = () if self.task is None else self.task.kept_columns
        return tuple(dict.fromkeys([*groups, *self.slice_by, *asked]))

    @property
    def rewritten_columns(self) -> tuple[int, ...]:
        """The numbers of the text columns that are rewritten: with a task, all that it lets edit."""
        return (self.transformed_column,) if self.task is None else tuple(range(len(self.task.edit)))

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        names = [field.name for field in dataclasses.fields(self)][1:]
        values = {
            "presets": {name: transform.as_dict() for name, transform in self.transforms.items()},
            **{name: getattr(self, name) for name in names},
            "label_map": dict(self.label_map),
            "task": None if self.task is None else self.task.as_dict(),
        }
        plain: dict[str, Any] = json.loads(json.dumps(values))  # as it will be read back: lists, not tuples
        return plain


# What the model is asked about every row depends on these settings, and on no other.
_QUESTIONS = ("transforms", "severities", "replicates", "seed", "transformed_column", "task")
FREE_SETTINGS = tuple(
    field.name for field in dataclasses.fields(EvaluationSettings) if field.name not in _QUESTIONS
)


def restore_settings(saved: Mapping[str, Any], changes: Mapping[str, Any]) -> EvaluationSettings:
    """Return the settings that `EvaluationSettings.as_dict` describes, some of them changed.

    Refuse presets whose twins would not be the same today.
    """
    plain = {name: value for name, value in saved.items() if name not in ("presets", "task")}
    if saved.get("task") is not None:
        plain["task"] = restore_task(saved["task"])
    transforms = {name: restore(about) for name, about in saved["presets"].items()}
    return EvaluationSettings(transforms=transforms, **{**plain, **changes})


def named_transforms(chosen: Presets) -> dict[str, Transform]:
    """Return transforms under distinct names: those of their presets, numbered if there are several.

    >>> list(named_transforms(["typos", make_preset("typos", prob=0.1)]))
    ['typos', 'typos-2']
    """
    named: dict[str, Transform] = {}
    for transform in _each_once(DEFAULT_PRESETS if chosen is None else chosen):
        name, number = transform.name, 1
        while name in named:
            number += 1
            name = f"{transform.name}-{number}"
        named[name] = transform
    return named


def _each_once(chosen: PathLike | Transform | Iterable[PathLike | Transform]) -> Iterator[Transform]:
    """Yield the transforms; a bundle stands for its presets, and a name that was there before is skipped."""
    seen: set[str] = set()
    for one in [chosen] if isinstance(chosen, str | os.PathLike | Transform) else chosen:
        if isinstance(one, Transform):
            yield one
            continue
        names = [name for name in expand_names([one]) if name not in seen]
        seen.update(names)
        yield from map(make_preset, names)


def make_settings(
    source: PathLike | pa.Table,
    *,
    presets: Presets,
    severities: float | Iterable[float],
    fit: FitOn | None,
    options: ReadOptions,
    threads: int | None,
    **settings: Any,
) -> EvaluationSettings:
    """Return settings whose presets, if they have a vocabulary, are fitted on the common words of `fit`."""
    names = [field.name for field in dataclasses.fields(EvaluationSettings)][1:]
    for name in settings:
        if name not in names:
            raise UsageError(f"evaluate has no setting {name!r}; choose from {', '.join(names[3:])}")
    transforms = named_transforms(presets)
    if fit is not None:
        fitted = fit_files(transforms.values(), fit, source=source, options=options, threads=threads)
        transforms = dict(zip(transforms, fitted, strict=True))
    if isinstance(settings.get("task"), str | os.PathLike):
        settings["task"] = read_task(settings["task"])
    chosen = tuple(severities) if isinstance(severities, Iterable) else (severities,)
    return EvaluationSettings(transforms=transforms, severities=chosen, **settings)
