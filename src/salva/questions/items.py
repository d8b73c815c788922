"""Items: the rows of the data, read in groups that become questions together; and random samples of them."""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import itertools
import logging
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from salva._arguments import argument, check_whole, in_python
from salva._arrow import BadRowError, Strings, as_numbers, as_strings
from salva._show import number_of, shorten
from salva._types import Ints64, PathLike
from salva.errors import InputError, UsageError
from salva.models.outputs import label_name
from salva.questions.options import Data
from salva.questions.table import DataInfo, KeyIndex
from salva.rows import Columns, ReadOptions, open_rows, select_columns
from salva.rows.columns import find_columns, read_columns
from salva.rows.jsonl import as_table
from salva.rows.read import Rows
from salva.tasks import Expected, Task
from salva.tasks.choices import as_rows

logger = logging.getLogger("salva")

MOST_ROWS, MOST_BYTES = 1024, 1 << 20  # of a group
MOST_PROMPTS = 256  # rows of a group, if they become prompts, which may be long
_TABLE_ROWS = 1 << 16  # of a table in memory that are taken at a time
_SHOWN = 3
_FIELDS = {f"{role}_column": role for role in ("text", "label", "id")}  # of `Data`, in messages
_encode_rows = msgspec.json.Encoder().encode_lines
_KINDS = "a path, a table, a frame, a dict of columns, a list of dicts, or a list of (text, label)"


@dataclass(frozen=True, slots=True)
class Items:
    """Some rows: their ids, texts, labels, and further columns by name; any value may be None.

    `expected` are the right answers as a task reads them, if there is a task.
    """

    first: int
    ids: list[str]
    texts: tuple[Strings, ...]
    labels: list[str | None]
    columns: Mapping[str, list[str | None]]
    expected: list[Expected]

    def __len__(self) -> int:
        return len(self.ids)


