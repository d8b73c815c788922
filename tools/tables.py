"""Write arrays of different lengths as one Arrow file for `salva.lexicon.shipped`, which maps it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

DATA = Path(__file__).parents[1] / "src/salva/lexicon/data"


def write_tables(name: str, tables: dict[str, pa.Array]) -> None:
    """Write one row of list columns; compressed, they could not be mapped."""
    path = DATA / name
    columns = {key: pa.array([array], pa.list_(array.type)) for key, array in tables.items()}
    batch = pa.record_batch(columns)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    print(f"{name}: {path.stat().st_size / 1e6:.2f} MB")
