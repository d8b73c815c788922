"""The bundled film reviews: written for this project, half of them positive, half negative."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Literal

import pyarrow as pa

from salva.datasets.options import ReadOptions
from salva.datasets.rows import open_rows
from salva.errors import UsageError


def reviews(split: Literal["train", "test"] = "test") -> pa.Table:
    """Return the reviews of one split as a table of `id`, `text` and `label` (positive or negative).

    >>> reviews("train").num_rows
    252
    """
    if split not in {"train", "test"}:
        raise UsageError(f"split {split!r} is unknown; use 'train' or 'test'")
    home = files("salva.datasets").joinpath(f"data/reviews-{split}.csv")
    with as_file(home) as path, open_rows(path, ReadOptions(format="csv")) as rows:
        return pa.Table.from_batches(list(rows))
