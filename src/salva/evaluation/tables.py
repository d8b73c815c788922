"""Results as a flat table, one row per condition, for spreadsheets and data frames."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from salva._types import PathLike
from salva.datasets.formats import FORMATS, find_output_format
from salva.datasets.output import write_table
from salva.errors import UsageError
from salva.evaluation.results import Condition, Results
from salva.stats import Estimate

_SPREADSHEETS = ("csv", "tsv")
# A cell that starts with one is run as a formula or loses it; full-width forms are read like the plain ones.
_FORMULA = tuple("=+-@%|\t\r\n\uff1d\uff0b\uff0d\uff20\uff05\uff5c")

_TEXT, _COUNT, _NUMBER, _FLAG = pa.large_string(), pa.int64(), pa.float64(), pa.bool_()
_COLUMNS = {
    "condition": _TEXT,
    "preset": _TEXT,
    "severity": _NUMBER,
    "replicate": _COUNT,
    "n": _COUNT,
    "n_failed": _COUNT,
    "n_unlabelled": _COUNT,
    "accuracy_before": Estimate,
    "accuracy_after": Estimate,
    "macro_f1_before": _NUMBER,
    "macro_f1_after": _NUMBER,
    "drop": Estimate,
    "p": _NUMBER,
    "p_holm": _NUMBER,
    "effective": _FLAG,
    "surely_effective": _FLAG,
    "consistency": Estimate,
    "both_right": Estimate,
    "right_to_wrong": _COUNT,
    "wrong_to_right": _COUNT,
    "changed": _COUNT,
    "edit_rate": _NUMBER,
    "edits": _COUNT,
    "truncated": _COUNT,
    "metric_before": _NUMBER,
    "metric_after": _NUMBER,
    "metric_change": Estimate,
}


def conditions_table(results: Results) -> pa.Table:
    """Return the conditions as a table; an estimate has three columns: `drop`, `drop_low`, `drop_high`."""
    schema = pa.schema(
        [
            (name + ending, _NUMBER if kind is Estimate else kind)
            for name, kind in _COLUMNS.items()
            for ending in (("", "_low", "_high") if kind is Estimate else ("",))
        ]
    )
    return pa.Table.from_pylist([_row(condition) for condition in results.conditions], schema=schema)


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
        table = _defused(table)
    write_table(path, table, text_column="condition", overwrite=overwrite)


def _row(condition: Condition) -> dict[str, Any]:
    score, metric = condition.score, condition.metric
    values = {name: getattr(score, name, getattr(condition, name, None)) for name in _COLUMNS}
    values["condition"] = condition.name
    if metric is not None:
        own = {"metric_before": metric.before, "metric_after": metric.after, "metric_change": metric.change}
        values |= own
    row: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Estimate):
            row |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        else:
            row[name] = value
    return row


def _defused(table: pa.Table) -> pa.Table:
    for i, field in enumerate(table.schema):
        if field.type == _TEXT:
            cells = [f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in table[i].to_pylist()]
            table = table.set_column(i, field, pa.array(cells, _TEXT))
    return table
