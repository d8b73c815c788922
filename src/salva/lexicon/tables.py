"""Shipped tables: arrays of different lengths in one compressed Arrow file, written by `tools/tables.py`."""

from __future__ import annotations

from importlib.resources import files

import pyarrow as pa


def read_tables(name: str) -> dict[str, pa.Array]:
    """Return the arrays of a table in `data/`.

    >>> read_tables("characters.arrow")["unicode"].to_pylist()
    ['15.1.0']
    """
    source = pa.py_buffer(files("salva.lexicon").joinpath("data", name).read_bytes())
    # Arrow's own pool would keep the memory used for decompression: 23 MB after loading WordNet.
    row = pa.ipc.open_file(source, memory_pool=pa.system_memory_pool()).get_batch(0)
    return {key: row.column(key).values for key in row.schema.names}
