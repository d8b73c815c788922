"""A suite as data and settings: its items as rows with their frozen twins, its presets without their code."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, cast

from salva._arguments import argument
from salva._arrow import as_strings
from salva._results import build
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.evaluation.axes import Axes
from salva.evaluation.results import DataInfo
from salva.runs import RowGroup, write_rows
from salva.suites import Suite, Twin, open_suite, open_whole
from salva.transforms import Transform, Validity, restore

_GROUP = 1024  # items that are read together
_FLAGS = {"presets": "--preset", "severities": "--severity", "axes": "--axis"}
_TWIN = "twin "  # before the name of a condition: the column that has its twins


@dataclass(frozen=True)
class FrozenPreset:
    """A preset as a suite describes it: everything but its code, which may have changed since."""

    about: Mapping[str, Any]

    name = property(lambda self: self.about["preset"])
    version = property(lambda self: self.about["version"])
    render = property(lambda self: self.about["settings"]["render"])
    family = property(lambda self: self.about["frozen"]["family"])

    @property
    def validity(self) -> Validity | None:
        """How many of its edits keep the meaning, as it was known when the suite was frozen."""
        plain = self.about["frozen"]["validity"]
        return None if plain is None else build(Validity, plain)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the preset, its version and settings."""
        plain = {name: value for name, value in self.about.items() if name != "frozen"}
        return f"sha256:{hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()}"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return dict(self.about)


def restore_preset(about: Mapping[str, Any]) -> Transform:
    """Return the preset of a run: as a suite has it, or as it is today."""
    return cast(Transform, FrozenPreset(about)) if "frozen" in about else restore(about)


def twin_column(condition: str) -> str:
    """Return the name of the column in which the rows of a run keep the twins of a condition."""
    return f"{_TWIN}{condition}"


def frozen_arguments(path: PathLike, settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a suite; refuse `given` ones that would change what it asks."""
    changed = next((name for name, value in given.items() if value), None)
    if changed is not None:
        named = argument(changed, flag=_FLAGS.get(changed))
        raise UsageError(f"{path} is a suite, whose questions are frozen; leave out {named}")
    suite = open_suite(path)
    if not suite.manifest.conditions:
        raise InputError.at(path, None, "has no twins to evaluate")
    presets = {name: restore_preset(_describe(suite, name)) for name in suite.manifest.presets}
    name = f"{suite.manifest.name}.{suite.digest}"
    return {**settings, **describe_questions(suite), "transforms": presets, "suite": name}


def describe_questions(suite: Suite) -> dict[str, Any]:
    """Return the settings that a suite was frozen with, without its presets."""
    columns, conditions = suite.manifest.columns, suite.manifest.conditions
    severities = tuple(dict.fromkeys(one.severity for one in conditions if one.severity is not None))
    return {
        **({"severities": severities} if severities else {}),
        "replicates": 1 + max(condition.replicate for condition in conditions),
        "seed": conditions[0].seed,
        "transformed_column": 0 if suite.task else columns.texts.index(columns.rewritten[0]),
        "task": suite.task,
        "axes": Axes(variants=suite.manifest.variants),
    }


def _describe(suite: Suite, name: str) -> dict[str, Any]:
    manifest, preset = suite.manifest, suite.manifest.presets[name]
    counts = {one.name: one.summary for one in manifest.conditions if one.preset == name}
    validity = manifest.made.validity.get(name)
    return {**preset.about, "frozen": {"family": preset.family, "validity": validity, "counts": counts}}


def suite_rows(suite: Suite, *, twins: bool = False) -> Iterator[RowGroup]:
    """Yield the items of a suite as rows, in groups of limited size; with `twins`, as further columns.

    Paraphrases get back the columns that they had in the data.
    """
    columns, first = suite.manifest.columns, 0
    conditions, contrasts = suite.manifest.conditions, suite.manifest.contrasts
    rows = iter(suite)
    while some := list(islice(rows, _GROUP)):
        items = [row.item for row in some]
        texts = tuple(as_strings([item.texts[name] for item in items]) for name in columns.texts)
        kept = {name: [item.columns.get(name) for item in items] for name in columns.kept}
        for k, condition in enumerate(conditions):
            own = [row.twins[k] for row in some]
            if condition.variant is not None:
                kept[condition.variant] = [twin.texts[columns.rewritten[0]] for twin in own]
            elif twins:
                kept[twin_column(condition.name)] = [_pack(twin, condition in contrasts) for twin in own]
        yield RowGroup(first, [item.id for item in items], texts, [item.label for item in items], kept)
        first += len(some)


def _pack(twin: Twin, is_contrast: bool) -> str:
    """Return a twin as JSON, without its question, which its texts make; a contrast has its own targets."""
    targets = [twin.targets] if is_contrast else []
    edits = [tuple(edit) for edit in twin.edits]
    return json.dumps([dict(twin.texts), edits, *targets], ensure_ascii=False)


def read_suite(path: PathLike, target: Path) -> DataInfo:
    """Keep the rows of a suite and their twins at `target`; refuse a suite that is not as it was frozen."""
    suite, labels = open_whole(path), Counter[str | None]()

    def counted() -> Iterator[RowGroup]:
        for group in suite_rows(suite, twins=True):
            labels.update(group.labels)
            yield group

    write_rows(target, counted())
    columns, unlabelled = suite.manifest.columns, labels.pop(None, 0)
    has_classes = suite.task is None or suite.task.answer.has_classes
    counts = {str(name): labels[name] for name in sorted(map(str, labels))} if has_classes else {}
    return DataInfo(
        suite.manifest.name,
        suite.digest,
        len(suite),
        unlabelled,
        counts,
        columns.texts,
        columns.label,
        columns.id,
    )
