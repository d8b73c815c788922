"""Read data: turn a file, a pipe or a table into the rows of a run, checked before the model is asked."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from salva._arguments import argument, check_whole
from salva._arrow import as_strings
from salva._show import number_of, shorten
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.evaluation.frozen import read_suite
from salva.evaluation.results import DataInfo
from salva.evaluation.sampling import choose_rows
from salva.evaluation.sources import as_source
from salva.models import label_name
from salva.rows import Columns, ReadOptions, open_rows, select_columns
from salva.rows.columns import find_columns
from salva.rows.jsonl import as_table
from salva.runs import RowGroup, RunRows, write_rows
from salva.runs.rows import MOST_ROWS
from salva.suites import is_suite
from salva.tasks import Task
from salva.tasks.task import read_columns

logger = logging.getLogger("salva")

_SHOWN = 3


def read_data(
    data: Any,
    target: Path,
    options: ReadOptions,
    *,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    keep: Sequence[str] = (),
    task: Task | None = None,
) -> DataInfo:
    """Read all rows, keep them at `target`, and return information about the data.

    With `limit`, only the first rows are kept; with `sample`, as many random ones, chosen with `seed`.
    Besides texts, labels and ids, the columns named in `keep` are kept, as strings. With a `task`, the texts
    are the columns that it lets edit, and the labels the right answers as it reads them.
    """
    if is_suite(data):
        chosen = next(
            (name for name, part in (("limit", limit), ("sample", sample)) if part is not None), None
        )
        if chosen is not None or options != ReadOptions():
            problem = f"{data} is a suite, which is evaluated as it is"
            raise UsageError(f"{problem}; leave out {argument(chosen or 'text_column')} and the like")
        return read_suite(data, target)
    kept = _Kept(tuple(dict.fromkeys(keep)), task)
    options = options if task is None else _select_task_columns(options, task)
    if limit is not None and sample is not None:
        raise UsageError(f"{argument('limit')} and {argument('sample')} exclude each other; give one of them")
    if sample is not None:
        check_whole("sample", sample, 1)
    info = _read_all(as_source(data), target, options, limit, kept)
    if sample is not None and sample < info.rows:
        info = _keep_sample(info, target, sample, seed)
    if limit is not None or sample is not None:
        share = f"use {argument('sample', limit)}, which takes the same share of every class"
        _warn_of_absent_labels(info, "take a larger sample" if limit is None else share)
    return info


class _Kept(NamedTuple):
    """The further columns that are kept, and the task that needs them."""

    columns: tuple[str, ...]
    task: Task | None


def _select_task_columns(options: ReadOptions, task: Task) -> ReadOptions:
    """Return how to read the data of a task; refuse columns that the task names itself."""
    for name in ("text_column", "label_column"):
        if getattr(options, name) is not None:
            raise UsageError(f"{argument(name)} and {argument('task')} exclude each other; edit the task")
    return select_columns(options, task.edit)


def _read_all(
    source: PathLike | pa.Table, target: Path, options: ReadOptions, limit: int | None, keep: _Kept
) -> DataInfo:
    if not isinstance(source, pa.Table):
        return _from_file(source, target, options, limit, keep)
    reader = _RowReader("data", find_columns("data", source.column_names, options), limit, keep)
    write_rows(target, reader.groups(source.to_batches()))
    return reader.info("data in memory", f"sha256:{reader.content.hexdigest()}")


def _from_file(
    path: PathLike, target: Path, options: ReadOptions, limit: int | None, keep: _Kept
) -> DataInfo:
    with open_rows(path, options) as rows:
        reader = _RowReader(rows.name, rows.columns, limit, keep)
        write_rows(target, reader.groups(rows))
        assert rows.digest is not None  # noqa: S101
        return reader.info(Path(rows.name).name, rows.digest)


def _keep_sample(info: DataInfo, target: Path, size: int, seed: int) -> DataInfo:
    """Replace the rows at `target` with a sample of them, and return its counts."""
    rows = RunRows(target)
    labels = [label for group in rows for label in group.labels]
    classes = labels if info.labels else [None] * len(labels)
    chosen = choose_rows(classes, size, seed)
    # Replaced as a whole at the end; the file that is being read stays open until then.
    write_rows(target, (rows.rows(chosen[k : k + MOST_ROWS]) for k in range(0, size, MOST_ROWS)))
    counts = Counter(labels[row] for row in chosen)
    kept = {label: counts[label] for label in info.labels}
    return dataclasses.replace(info, rows=size, unlabelled=counts[None], labels=kept)


def _warn_of_absent_labels(info: DataInfo, remedy: str) -> None:
    absent = [label for label, rows in info.labels.items() if not rows]
    if absent:
        named = ", ".join(shorten(repr(label)) for label in absent[:_SHOWN])
        labels = f"{named}{' and others' if len(absent) > _SHOWN else ''}"
        problem = f"no row of class {labels} is among the {number_of(info.rows, 'row')} to evaluate"
        logger.warning("%s: %s; %s", info.name, problem, remedy)


class _RowReader:
    """Turns batches into rows of a run, and counts them.

    All rows are read, whatever the limit: the digest and the set of labels cover all of them.
    """

    def __init__(self, name: str, columns: Columns, limit: int | None, keep: _Kept) -> None:
        self._task = keep.task
        if len(columns.text) > 2 and self._task is None:
            raise UsageError(f"{len(columns.text)} text columns; a model takes one text, or two")
        self.name, self.columns, self._keep = name, columns, keep.columns
        self._limit = sys.maxsize if limit is None else limit
        self.labels: Counter[str | None] = Counter()
        self.content = hashlib.sha256()
        self._ids: set[str] = set()
        self._repeated: list[str] = []
        self._rows = self._read = 0

    def groups(self, batches: Iterable[pa.RecordBatch]) -> Iterator[RowGroup]:
        for batch in map(as_table, batches):
            labels = self._labels(batch) if self._task is None else self._targets(batch, self._task)
            self._read += batch.num_rows
            self.labels.update(dict.fromkeys(labels, 0))
            part = batch.slice(0, self._limit - self._rows)
            if part.num_rows:
                yield self._group(part, labels[: part.num_rows])
        if not self._rows:
            raise InputError.at(self.name, None, "there are no rows to evaluate")
        if self._repeated:
            shown = ", ".join(map(repr, self._repeated[:_SHOWN]))
            problem = f"duplicate ids: {shown}; answers are paired by id: make them unique"
            raise InputError.at(self.name, None, problem)

    def info(self, name: str, digest: str) -> DataInfo:
        counts = sorted((label, n) for label, n in self.labels.items() if label is not None)
        unlabelled = self.labels[None]
        columns, label = self.columns, self.columns.label
        if self._task is not None:
            label, counts = self._task.target, counts if self._task.answer.has_classes else []
        return DataInfo(name, digest, self._rows, unlabelled, dict(counts), columns.text, label, columns.id)

    def _group(self, batch: pa.RecordBatch, labels: list[str | None]) -> RowGroup:
        first = self._rows
        self._rows += batch.num_rows
        texts = tuple(as_strings(batch.column(name)) for name in self.columns.text)
        ids = self._ids_of(batch, first)
        self.labels.update(labels)
        kept = self._kept(batch, first)
        asked = () if self._task is None else tuple(map(as_strings, kept.values()))
        for column in (*texts, as_strings(labels), *asked):
            self.content.update(column.offsets.tobytes())
            self.content.update(column.data.tobytes())
        return RowGroup(first, ids, texts, labels, kept)

    def _labels(self, batch: pa.RecordBatch) -> list[str | None]:
        if self.columns.label is None:
            return [None] * batch.num_rows
        values = batch.column(self.columns.label).to_pylist()
        names: dict[Any, str | None] = {}
        try:
            for value in set(values):
                names[value] = label_name(value)
        except (TypeError, InputError) as error:
            problem = f"column {self.columns.label!r}: {error}"
            raise InputError.at(self.name, None, problem) from None
        return [names[value] for value in values]

    def _targets(self, batch: pa.RecordBatch, task: Task) -> list[str | None]:
        """Return the right answers; of several accepted ones, the first."""
        columns = read_columns(self.name, batch, (*task.edit, *task.kept_columns), first=not self._read)
        targets: list[str | None] = []
        for cells in zip(*columns.values(), strict=True):
            try:
                targets.append(task.expect(dict(zip(columns, cells, strict=True))).label)
            except InputError as error:
                row = self._read + len(targets) + 1
                raise InputError.at(self.name, None, f"row {row}: {error}") from None
        return targets

    def _kept(self, batch: pa.RecordBatch, first: int) -> dict[str, list[str | None]]:
        """Return further columns as strings; a key that some JSON lines lack is null there."""
        return read_columns(self.name, batch, self._keep, first=not first)

    def _ids_of(self, batch: pa.RecordBatch, first: int) -> list[str]:
        """Return the ids of the rows; without an id column, their row numbers."""
        if self.columns.id is None:
            return [str(row) for row in range(first, first + batch.num_rows)]
        values = batch.column(self.columns.id).to_pylist()
        if None in values:
            row = first + values.index(None) + 1
            raise InputError.at(self.name, None, f"row {row} has no id in column {self.columns.id!r}")
        ids = [str(value) for value in values]
        self._repeated += [name for name in _repeats(ids, self._ids) if len(self._repeated) < _SHOWN]
        return ids


def _repeats(ids: list[str], seen: set[str]) -> Iterator[str]:
    for name in ids:
        if name in seen:
            yield name
        seen.add(name)
