"""Rows and their twins as those of a suite: whole questions, options and targets, with all edits."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import pyarrow as pa

from salva.evaluation.conditions import Condition, Contrast, Rewriting
from salva.evaluation.contrast_twins import ContrastMaker, ContrastTwins
from salva.evaluation.inputs import RowTwins, TwinMaker
from salva.evaluation.results import DataInfo
from salva.evaluation.settings import EvaluationSettings
from salva.models import Prompt, Text
from salva.runs import RowGroup, RunRows
from salva.suites import Asked, FrozenEdit, FrozenRow, Item, Twin
from salva.suites.folder import name_files
from salva.tasks import Expected
from salva.transforms import Twins
from salva.transforms.twins import Summary


class Freezer:
    """Turns rows and their twins into those of a suite; `names` are the columns of texts."""

    def __init__(
        self, rows: RunRows, settings: EvaluationSettings, names: Sequence[str], threads: int | None
    ) -> None:
        self._maker, self._names = TwinMaker(rows, settings, threads), names
        self._contrasts = ContrastMaker(self._maker, settings, threads)
        self._settings, self._rewritten = settings, settings.rewritten_columns
        self._kept = [name for name in rows.columns if name not in settings.axes.variants]
        self._all: list[Condition | Contrast] = [*self._maker.conditions, *settings.contrasts]
        self._summaries = {one.name: Summary() for one in self._all}
        self._targets = dict.fromkeys((one.name for one in settings.contrasts), 0)

    def __iter__(self) -> Iterator[FrozenRow]:
        """Yield the rows with their twins, those of contrasts last."""
        for group in self._maker.rows:
            keys = self._maker.find_keys(group)
            columns = [
                self._freeze_condition(condition, group, twins, keys)
                for condition, twins in zip(
                    self._maker.conditions, self._maker.make_twins(group), strict=True
                )
            ]
            for contrast in self._contrasts.contrasts:
                made = self._contrasts.make(contrast, group)
                columns.append(self._freeze_contrast(contrast, group, made, keys))
            for item, *own in zip(self._freeze_items(group, keys), *columns, strict=True):
                yield FrozenRow(item, tuple(own))

    def _freeze_items(self, group: RowGroup, keys: Sequence[Expected] | None) -> list[Item]:
        texts, inputs = [text.array for text in group.texts], self._maker.clean_inputs(group)
        kept = ({name: group.columns[name][k] for name in self._kept} for k in range(len(group)))
        return [
            Item(**_fields(one), label=label, columns=columns)
            for one, label, columns in zip(
                self._ask(group, texts, inputs, keys), group.labels, kept, strict=True
            )
        ]

    def _freeze_condition(
        self, condition: Condition, group: RowGroup, twins: RowTwins, keys: Sequence[Expected] | None
    ) -> list[Twin]:
        self._summaries[condition.name] += twins.summary
        return self._freeze_twins(group, twins, self._maker.twin_inputs(group, twins), keys)

    def _freeze_contrast(
        self, contrast: Contrast, group: RowGroup, made: ContrastTwins, keys: Sequence[Expected] | None
    ) -> list[Twin]:
        """Return the twins of a contrast with their new targets; without an edit, there is no question."""
        self._summaries[contrast.name] += made.twins.summary
        self._targets[contrast.name] += sum(map(bool, made.targets))
        twins = self._freeze_twins(group, made.twins, self._contrasts.inputs(group, made), keys)
        return [
            dataclasses.replace(twin, targets=targets, options=twin.options if twin.edits else {})
            for twin, targets in zip(twins, made.targets, strict=True)
        ]

    def _freeze_twins(
        self,
        group: RowGroup,
        twins: RowTwins,
        inputs: Sequence[Text | None],
        keys: Sequence[Expected] | None,
    ) -> list[Twin]:
        texts = [text.array for text in group.texts]
        for column, values in zip(self._rewritten, twins.texts, strict=True):
            texts[column] = values
        edits = [
            _list_edits(one, self._names[column], len(group))
            for column, one in zip(self._rewritten, twins.columns, strict=False)
        ]
        return [
            Twin(**_fields(one), edits=tuple(edit for column in edits for edit in column[k]))
            for k, one in enumerate(self._ask(group, texts, inputs, keys))
        ]

    def _ask(
        self,
        group: RowGroup,
        texts: Sequence[pa.Array],
        inputs: Sequence[Text | None],
        keys: Sequence[Expected] | None,
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

    def describe(self, info: DataInfo, variants: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
        """Return what the manifest says about columns and conditions; `variants` counts paraphrases."""
        files, described = name_files(one.name for one in self._all), []
        for one in self._all:
            about = _describe(one, self._settings)
            counts = variants.get(about.get("variant", "")) or self._summaries[one.name].as_dict()
            more = {"targets": self._targets[one.name]} if one.name in self._targets else {}
            described.append(about | {"file": files[one.name], "summary": {**counts, **more}})
        return {
            "columns": {
                "texts": self._names,
                "rewritten": [self._names[column] for column in self._rewritten],
                "label": info.label_column,
                "id": info.id_column,
                "kept": self._kept,
            },
            "conditions": described,
        }


def _describe(one: Condition | Contrast, settings: EvaluationSettings) -> dict[str, Any]:
    """Return what a condition or a contrast is made with; for paraphrases, only their column."""
    if isinstance(one, Contrast):
        opposites = dict(settings.contrast_labels) if one.flips_answers else {}
        return _name_parts(one) | ({"opposites": opposites} if opposites else {})
    if one.rewriting is not None:
        return _name_parts(one.rewriting)
    column = None if one.variant is None else one.variant.column
    nothing = {"preset": None, "severity": None, "replicate": 0}
    return {"name": one.name, **nothing, "seed": settings.seed, "variant": column}


def _name_parts(made: Rewriting | Contrast) -> dict[str, Any]:
    return {name: getattr(made, name) for name in ("name", "preset", "severity", "replicate", "seed")}


def _fields(asked: Asked) -> dict[str, Any]:
    return {field.name: getattr(asked, field.name) for field in dataclasses.fields(Asked)}


def _list_edits(twins: Twins, column: str, rows: int) -> list[list[FrozenEdit]]:
    listed: list[list[FrozenEdit]] = [[] for _ in range(rows)]
    for edit in twins.edits.to_pylist():
        listed[edit.pop("row")].append(FrozenEdit(column=column, **edit))
    return listed