class ItemReader:
    """Reads the items of a data set, group by group, and counts them; it may read them again.

    After the last group, `info` describes the data.
    """

    def __init__(
        self,
        source: PathLike | pa.Table,
        data: Data,
        task: Task | None = None,
        columns: Sequence[str] = (),
        chosen: Ints64 | None = None,
    ) -> None:
        self._source, self._data, self._task = source, data, task
        self._reading = data.reading if task is None else _select_task_columns(data.reading, task)
        needed = () if task is None else task.kept_columns
        self._kept = tuple(dict.fromkeys([*data.kept_columns, *needed, *columns]))
        self._chosen = chosen
        self.columns: Columns | None = None
        self.name = "data"
        self._rows: Rows | None = None
        self._digest: str | None = None

    def __iter__(self) -> Iterator[Items]:
        self.labels: Counter[str | None] = Counter()
        self.content = hashlib.sha256()
        self._ids, self._read, self._yielded = KeyIndex(), 0, 0
        if isinstance(self._source, pa.Table):
            with in_python(_FIELDS):
                self.columns = find_columns("data", self._source.column_names, self._reading)
            # Batches must not depend on the chunks of the table.
            parts = (self._source.slice(k, _TABLE_ROWS) for k in range(0, len(self._source), _TABLE_ROWS))
            batches = (batch for part in parts for batch in part.combine_chunks().to_batches())
            yield from self._groups(batches, self.columns)
        else:
            with contextlib.ExitStack() as stack:
                with in_python(_FIELDS):
                    rows = self._rows = stack.enter_context(open_rows(self._source, self._reading))
                self.columns, self.name = rows.columns, rows.name
                yield from self._groups(map(as_table, rows), self.columns)
                self._digest = rows.digest
        if not self._yielded:
            raise InputError.at(self.name, None, "there are no rows to evaluate")

    def check(self) -> None:
        """Refuse a file that is not there, or lacks a column; a pipe can be opened only once."""
        if isinstance(self._source, pa.Table) or self._source == "-":
            return
        if Path(self._source).is_file() or not Path(self._source).exists():
            with open_rows(self._source, self._reading):
                pass

    def info(self) -> DataInfo:
        """Return what is known about the data, once all of it was read."""
        columns = self.columns
        assert columns is not None  # noqa: S101
        counts = sorted((label, n) for label, n in self.labels.items() if label is not None)
        label = columns.label
        if self._task is not None:
            label, counts = self._task.target, counts if self._task.answer.has_classes else []
        is_table = isinstance(self._source, pa.Table)
        return DataInfo(
            name="data in memory" if is_table else Path(self.name).name,
            digest=self._digest or f"sha256:{self.content.hexdigest()}",
            rows=self._yielded,
            unlabelled=self.labels[None],
            labels=dict(counts),
            text_columns=columns.text,
            label_column=label,
            id_column=columns.id,
        )

    def estimate(self) -> int | None:
        """Return how many items there are in all, as far as this can be told."""
        if self._chosen is not None:
            return len(self._chosen)
        if isinstance(self._source, pa.Table):
            rows: int | None = len(self._source)
        else:
            rows = None if self._rows is None else self._rows.estimate()
        limit = self._data.limit
        return rows if limit is None or rows is None else min(rows, limit)

    def _groups(self, batches: Iterable[pa.RecordBatch], columns: Columns) -> Iterator[Items]:
        if len(columns.text) > 2 and self._task is None:
            raise UsageError(f"{len(columns.text)} text columns; a model takes one text, or two")
        most = MOST_ROWS if self._task is None else MOST_PROMPTS
        for batch in batches:
            first = self._read
            names, expected = self._answers(batch, columns)
            self._read += len(batch)
            self.labels.update(dict.fromkeys(names, 0))
            rows = self._select(first, len(batch))
            if not len(rows):
                continue
            part = batch if len(rows) == len(batch) else batch.take(as_numbers(rows))
            places = rows.tolist()
            whole = Items(
                first=0,
                ids=self._name_rows(part, columns, first + rows),
                texts=tuple(as_strings(part.column(name)) for name in columns.text),
                labels=[names[row] for row in places],
                columns=read_columns(self.name, part, self._kept, first=not self._yielded),
                expected=[expected[row] for row in places] if expected else [],
            )
            for start, stop in _cut(whole.texts, most):
                yield self._count(_slice(whole, start, stop, self._yielded))

    def _count(self, items: Items) -> Items:
        self._yielded += len(items)
        self.labels.update(items.labels)
        texts = (text.array.to_pylist() for text in items.texts)
        rows = zip(items.ids, *texts, items.labels, *items.columns.values(), strict=True)
        self.content.update(_encode_rows(rows))  # row by row, so that it does not depend on the groups
        return items

    def _select(self, first: int, size: int) -> Ints64:
        """Return which rows of a batch are items: all, the first so many, or those of a sample."""
        if self._chosen is not None:
            low, high = np.searchsorted(self._chosen, [first, first + size])
            return self._chosen[low:high] - first
        limit = self._data.limit
        return np.arange(size if limit is None else max(0, min(size, limit - first)))

    def _answers(self, batch: pa.RecordBatch, columns: Columns) -> tuple[list[str | None], list[Expected]]:
        """Return the labels of rows, and the right answers as the task reads them, if there is one."""
        if self._task is None:
            return read_labels(self.name, batch, columns.label), []
        named = (*self._task.edit, *self._task.kept_columns)
        values = read_columns(self.name, batch, named, first=not self._read)
        expected: list[Expected] = []
        for number, row in enumerate(as_rows(values), self._read + 1):
            try:
                expected.append(self._task.expect(row))
            except InputError as error:
                raise InputError.at(self.name, None, f"row {number}: {error}") from None
        return [one.label for one in expected], expected

    def _name_rows(self, batch: pa.RecordBatch, columns: Columns, numbers: Ints64) -> list[str]:
        """Return the ids of the rows; without an id column, their row numbers."""
        if columns.id is None:
            return list(map(str, numbers.tolist()))
        values = batch.column(columns.id).to_pylist()
        if None in values:
            row = int(numbers[values.index(None)]) + 1
            raise InputError.at(self.name, None, f"row {row} has no id in column {columns.id!r}")
        ids = list(map(str, values))
        hashes = (
            hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in ids
        )
        repeats = self._ids.find_repeats(np.frombuffer(b"".join(hashes), "<u8")).tolist()
        if repeats:
            shown = ", ".join(repr(ids[row]) for row in repeats[:_SHOWN])
            problem = f"duplicate ids: {shown}; answers are paired by id: make them unique"
            raise InputError.at(self.name, None, problem)
        return ids


