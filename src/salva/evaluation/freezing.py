"""Freeze a suite: make the inputs of an evaluation once, and keep them with right answers and edits."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import PurePath
from typing import Any

import pyarrow as pa

from salva._arguments import argument
from salva._files import scratch_folder
from salva._progress import ProgressOption, tracking
from salva._types import PathLike
from salva._version import __version__
from salva.datasets import ReadOptions, select_columns
from salva.errors import InputError, UsageError
from salva.evaluation.conditions import Condition
from salva.evaluation.data import read_data
from salva.evaluation.frozen import suite_rows
from salva.evaluation.inputs import RowTwins, TwinMaker
from salva.evaluation.results import DataInfo
from salva.evaluation.settings import (
    SEVERITIES,
    EvaluationSettings,
    Presets,
    make_settings,
)
from salva.evaluation.sources import as_source
from salva.models import Prompt, Text
from salva.runs import RowGroup, RunRows, write_rows
from salva.suites import Asked, FrozenEdit, FrozenRow, Item, Suite, Twin, is_suite, open_suite, writing_suite
from salva.suites.folder import name_files
from salva.suites.manifest import ITEMS
from salva.suites.verifying import Fault
from salva.tasks import Key
from salva.transforms import Twins, restore
from salva.transforms.twins import Summary
from salva.transforms.vocabulary import FitOn


def freeze(
    data: Any,
    out: PathLike,
    *,
    name: str | None = None,
    licence: str | None = None,
    labels: Iterable[Any] | None = None,
    text_column: str | Sequence[str] | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    seed: int = 0,
    fit: FitOn | None = None,
    options: ReadOptions | None = None,
    limit: int | None = None,
    sample: int | None = None,
    keep: Sequence[str] = (),
    overwrite: bool = False,
    threads: int | None = None,
    progress: ProgressOption = False,
    **settings: Any,
) -> Suite:
    """Write the inputs that `evaluate` would make of these arguments to a folder, to be shared and evaluated.

    The suite has every item with its right answers, its twins under every condition, all edits, the task and
    the presets with their versions, and digests. `licence` is a note about the data; `keep` are further
    columns, by which results may be sliced; `settings` are `replicates`, `task` and `transformed_column`.
    """
    reading = select_columns(options, text_column, label_column, id_column)
    source = as_source(data, labels)
    if is_suite(source):
        raise UsageError(f"{source} is frozen already; give the data that it was made from")
    chosen = make_settings(
        source,
        presets=presets,
        fit=fit,
        options=reading,
        threads=threads,
        severities=severities,
        seed=seed,
        **settings,
    )
    if chosen.axes:
        raise UsageError(f"a suite has the twins of presets; leave out {argument('axes', flag='--axis')}")
    if len(chosen.kept_transforms) < len(chosen.transforms):
        raise UsageError("a suite has twins that must get the same answer; leave out the contrasts")
    names = [condition.name for condition in chosen.conditions]
    with (
        tracking(progress) as tracker,
        scratch_folder() as folder,
        writing_suite(out, names, overwrite=overwrite) as writer,
    ):
        tracker.begin("reading the data")
        place, kept = folder / "data.parquet", (*chosen.kept_columns, *keep)
        info = read_data(
            source, place, reading, seed=seed, keep=kept, task=chosen.task, limit=limit, sample=sample
        )
        freezer = _Freezer(TwinMaker(RunRows(place), chosen, threads), chosen, info.text_columns)
        tracker.begin("freezing", "rows", info.rows)
        for row in freezer:
            writer.write(row)
            tracker.advance(1)
        about = {"name": name or PurePath(info.name).stem, "licence": licence}
        writer.finish(about | freezer.describe(info) | _describe_making(info, chosen))
    return open_suite(out)


class _Freezer:
    """Turns the rows of a maker and their twins into those of a suite; `names` are the columns of texts."""

    def __init__(self, maker: TwinMaker, settings: EvaluationSettings, names: Sequence[str]) -> None:
        self._maker, self._settings, self._names = maker, settings, names
        self._rewritten = settings.rewritten_columns
        self._summaries = [Summary() for _ in maker.conditions]

    def __iter__(self) -> Iterator[FrozenRow]:
        """Yield the rows with their twins."""
        for group in self._maker.rows:
            keys, columns = self._maker.find_keys(group), []
            for k, twins in enumerate(self._maker.make_twins(group)):
                self._summaries[k] += twins.summary
                columns.append(self._freeze_twins(group, twins, keys))
            for item, *own in zip(self._freeze_items(group, keys), *columns, strict=True):
                yield FrozenRow(item, tuple(own))

    def _freeze_items(self, group: RowGroup, keys: Sequence[Key] | None) -> list[Item]:
        texts, inputs = [text.array for text in group.texts], self._maker.clean_inputs(group)
        kept = ({name: values[k] for name, values in group.columns.items()} for k in range(len(group)))
        return [
            Item(**_fields(one), label=label, columns=columns)
            for one, label, columns in zip(
                self._ask(group, texts, inputs, keys), group.labels, kept, strict=True
            )
        ]

    def _freeze_twins(self, group: RowGroup, twins: RowTwins, keys: Sequence[Key] | None) -> list[Twin]:
        texts, inputs = [text.array for text in group.texts], self._maker.twin_inputs(group, twins)
        edits = []
        for column, one in zip(self._rewritten, twins.columns, strict=True):
            texts[column] = one.column
            edits.append(_list_edits(one, self._names[column], len(group)))
        return [
            Twin(**_fields(one), edits=tuple(edit for column in edits for edit in column[k]))
            for k, one in enumerate(self._ask(group, texts, inputs, keys))
        ]

    def _ask(
        self,
        group: RowGroup,
        texts: Sequence[pa.Array],
        inputs: Sequence[Text | None],
        keys: Sequence[Key] | None,
    ) -> list[Asked]:
        """Return what is asked about rows, from the columns of their texts."""
        columns = (text.to_pylist() for text in texts)
        rows = zip(
            group.ids, zip(*columns, strict=True), inputs, keys or repeat(None, len(group)), strict=True
        )
        return [
            Asked(
                id=name,
                texts=dict(zip(self._names, own, strict=True)),
                prompt=prompt if isinstance(prompt, Prompt) else None,
                options={} if key is None else key.options,
                targets=() if key is None else key.targets,
            )
            for name, own, prompt, key in rows
        ]

    def describe(self, info: DataInfo) -> dict[str, Any]:
        """Return what the manifest says about columns and conditions."""
        conditions = self._maker.conditions
        files = name_files(condition.name for condition in conditions)
        return {
            "columns": {
                "texts": self._names,
                "rewritten": [self._names[column] for column in self._rewritten],
                "label": info.label_column,
                "id": info.id_column,
                "kept": self._maker.rows.columns,
            },
            "conditions": [
                {**_plain_condition(condition), "file": files[condition.name], "summary": summary.as_dict()}
                for condition, summary in zip(conditions, self._summaries, strict=True)
            ],
        }


def _fields(asked: Asked) -> dict[str, Any]:
    return {field.name: getattr(asked, field.name) for field in dataclasses.fields(Asked)}


def _list_edits(twins: Twins, column: str, rows: int) -> list[list[FrozenEdit]]:
    listed: list[list[FrozenEdit]] = [[] for _ in range(rows)]
    for edit in twins.edits.to_pylist():
        listed[edit.pop("row")].append(FrozenEdit(column=column, **edit))
    return listed


def _describe_making(info: DataInfo, settings: EvaluationSettings) -> dict[str, Any]:
    """Return what the manifest says about task, presets, and where the suite comes from."""
    transforms = settings.transforms
    return {
        "task": None if settings.task is None else settings.task.as_dict(),
        "presets": {
            preset: {"about": transform.as_dict(), "family": transform.family}
            for preset, transform in transforms.items()
        },
        "made": {
            "salva": __version__,
            "data": info.name,
            "data_digest": info.digest,
            "validity": {
                preset: transform.validity and dataclasses.asdict(transform.validity)
                for preset, transform in transforms.items()
            },
        },
    }


def _plain_condition(condition: Condition) -> dict[str, Any]:
    names = ("name", "preset", "severity", "replicate", "seed")
    return {name: getattr(condition.rewriting, name) for name in names}


def remake(suite: Suite, *, threads: int | None = None, progress: ProgressOption = False) -> list[Fault]:
    """Make the twins of a suite again from its items, and return those that would be different today.

    Refuse a suite whose presets have another version now.
    """
    settings = _restore_settings(suite)
    faults: list[Fault] = []
    with tracking(progress) as tracker, scratch_folder() as folder:
        place = folder / "data.parquet"
        write_rows(place, suite_rows(suite))
        maker = TwinMaker(RunRows(place), settings, threads)
        tracker.begin("making twins again", "rows", len(suite))
        remade = _Freezer(maker, settings, suite.manifest.columns.texts)
        for number, (frozen, today) in enumerate(zip(suite, remade, strict=True), 1):
            faults += _compare(suite, number, frozen, today)
            tracker.advance(1)
    return faults


def _compare(suite: Suite, number: int, frozen: FrozenRow, today: FrozenRow) -> Iterator[Fault]:
    files = [ITEMS, *(condition.file for condition in suite.manifest.conditions)]
    for file, old, new in zip(files, (frozen.item, *frozen.twins), (today.item, *today.twins), strict=True):
        was, would = old.as_record(), new.as_record()
        part = next((name for name in would if was.get(name) != would[name]), None)
        if part is not None:
            problem = f"would have other {part} today: {would[part]!r:.60}, not {was.get(part)!r:.60}"
            yield Fault(str(suite.path / file), number, frozen.item.id, problem)


def _restore_settings(suite: Suite) -> EvaluationSettings:
    """Return the settings that a suite was frozen with; refuse presets that have changed since."""
    manifest = suite.manifest
    try:
        transforms = {name: restore(preset.about) for name, preset in manifest.presets.items()}
    except (InputError, UsageError, KeyError, TypeError) as error:
        raise InputError.at(suite.path, None, f"its twins cannot be made again: {error}") from None
    edited = [condition for condition in manifest.conditions if condition.severity is not None]
    columns = manifest.columns
    return EvaluationSettings(
        transforms=transforms,
        severities=tuple(dict.fromkeys(one.severity for one in edited if one.severity is not None)),
        replicates=1 + max(condition.replicate for condition in edited),
        seed=edited[0].seed,
        transformed_column=0 if suite.task else columns.texts.index(columns.rewritten[0]),
        task=suite.task,
    )
