"""Same type in, same type out: a column comes back as the type that it was given as."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from salva._arrow import Strings, as_strings
from salva.errors import InputError


def as_column(values: Any) -> Strings:
    """Return a text or a column of texts as strings; refuse what has no order or several columns."""
    if isinstance(values, str):
        return as_strings([values])
    if isinstance(values, dict | set | frozenset) or hasattr(values, "columns"):
        name = type(values).__name__
        raise InputError(f"a {name} is not a column of texts; pass one column, such as data['text']")
    return as_strings(values)


def restore_type(values: Any, column: pa.LargeStringArray) -> Any:
    """Return a column as the same type as `values`.

    >>> restore_type(("a", None), pa.array(["b", None], pa.large_string()))
    ('b', None)
    """
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return _restore_arrow(values, column)
    library = type(values).__module__.partition(".")[0]
    if library == "polars":
        import polars

        return polars.Series(values.name, column)
    texts: list[str | None] = column.to_pylist()
    if isinstance(values, str):
        return texts[0]
    if library == "pandas":
        return _restore_pandas(values, texts)
    if isinstance(values, np.ndarray):
        return np.array(texts, dtype=values.dtype if values.dtype == object else None)
    return tuple(texts) if isinstance(values, tuple) else texts


def _restore_arrow(
    values: pa.Array | pa.ChunkedArray, column: pa.LargeStringArray
) -> pa.Array | pa.ChunkedArray:
    """Return the column in the Arrow type of the values, unless it is too large for that."""
    types, own_type = pa.types, values.type
    plain = (
        types.is_string(own_type)
        or types.is_string_view(own_type)
        or types.is_binary(own_type)
        or types.is_large_binary(own_type)
    )
    if plain and (column.nbytes < 1 << 31 or not (types.is_string(own_type) or types.is_binary(own_type))):
        column = column.cast(own_type)
    return pa.chunked_array([column]) if isinstance(values, pa.ChunkedArray) else column


def _restore_pandas(values: Any, texts: list[str | None]) -> Any:
    import pandas

    if isinstance(values, pandas.Series):
        missing = values.isna()
        column = pandas.Series(texts, index=values.index, name=values.name, dtype=values.dtype)
        return column.where(~missing, values) if missing.any() else column
    return texts
