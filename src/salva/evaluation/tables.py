"""Results as a flat table, one row per condition, for spreadsheets and data frames."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from salva._spreadsheets import guard_cell
from salva._types import PathLike
from salva.errors import UsageError
from salva.evaluation.results import ConditionResult, Results
from salva.numbers import Column, list_columns
from salva.rows.read import FORMATS, find_output_format
from salva.rows.write import write_table

_SPREADSHEETS = ("csv", "tsv")

_TYPES = {str: pa.large_string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

COLUMNS = list(list_columns(ConditionResult))
"""Everything that tables, pages, terminals and trackers know about a condition."""


def conditions_table(results: Results) -> pa.Table:
    """Return the conditions as a table, without columns that have no value in the run.

    An estimate has three columns: `drop`, `drop_low`, `drop_high`. A run without conditions has them all.
    """
    table = make_table(COLUMNS, results.conditions)
    if not len(table):
        return table
    return table.select([name for name in table.column_names if table[name].null_count < len(table)])


def make_table(columns: Sequence[Column], results: Iterable[Any]) -> pa.Table:
    """Return results as a table, one row each; an estimate has three columns."""
    names = {name: column for column in columns for name in column.plain_values(None)}
    schema = pa.schema([(name, _TYPES.get(column.type, pa.float64())) for name, column in names.items()])
    return pa.Table.from_pylist([plain_cells(columns, result) for result in results], schema=schema)


def plain_row(condition: ConditionResult) -> dict[str, Any]:
    """Return the cells of a condition by the names of their columns."""
    return plain_cells(COLUMNS, condition)


def plain_cells(columns: Sequence[Column], result: Any) -> dict[str, Any]:
    """Return the cells of a result by the names of their columns."""
    return {name: value for column in columns for name, value in column.plain_values(result).items()}


def write_results(results: Results, path: PathLike, *, raw: bool = False, overwrite: bool = False) -> None:
    """Write the table of conditions as csv, parquet or another format, chosen by the ending of the name.

    In csv and tsv, a text that a spreadsheet would run as a formula is prefixed with `'`, unless `raw`.
    """
    format_name = find_output_format(path)
    if not FORMATS[format_name].has_columns:
        known = ", ".join(name for name, entry in FORMATS.items() if entry.has_columns)
        raise UsageError(f"output {os.fspath(path)!r} cannot hold a table; use {known}")
    table = conditions_table(results)
    if format_name in _SPREADSHEETS and not raw:
        table = _defuse(table)
    write_table(path, table, text_column="condition", overwrite=overwrite)


def _defuse(table: pa.Table) -> pa.Table:
    for i, field in enumerate(table.schema):
        if field.type == pa.large_string():
            cells = pa.array([cell and guard_cell(cell) for cell in table[i].to_pylist()], field.type)
            table = table.set_column(i, field, cells)
    return table
