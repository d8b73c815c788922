"""How a data set is read and written: the options and their defaults."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

from salva.errors import UsageError
from salva.rows.bad_rows import OnBadRow
from salva.rows.source import MAX_LINE_BYTES, check_encoding

# The largest limit that the csv module accepts on every platform.
_MOST_BYTES = (1 << 31) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read a file; None means that Salva detects it."""

    format: str | None = None
    text_column: str | None = None
    label_column: str | None = None
    id_column: str | None = None
    spans_column: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    on_bad_row: OnBadRow = "fail"
    max_line_bytes: int = MAX_LINE_BYTES

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if self.delimiter is not None and not re.fullmatch('[^"\r\n\0\ud800-\udfff]', self.delimiter):
            raise UsageError(f"delimiter {self.delimiter!r} must be one character, such as ';'")
        if self.on_bad_row not in {"fail", "keep", "drop"}:
            raise UsageError(f"on_bad_row {self.on_bad_row!r} is unknown; use fail, keep or drop")
        check_encoding(self.encoding)
        if not 1 <= self.max_line_bytes <= _MOST_BYTES:
            raise UsageError(f"max_line_bytes {self.max_line_bytes!r} must be between 1 and {_MOST_BYTES}")


def select_columns(
    options: ReadOptions | None,
    text_column: str | Sequence[str] | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    spans: str | None = None,
) -> ReadOptions:
    """Return the options with these columns, as far as they are given.

    >>> select_columns(None, ["premise", "hypothesis"]).text_column
    'premise,hypothesis'
    """
    text = text_column if text_column is None or isinstance(text_column, str) else ",".join(text_column)
    columns = {"text_column": text, "label_column": label_column, "id_column": id_column}
    columns["spans_column"] = spans
    given = {name: column for name, column in columns.items() if column is not None}
    return dataclasses.replace(options or ReadOptions(), **given)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How rows are written: the format, if the name does not show it, and whether to replace a file."""

    format: str | None = None
    overwrite: bool = False
