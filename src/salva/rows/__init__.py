"""Read and write rows as a stream: txt, csv, tsv, jsonl, parquet, arrow, folders; and the bundled reviews."""

from salva.rows.columns import Columns, ReadOptions, select_columns
from salva.rows.read import Rows, open_rows, reviews
from salva.rows.source import BadRow, OnBadRow
from salva.rows.write import Manifest, WriteOptions

__all__ = [
    "BadRow",
    "Columns",
    "Manifest",
    "OnBadRow",
    "ReadOptions",
    "Rows",
    "WriteOptions",
    "open_rows",
    "reviews",
    "select_columns",
]
