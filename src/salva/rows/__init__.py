"""Read and write rows as a stream: txt, csv, tsv, jsonl, parquet, arrow, folders; and the bundled reviews."""

from salva.rows.bad_rows import BadRow, OnBadRow
from salva.rows.columns import Columns
from salva.rows.manifest import Manifest
from salva.rows.options import ReadOptions, WriteOptions, select_columns
from salva.rows.output import convert
from salva.rows.rows import Rows, open_rows, reviews

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