def read_labels(name: str, batch: pa.RecordBatch, column: str | None) -> list[str | None]:
    """Return the labels of rows as the strings that are compared."""
    if column is None:
        return [None] * len(batch)
    values = batch.column(column).to_pylist()
    try:
        names = {value: label_name(value) for value in set(values)}
    except (TypeError, InputError) as error:
        raise InputError.at(name, None, f"column {column!r}: {error}") from None
    return [names[value] for value in values]


def _select_task_columns(options: ReadOptions, task: Task) -> ReadOptions:
    """Return how to read the data of a task; refuse columns that the task names itself."""
    for name in ("text_column", "label_column"):
        if getattr(options, name) is not None:
            raise UsageError(
                f"{argument(_FIELDS[name])} and {argument('task')} exclude each other; edit the task"
            )
    return select_columns(options, task.edit)


def _cut(texts: Sequence[Strings], most: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of groups of limited size."""
    ends = np.cumsum(sum(np.diff(column.offsets) for column in texts))
    first, rows = 0, len(texts[0])
    while first < rows:
        before = int(ends[first - 1]) if first else 0
        last = int(np.searchsorted(ends, before + MOST_BYTES, side="right"))
        last = min(max(last, first + 1), first + most, rows)
        yield first, last
        first = last


def _slice(items: Items, start: int, stop: int, first: int) -> Items:
    some = slice(start, stop)
    return Items(
        first,
        items.ids[some],
        tuple(text.rows(start, stop) for text in items.texts),
        items.labels[some],
        {name: values[some] for name, values in items.columns.items()},
        items.expected[some],
    )


def as_source(data: Any) -> PathLike | pa.Table:
    """Return a path unchanged, and all other data as a table."""
    if isinstance(data, str | os.PathLike | pa.Table):
        return data
    if isinstance(data, Mapping) and any(_is_hugging_face(part) for part in data.values()):
        splits = ", ".join(map(repr, data))
        raise UsageError(f"the data is several data sets: {splits}; pass one of them")
    if _is_hugging_face(data):
        # A streamed data set has no length; its rows are read one by one.
        whole = hasattr(data, "__len__")
        return data.with_format("arrow")[:] if whole else _as_table(data, _columns_of(list(data)))
    if rows := _as_list(data):
        return _as_table(data, _columns_of(rows))
    return _as_table(data, data.collect() if hasattr(data, "collect") else data)


def _is_hugging_face(data: Any) -> bool:
    return hasattr(data, "with_format") and hasattr(data, "features")


def _as_list(data: Any) -> list[Any] | None:
    """Return the values of a list, an array, or a series of pandas or polars; None for anything else."""
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return list(data)
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return list(data.to_pylist())
    listed = getattr(data, "tolist", None) or getattr(data, "to_list", None)
    return list(listed()) if listed else None


def _columns_of(rows: Sequence[Any]) -> Any:
    """Return rows as columns; rows of unknown kind are returned as they are."""
    if all(isinstance(row, str) for row in rows):
        return {"text": rows}
    if all(isinstance(row, Mapping) for row in rows):
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}
    if all(isinstance(row, tuple) and len(row) == 2 for row in rows):
        return {"text": [text for text, _ in rows], "label": [label_name(label) for _, label in rows]}
    return rows


def _as_table(data: Any, columns: Any) -> pa.Table:
    try:
        if isinstance(columns, dict):
            columns = {name: _light_column(values) for name, values in columns.items()}
        return pa.table(columns)
    except UnicodeEncodeError:
        raise _find_surrogate(columns) from None
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise UsageError(
            f"a {type(data).__name__} is not a data set ({str(error).splitlines()[0]}); pass {_KINDS}"
        ) from None


def _light_column(values: Any) -> Any:
    """Return a list of strings or of integers as Arrow; for a list, `pa.table` would import pandas."""
    kinds = set(map(type, values)) if isinstance(values, list) else set()
    try:
        if str in kinds <= {str, type(None)}:
            return as_strings(values).array.cast(pa.string())
        if kinds == {int}:
            return as_numbers(np.array(values, np.int64))
    except (BadRowError, OverflowError, pa.ArrowInvalid):  # no text, or too large: `pa.table` knows more
        pass
    return values


def _find_surrogate(columns: Mapping[str, Iterable[Any]]) -> InputError:
    """Return the error about the first value that is not Unicode text."""
    for name, values in columns.items():
        try:
            as_strings([value if isinstance(value, str) else "" for value in [name, *values]])
        except BadRowError as error:
            where = f"row {error.row - 1} of column" if error.row else "column"
            return InputError(f"{where} {name!r}: {error.problem}")
    raise AssertionError("some value has a lone surrogate")


def sample_items(
    source: PathLike | pa.Table, data: Data, task: Task | None, size: int, seed: int
) -> tuple[Ints64, Counter[str | None]]:
    """Return the numbers of a random sample of the rows, ascending, with the same share of every class."""
    if data.limit is not None:
        raise UsageError(f"{argument('limit')} and {argument('sample')} exclude each other; give one of them")
    check_whole("sample", size, 1)
    reader = ItemReader(source, data, task)
    labels = [label for items in reader for label in items.labels]
    info = reader.info()
    classes = labels if info.labels else [None] * len(labels)
    return np.array(choose_rows(classes, size, seed), np.int64), Counter(labels)


def choose_rows(labels: Sequence[str | None], size: int, seed: int = 0) -> list[int]:
    """Return the numbers of `size` rows in ascending order; with the same seed, a larger sample has them too.

    Each class gets its share of the rows, rounded down or up; rows without a label are a class of their own.

    >>> choose_rows(["a", "a", "b", "a", "a", "b"], 3)
    [0, 3, 5]
    """
    return sorted(itertools.islice(_order_rows(labels, seed), size))


def _order_rows(labels: Sequence[str | None], seed: int) -> Iterator[int]:
    """Yield all rows, so that in the first so many every class has its share, rounded down or up.

    The largest remainders of each size alone would not be nested: a class can lose a row when the sample
    grows. So rows are scheduled: of n rows in a class, row k may come once its share k/n of all places has
    passed, and is due when (k+1)/n has. The row that is due first comes first, which keeps every date.
    """
    keys = np.random.Generator(np.random.Philox(seed)).random(len(labels))
    classes: defaultdict[str | None, list[int]] = defaultdict(list)
    for row in np.argsort(keys, kind="stable").tolist():
        classes[labels[row]].append(row)
    total = len(labels)
    waiting = [(0, rows[0], 0, rows) for rows in classes.values()]
    heapq.heapify(waiting)
    ready: list[tuple[int, float, int, list[int]]] = []
    for place in range(total):
        while waiting and waiting[0][0] <= place:
            _, row, k, rows = heapq.heappop(waiting)
            due = -(-(k + 1) * total // len(rows))
            heapq.heappush(ready, (due, keys[row], k, rows))  # the key: rows due together come at random
        _, _, k, rows = heapq.heappop(ready)
        yield rows[k]
        if k + 1 < len(rows):
            heapq.heappush(waiting, ((k + 1) * total // len(rows), rows[k + 1], k + 1, rows))


def warn_of_absent_labels(info: DataInfo, limit: int | None) -> None:
    """Report classes of the data of which no row is evaluated."""
    absent = [label for label, rows in info.labels.items() if not rows]
    if absent:
        named = ", ".join(shorten(repr(label)) for label in absent[:_SHOWN])
        labels = f"{named} and others" if len(absent) > _SHOWN else named
        problem = f"no row of class {labels} is among the {number_of(info.rows, 'row')} to evaluate"
        share = f"use {argument('sample', limit)}, which takes the same share of every class"
        logger.warning("%s: %s; %s", info.name, problem, "take a larger sample" if limit is None else share)
