"""A run as flat tables: its conditions, details by class and slice, and those that the report offers."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from salva._results import choose_evenly
from salva._show import count
from salva._spreadsheets import guard_cell
from salva._types import PathLike
from salva.errors import UsageError
from salva.evaluation.results import (
    CONTRAST_COLUMNS,
    ConditionResult,
    Edit,
    Flip,
    Results,
)
from salva.numbers import Column, list_columns
from salva.pages import Mark, Segment, marked, tabulate
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
    """Return recall and precision by class, and which classes are confused."""
    if not results.classes:
        return None
    scores, confused = class_rows(results), confusion_rows(results)
    shown = {"scores": scores[:MOST_ROWS], "confused": confused[:MOST_ROWS]}
    return {**shown, "all_scores": len(scores), "all_confused": len(confused)}


def show_slices(results: Results) -> dict[str, Any] | None:
    """Return the drop of every slice; None if there is none."""
    rows = slice_rows(results)
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
    for name, score in (scores | ({"presets": results.robust} if results.robust else {})).items():
        yield {"axis": name, **dataclasses.asdict(score)}


def class_rows(results: Results) -> list[dict[str, Any]]:
    """Return every class under every condition."""
    return [{"condition": one.condition, "score": score} for one in results.by_class for score in one.classes]


def confusion_rows(results: Results) -> list[dict[str, Any]]:
    """Return every pair of a label and a wrong answer under every condition."""
    return [
        {"condition": one.condition, "confusion": found}
        for one in results.by_class
        for found in one.confusions
        if found.label != found.answer
    ]


def slice_rows(results: Results) -> list[dict[str, Any]]:
    """Return every slice under every condition."""
    return [
        {
            "by": "characters" if slicing.column is None else slicing.column,
            "slice": some.name,
            "rows": some.rows,
            "score": score,
        }
        for slicing in results.slices
        for some in slicing.slices
        for score in some.scores
    ]


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
    return (
        {"preset": one.preset, "severity": point.severity, "drop": point.drop}
        for one in results.presets
        for point in one.curve.points
    )


def _settings(results: Results) -> Iterator[dict[str, Any]]:
    about = {"salva": results.salva, "signature": results.signature, "status": results.status}
    run = {"model": results.model.name, "data": results.data.name, "rows": results.data.rows}
    for name, value in {**about, **run, **results.settings}.items():
        # A mapping would become columns of its own.
        yield {"setting": name, "value": list(value.items()) if isinstance(value, dict) else value}


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
    "blame": lambda results: results.blame.words[:_MOST_WORDS] if results.blame else (),
    "faults": lambda results: results.failed.listed if results.failed else results.failures,
    "settings": _settings,
}


MOST_FLIPS = 200
_MOST_BLAMED = 12  # edits listed below a flip
DIRECTIONS = {
    "lost": "right → wrong",
    "won": "wrong → right",
    "both": "right → right",
    "other": "wrong → other wrong",
    "unlabelled": "no label",
}

CAUSES = {
    "alone": "one edit",
    "together": "several edits together",
    "either": "either of several edits",
    "render": "reassembled text",
    "variant": "other way to ask",
    None: "cause not found",
}


class Option(NamedTuple):
    """A value of a field: how items and links refer to it, its name in addresses, and its text."""

    value: str
    name: str
    text: str


class Field(NamedTuple):
    """A field to choose by: its label, the text for no choice, and its options under their headings."""

    label: str
    every: str
    groups: Mapping[str, Sequence[Option]]


@dataclass(frozen=True, slots=True)
class ShownFlip:
    """A flip as the page shows it; `values` has those of its fields, several with spaces between them."""

    flip: Flip
    values: dict[str, str]
    segments: list[Segment]
    rules: list[tuple[str, int]]
    blamed: list[Edit]
    blamed_left_out: int


@dataclass(frozen=True, slots=True)
class FlipList:
    """The flips on the page and their fields; links refer to a condition or a severity by its value."""

    shown: list[ShownFlip]
    fields: dict[str, Field]
    conditions: dict[str, str]
    severities: dict[tuple[str, float | None], str]
    directions: Counter[str]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield what is known about each flip besides its texts."""
        for one in self.shown:
            yield {
                **{name: getattr(one.flip, name) for name in _SAVED},
                "direction": DIRECTIONS[one.values["direction"]],
                "cause": one.flip.cause,
                "to_blame": "; ".join(f"{edit.old} → {edit.new}" for edit in one.blamed),
            }


