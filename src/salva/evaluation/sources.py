"""What may be evaluated: a path, a table, a frame, a Hugging Face data set, rows, or texts with labels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import BadRowError, as_numbers, as_strings
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.models import label_name

_KINDS = (
    "a path, a table, a frame, a dict of columns, a list of dicts or (text, label), or texts with labels="
)


def as_source(data: Any, labels: Iterable[Any] | None = None) -> PathLike | pa.Table:
    """Return a path unchanged, and all other data as a table; `labels` are those of a list of texts."""
    if labels is not None:
        return _label_texts(_as_list(data), _as_list(labels))
    if isinstance(data, str | os.PathLike | pa.Table):
        return data
    if isinstance(data, Mapping) and any(_is_hugging_face(part) for part in data.values()):
        splits = ", ".join(map(repr, data))
        raise UsageError(f"the data is several data sets: {splits}; pass one of them")
    if _is_hugging_face(data):
        # A streamed data set has no length; its rows are read one by one.
        whole = hasattr(data, "__len__")
        return data.with_format("arrow")[:] if whole else _table(data, _columns_of(list(data)))
    if rows := _as_list(data):
        return _table(data, _columns_of(rows))
    return _table(data, data.collect() if hasattr(data, "collect") else data)


def _is_hugging_face(data: Any) -> bool:
    return hasattr(data, "with_format") and hasattr(data, "features")


def _as_list(data: Any) -> list[Any] | None:
    """Return the values of a list, an array, or a series of pandas or polars; None for anything else."""
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return list(data)
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return list(data.to_pylist())
    for name in ("tolist", "to_list"):
        if hasattr(data, name):
            return list(getattr(data, name)())
    return None


def _label_texts(texts: list[Any] | None, labels: list[Any] | None) -> pa.Table:
    if texts is None or labels is None or not all(isinstance(text, str | None) for text in texts):
        wanted = f"{argument('labels')} belongs to a list of texts"
        raise UsageError(f"{wanted}; name a column of other data with {argument('label_column')}")
    if len(texts) != len(labels):
        counts = f"{number_of(len(texts), 'text')} and {number_of(len(labels), 'label')}"
        raise UsageError(f"{counts}; give one label per text")
    return _table(texts, {"text": texts, "label": list(map(label_name, labels))})


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


def _table(data: Any, columns: Any) -> pa.Table:
    try:
        if isinstance(columns, dict):
            columns = {name: _light_column(values) for name, values in columns.items()}
        return pa.table(columns)
    except UnicodeEncodeError:
        raise _find_surrogate(columns) from None
    except (TypeError, ValueError, pa.ArrowException) as error:
        problem = f"a {type(data).__name__} is not a data set ({str(error).splitlines()[0]})"
        raise UsageError(f"{problem}; pass {_KINDS}") from None


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
