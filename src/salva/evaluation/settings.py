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
from salva._types import PathLike
from salva.errors import UsageError
from salva.evaluation.axes import Axes
from salva.evaluation.conditions import Condition, Contrast, Rewriting
from salva.evaluation.frozen import frozen_arguments, restore_preset, twin_column
from salva.rows import ReadOptions
from salva.runs import RunRows
from salva.runs.noise import ALONE_TEXTS, NOISE_TEXTS
from salva.suites import is_suite
from salva.tasks import Task, both_ways, read_task, restore_task
from salva.transforms import Transform, expand_names, fit_files
from salva.transforms import preset as make_preset
from salva.transforms.vocabulary import FitOn

SEVERITIES = (0.25, 0.5, 1.0)
Presets: TypeAlias = PathLike | Transform | Iterable[PathLike | Transform] | None
DEFAULT_PRESETS = ("natural", "misspellings")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """Everything that the numbers of a run depend on, except the data and the model.

    `noise` texts are asked about again, `alone` of them one at a time. For every condition, `flips` rows are
    kept for inspection; for each of them, the model is called at most `blame_calls` times to find the edits
    to blame. Rows with the same value in `group_column` are not independent; by default, those with the same
    text are not. The drop is also measured in slices of the rows by each column of `slice_by`. With a `task`,
    the model is asked the task's questions. With `axes`, it is asked in other ways too; with `cross`, so are
    the twins. `suite` is the name and digest of the suite whose questions are asked. `contrast_labels` are
    opposite labels, such as `{"positive": "negative"}`: a negation or an antonym turns one into the other.
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
    axes: Axes = field(default_factory=Axes)
    cross: bool = False
    suite: str | None = None
    contrast_labels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.transforms and not self.axes:
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
        if self.cross and not (self.transforms and self.axes):
            both = f"{argument('presets', flag='--preset')} and {argument('axes', flag='--axis')}"
            raise UsageError(f"{argument('cross', True)} needs {both}, which it combines")
        if self.contrast_labels and (self.task is not None or self.suite is not None):
            name = argument("contrast_labels", flag="--contrast-label")
            other = "a suite has its right answers" if self.suite else "a task has [contrast] opposites"
            raise UsageError(f"{name} is for labels of data; {other}")
        _ = self.kept_columns, self.opposites

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions: presets, then the variants of every axis, then both if they are crossed."""
        rewritings = list(self._list_rewritings())
        variants = list(self.axes.list_variants(self.task, self.seed))
        alone = [*map(Condition, rewritings), *(Condition(None, variant) for variant in variants)]
        crossed = [Condition(one, variant) for variant in variants for one in rewritings if self.cross]
        return (*alone, *(condition for condition in crossed if condition.has_edits))

    def count_orders(self, rows: RunRows) -> EvaluationSettings:
        """Return the settings with as many orders of options as the rows have, if all are wanted."""
        return dataclasses.replace(self, axes=self.axes.count_orders(self.task, rows))

    def _list_rewritings(self) -> Iterator[Rewriting]:
        """Yield, for each preset, its render, if that may change a text, then its severities."""
        for preset, transform in self.kept_transforms.items():
            if transform.render != "splice":
                yield Rewriting(preset, transform, None, 0, self.seed)
            for severity in self.severities:
                for replicate in range(self.replicates):
                    yield Rewriting(preset, transform, severity, replicate, self.seed)

    @property
    def kept_transforms(self) -> dict[str, Transform]:
        """The transforms after which the answer must stay the same: all but contrasts."""
        return {name: one for name, one in self.transforms.items() if one.family != "contrast"}

    @property
    def contrasts(self) -> list[Contrast]:
        """The contrasts, at the highest severity only: severity is a share of rows."""
        severity = max(self.severities)
        return [
            Contrast(preset, transform, severity, replicate, self.seed)
            for preset, transform in self.transforms.items()
            if transform.family == "contrast"
            for replicate in range(self.replicates)
        ]

    @property
    def opposites(self) -> dict[str, str]:
        """The labels that a negation or an antonym turns into one another."""
        return both_ways(self.contrast_labels)

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The columns of the data that are kept with the texts, labels and ids."""
        groups = () if self.group_column is None else (self.group_column,)
        asked = () if self.task is None else self.task.kept_columns
        variants = self.axes.list_columns(self.task, self.seed)
        return tuple(dict.fromkeys([*groups, *self.slice_by, *asked, *variants, *self.frozen_columns]))

    @property
    def frozen_columns(self) -> tuple[str, ...]:
        """The columns that have the twins of a suite."""
        if self.suite is None:
            return ()
        made: list[Rewriting | Contrast] = [*self._list_rewritings(), *self.contrasts]
        return tuple(twin_column(one.name) for one in made)

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
            "contrast_labels": dict(self.contrast_labels),
            "task": None if self.task is None else self.task.as_dict(),
            "axes": self.axes.as_dict(),
        }
        plain: dict[str, Any] = json.loads(json.dumps(values))  # as it will be read back: lists, not tuples
        return plain


# What the model is asked about every row depends on these settings, and on no other.
_QUESTIONS = (
    "transforms",
    "severities",
    "replicates",
    "seed",
    "transformed_column",
    "task",
    "axes",
    "cross",
    "suite",
)
FREE_SETTINGS = tuple(
    field.name for field in dataclasses.fields(EvaluationSettings) if field.name not in _QUESTIONS
)


def restore_settings(saved: Mapping[str, Any], changes: Mapping[str, Any]) -> EvaluationSettings:
    """Return the settings that `EvaluationSettings.as_dict` describes, some of them changed.

    Refuse presets whose twins would not be the same today.
    """
    plain = {name: value for name, value in saved.items() if name not in ("presets", "task", "axes")}
    about = saved.get("axes", {})
    plain["axes"] = Axes(**{**about, "variants": tuple(about.get("variants", ()))})
    if saved.get("task") is not None:
        plain["task"] = restore_task(saved["task"])
    transforms = {name: restore_preset(about) for name, about in saved["presets"].items()}
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
    if is_suite(source):
        questions = ("task", "axes", "cross", "transformed_column", "replicates", "seed")
        given = {name: settings.pop(name, None) for name in questions}
        given |= {
            "presets": presets,
            "fit": fit,
            "severities": severities if severities != SEVERITIES else None,
        }
        given["replicates"] = given["replicates"] not in (None, 1)
        return EvaluationSettings(**frozen_arguments(os.fspath(source), settings, given))
    settings["axes"] = Axes.of(settings.get("axes"))
    transforms = {} if presets is None and settings["axes"] else named_transforms(presets)
    if fit is not None:
        fitted = fit_files(transforms.values(), fit, source=source, options=options, threads=threads)
        transforms = dict(zip(transforms, fitted, strict=True))
    if isinstance(settings.get("task"), str | os.PathLike):
        settings["task"] = read_task(settings["task"])
    chosen = tuple(severities) if isinstance(severities, Iterable) else (severities,)
    return EvaluationSettings(transforms=transforms, severities=chosen, **settings)