def list_flips(flips: Sequence[Flip], conditions: Sequence[ConditionResult]) -> FlipList:
    """Return an even choice of flips over the conditions, with the fields that tell some of them apart."""
    chosen = _choose(flips)
    values = [_values_of(flip) for flip in chosen]
    places = _Places.of(conditions, Counter(flip.condition for flip in chosen))
    directions = Counter(map(direction_of, chosen))
    found = [Option(key, text, text) for key, text in DIRECTIONS.items() if directions[key]]
    fields = {"condition": places.field, "direction": Field("Direction", "all directions", {"": found})}
    numbers: dict[str, dict[str, str]] = {}
    for name, label, every in _FIELDS:
        known = sorted({value for one in values for value in one[name]})
        numbers[name] = {value: str(number) for number, value in enumerate(known)}
        fields[name] = Field(label, every, {"": [Option(numbers[name][v], v, v) for v in known]})
    shown = []
    for flip, one in zip(chosen, values, strict=True):
        mine = {name: " ".join(numbers[name][value] for value in some) for name, some in one.items()}
        mine |= {"condition": places.values.get(flip.condition, ""), "direction": direction_of(flip)}
        blamed = [edit for edit in flip.edits if edit.blamed]
        shown.append(
            ShownFlip(
                flip=flip,
                values=mine,
                segments=mark_edits(flip.text, flip.edits),
                rules=sorted(Counter(edit.rule for edit in flip.edits).items()),
                blamed=blamed[:_MOST_BLAMED],
                blamed_left_out=max(0, len(blamed) - _MOST_BLAMED),
            )
        )
    return FlipList(shown, fields, places.conditions, places.severities, directions)


_SAVED = ("row", "id", "condition", "label", "before", "after")
_FIELDS = (
    ("label", "Label", "all labels"),
    ("outcome", "Outcome", "all outcomes"),
    ("cause", "Cause", "all causes"),
    ("rule", "Rule", "all rules"),
)


def direction_of(flip: Flip) -> str:
    """Return a key of `DIRECTIONS`."""
    if flip.label is None:
        return "unlabelled"
    is_right, stays_right = flip.before == flip.label, flip.after == (flip.label_after or flip.label)
    if is_right:
        return "both" if stays_right else "lost"
    return "won" if stays_right else "other"


def _values_of(flip: Flip) -> dict[str, list[str]]:
    return {
        "label": [] if flip.label is None else [flip.label],
        "outcome": [f"{flip.before} → {flip.after}"],
        "cause": [CAUSES.get(flip.cause, CAUSES[None])] if flip.edits or flip.cause else [],
        "rule": sorted({edit.rule for edit in flip.edits}),
    }


class _Places(NamedTuple):
    """Conditions, their presets or axes and severities, as values of one field; only those with flips.

    `values` are those of a condition: its own, its preset's, and that of the severity that replicates share.
    """

    field: Field
    values: dict[str, str]
    conditions: dict[str, str]
    severities: dict[tuple[str, float | None], str]

    @classmethod
    def of(cls, conditions: Sequence[ConditionResult], shown: Counter[str]) -> _Places:
        """Return the values of conditions, of which so many flips are shown."""
        known = [one for one in conditions if shown[one.name]]
        own = {one.name: f"c{i}" for i, one in enumerate(known)}
        presets: dict[str, list[ConditionResult]] = {}
        places: dict[tuple[str, float | None], list[ConditionResult]] = {}
        for one in known:
            presets.setdefault(one.group, []).append(one)
            places.setdefault(_place_of(one), []).append(one)
        severities = {
            place: f"s{i}" if len(mine) > 1 else own[mine[0].name]
            for i, (place, mine) in enumerate(places.items())
        }
        values, groups = {}, {}

        def describe(value: str, name: str, mine: Sequence[ConditionResult], title: str = "") -> Option:
            flips, changed = sum(shown[one.name] for one in mine), sum(one.score.changed for one in mine)
            return Option(value, name, f"{title or name} ({count(flips)} of {count(changed)})")

        for i, (preset, mine) in enumerate(presets.items()):
            for one in mine:
                found = (own[one.name], f"p{i}", severities[_place_of(one)])
                values[one.name] = " ".join(dict.fromkeys(found))
            options = [describe(f"p{i}", preset, mine, f"{preset}, all")] if len(mine) > 1 else []
            for (group, severity), some in places.items():
                if group == preset and len(some) > 1:
                    name = group if severity is None else f"{group}@{severity:g}"
                    value = severities[group, severity]
                    options.append(describe(value, f"{name}, all replicates", some))
            groups[preset] = options + [describe(own[one.name], one.name, [one]) for one in mine]
        if all(len(options) == 1 for options in groups.values()):
            groups = {"": [options[0] for options in groups.values()]}
        return cls(Field("Condition", "all conditions", groups), values, own, severities)


def _place_of(condition: ConditionResult) -> tuple[str, float | None]:
    """Return the preset and the severity, which replicates share; what has a variant is on its own."""
    if condition.variant is not None:
        return condition.name, None
    return condition.group, condition.severity


def _choose(flips: Sequence[Flip]) -> list[Flip]:
    """Return flips from all over the data, taking turns between the conditions while there is room."""
    turns = [
        ((k + 0.5) / len(some), number, flip)
        for number, some in enumerate(choose_flips(flips, MOST_FLIPS))
        for k, flip in enumerate(some)
    ]
    return [flip for *_, flip in sorted(turns, key=lambda turn: turn[:2])]


def choose_flips(flips: Sequence[Flip], most: int) -> list[list[Flip]]:
    """Return an even choice of flips over the conditions, those of each together."""
    by_condition: dict[str, list[Flip]] = {}
    for flip in flips:
        by_condition.setdefault(flip.condition, []).append(flip)
    return choose_evenly(by_condition.values(), most)


def mark_edits(text: str, edits: Iterable[Edit]) -> list[Segment]:
    """Return a text with its edits marked, those to blame stronger."""
    return marked(text, [Mark(edit.start, edit.end, edit.old, edit.rule, edit.blamed) for edit in edits])
