"""Read and write rows as a stream: txt, csv, tsv, jsonl, parquet, arrow, folders; and the bundled reviews."""

from salva.datasets.badrows import BadRow, OnBadRow
from salva.datasets.columns import Columns
from salva.datasets.convert import convert
from salva.datasets.manifest import Manifest
from salva.datasets.options import ReadOptions
from salva.datasets.output import Output
from salva.datasets.reviews import reviews
from salva.datasets.rows import Rows, open_rows

__all__ = [
    "BadRow",
    "Columns",
    "Manifest",
    "OnBadRow",
    "Output",
    "ReadOptions",
    "Rows",
    "convert",
    "open_rows",
    "reviews",
]
