"""Read and write rows as a stream: txt, csv, tsv, jsonl, parquet, arrow, folders; and the bundled reviews."""

from salva.datasets.bad_rows import BadRow, OnBadRow
from salva.datasets.columns import Columns
from salva.datasets.manifest import Manifest
from salva.datasets.options import ReadOptions, WriteOptions, select_columns
from salva.datasets.output import convert
from salva.datasets.rows import Rows, open_rows, reviews

__all__ = [
    "BadRow",
    "Columns",
    "Manifest",
    "OnBadRow",
    "ReadOptions",
    "Rows",
    "WriteOptions",
    "convert",
    "open_rows",
    "reviews",
    "select_columns",
]
