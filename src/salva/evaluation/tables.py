"""A run as flat tables: its conditions, details by class and slice, and those that the report offers."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from salva._spreadsheets import guard_cell
from salva._types import PathLike
from salva.asking.asker import Failure
from salva.errors import UsageError
from salva.evaluation.flip_list import FlipList
from salva.evaluation.results import (
    CONTRAST_COLUMNS,
    BlamedWord,
    ConditionResult,
    FailedText,
    Replacement,
    Results,
)
from salva.numbers import Column, list_columns
from salva.pages import tabulate
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


MOST_ROWS = 400  # per table


def show_classes(results: Results) -> dict[str, Any] | None:
    """Return recall and precision by class, and which classes are confused; None for older runs."""
    scores, confused = list(class_rows(results)), list(confusion_rows(results))
    if not results.classes:
        return None
    shown = {"scores": scores[:MOST_ROWS], "confused": confused[:MOST_ROWS]}
    return {**shown, "all_scores": len(scores), "all_confused": len(confused)}


def show_slices(results: Results) -> dict[str, Any] | None:
    """Return the drop of every slice; None if there is none."""
    rows = list(slice_rows(results))
    return {"rows": rows[:MOST_ROWS], "all": len(rows)} if rows else None


def show_axes(results: Results) -> dict[str, Any] | None:
    """Return every axis with its variants and numbers, and robust accuracy."""
    if not results.axes and results.robust is None:
        return None
    variants = [one for one in results.conditions if one.variant is not None and one.preset is None]
    return {
        "axes": [
            (one, [own for own in variants if own.axis == one.axis][:MOST_ROWS]) for one in results.axes
        ],
        "robust": results.robust,
    }


def show_entities(results: Results) -> dict[str, Any] | None:
    """Return the entities of every label under every condition; None if the answers are not spans."""
    rows = results.entities[:MOST_ROWS]
    return {"rows": rows, "all": len(results.entities)} if rows else None


def axis_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the numbers of every axis, those of presets last."""
    scores = {one.axis: one.score for one in results.axes}
    for name, score in {**scores, **({"presets": results.robust} if results.robust else {})}.items():
        found = {field.name: getattr(score, field.name) for field in dataclasses.fields(score)}
        found["accuracies"] = list(found["accuracies"])
        yield {"axis": name, **found}


def class_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield every class under every condition."""
    for one in results.by_class:
        for score in one.classes:
            yield {"condition": one.condition, "score": score}


def confusion_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield every pair of a label and a wrong answer under every condition."""
    for one in results.by_class:
        for found in one.confusions:
            if found.label != found.answer:
                yield {"condition": one.condition, "confusion": found}


def slice_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield every slice under every condition."""
    for slicing in results.slices:
        by = "characters" if slicing.column is None else slicing.column
        for some in slicing.slices:
            for score in some.scores:
                yield {"by": by, "slice": some.name, "rows": some.rows, "score": score}


_MOST_WORDS = 2_000  # to blame, so that the page stays small


def list_tables(results: Results, flips: FlipList) -> dict[str, Any]:
    """Return everything on the page as tables, at full precision; the page has the texts of flips."""
    tables = {name: tabulate(rows(results)) for name, rows in TABLES.items()}
    tables["flips"] = tabulate(flips.records(), texts="flip-list")
    return {name: table for name, table in tables.items() if table is not None}


def _validity(results: Results) -> Iterator[dict[str, Any]]:
    for one in results.presets:
        found = one.validity
        shares = {} if found is None else {"edits": found.edits, "label": found.label}
        rates = {name: {"rate": share.rate, "n": share.n} for name, share in shares.items() if share}
        yield {"preset": one.preset, "family": one.family, "version": one.version, **rates}


def _points(results: Results) -> Iterator[dict[str, Any]]:
    for one in results.presets:
        for point in one.curve.points:
            yield {"preset": one.preset, "severity": point.severity, "drop": point.drop}


def _settings(results: Results) -> Iterator[dict[str, Any]]:
    about = {"salva": results.salva, "signature": results.signature, "status": results.status}
    run = {"model": results.model.name, "data": results.data.name, "rows": results.data.rows}
    for name, value in {**about, **run, **results.settings}.items():
        # A mapping would become columns of its own.
        yield {"setting": name, "value": list(value.items()) if isinstance(value, dict) else value}


def _words(results: Results) -> Sequence[BlamedWord | Replacement]:
    found = results.blame
    return (found.words or found.table)[:_MOST_WORDS] if found else ()


def _failed(results: Results) -> Sequence[FailedText | Failure]:
    return results.failed.listed if results.failed else results.failures


# The rows of a section, by its id.
TABLES: dict[str, Callable[[Results], Iterable[Any]]] = {
    "conditions": lambda results: map(plain_row, results.conditions),
    "axes": axis_rows,
    "contrasts": lambda results: (plain_cells(CONTRAST_COLUMNS, one) for one in results.contrasts),
    "validity": _validity,
    "curves": _points,
    "presets": lambda results: results.comparisons,
    "classes": class_rows,
    "confusions": confusion_rows,
    "entities": lambda results: results.entities,
    "slices": slice_rows,
    "confidence": lambda results: results.confidence,
    "blame": _words,
    "faults": _failed,
    "settings": _settings,
}
