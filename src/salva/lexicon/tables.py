"""Shipped tables: many arrays of unlike lengths in one packed Arrow file. `tools/tables.py` writes them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["ints", "read_tables"]


def read_tables(name: str) -> dict[str, pa.Array]:
    """Return the arrays of a table in `data/`.

    >>> read_tables("characters.arrow")["unicode"].to_pylist()
    ['15.1.0']
    """
    source = pa.py_buffer(files("salva.lexicon").joinpath("data", name).read_bytes())
    row = pa.ipc.open_file(source).get_batch(0)
    return {key: row.column(key).values for key in row.schema.names}


def ints(array: pa.Array) -> NDArray[Any]:
    """Return the numbers of an array without nulls; `to_numpy` would import pandas where it is installed."""
    numbers: NDArray[Any] = np.frombuffer(array.buffers()[1], array.type.to_pandas_dtype())
    return numbers[array.offset : array.offset + len(array)]
