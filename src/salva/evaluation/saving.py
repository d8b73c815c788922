"""The tables that the report offers as files, under the ids of the sections that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from salva.asking.asker import Failure
from salva.evaluation.detail_sections import axis_rows, class_rows, confusion_rows, slice_rows
from salva.evaluation.flip_list import FlipList
from salva.evaluation.results import CONTRAST_COLUMNS, BlamedWord, FailedText, Replacement, Results
from salva.evaluation.tables import plain_cells, plain_row
from salva.pages import tabulate

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
