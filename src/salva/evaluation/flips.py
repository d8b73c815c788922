"""Pairs that did the wrong thing: answers that changed and had to stay, or stayed and had to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from salva._files import replacing, storage_errors
from salva._types import Ints64, PathLike
from salva.asking.run_folder import read_run_table
from salva.evaluation.grading import AskedRow
from salva.evaluation.join import Answered, Joined
from salva.evaluation.results import Edit, Flip
from salva.models.protocol import as_text
from salva.questions.rewriting import RENDERED
from salva.questions.table import CHANGE, CLEAN, About, Condition, Questions, as_column, as_input, undo

FLIPS, UNCHANGED = "flips.parquet", "unchanged.parquet"
_TEXT = pa.large_string()
_PLAIN = ("id", "condition", "label", "before", "after", "text", "cause", "original", "label_after")
_EDITS = {
    "start": pa.int64(),
    "end": pa.int64(),
    "old": _TEXT,
    "new": _TEXT,
    "rule": _TEXT,
    "blamed": pa.int64(),
}
_SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        *((name, _TEXT) for name in _PLAIN),
        *((f"edit_{name}", pa.list_(kind)) for name, kind in _EDITS.items()),
    ]
)
_COLUMNS = ("item", "id", "condition", "parts", "options", "edits", "expected", "facts")


@dataclass(frozen=True, slots=True)
class Case:
    """A flip with its question, as the table has it; `clean` is the clean question about the same item."""

    flip: Flip
    condition: Condition
    row: Mapping[str, Any]
    clean: Mapping[str, Any]

    @property
    def edits(self) -> Sequence[Mapping[str, Any]]:
        """The edits, in the order of those of the flip."""
        return list_edits(self.row)

    @property
    def is_spliced(self) -> bool:
        """Whether the question without its edits is the clean one."""
        return undo(self.row["parts"], self.edits) == list(self.clean["parts"])

    def as_asked(self, about: About) -> AskedRow:
        """Return the question as grading needs it."""
        question = as_input(self.clean["parts"], about.condition(CLEAN))
        facts = dict(self.clean["facts"] or ())
        text = "" if question is None else as_text(question)
        return AskedRow(self.row["expected"], self.row["options"], facts, self.row["parts"], None, text)


def list_edits(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the edits of a question, without what only the render changed."""
    return [edit for edit in row["edits"] or () if edit["rule"] != RENDERED]


def find_flips(questions: Questions, joined: Joined, most: int) -> list[Case]:
    """Return some pairs whose answer changed and had to stay, of every condition, evenly spaced over all."""
    return _find(questions, joined, joined.conditions, most, stayed=False)


def find_unchanged(questions: Questions, joined: Joined, most: int) -> list[Flip]:
    """Return some pairs whose answer stayed and had to change."""
    return [case.flip for case in _find(questions, joined, joined.contrasts, most, stayed=True)]


def _find(
    questions: Questions, joined: Joined, conditions: Sequence[Answered], most: int, *, stayed: bool
) -> list[Case]:
    chosen = [(one, _choose(joined, one, most, stayed=stayed)) for one in conditions]
    wanted: dict[int, list[str]] = {}
    for one, items in chosen:
        for item in items.tolist():
            wanted.setdefault(item, [CLEAN]).append(one.condition.name)
    rows = {(row["item"], row["condition"]): row for row in questions.take(wanted, _COLUMNS)}
    return [
        _show(questions.about, joined, one, rows[item, one.condition.name], rows[item, CLEAN])
        for one, items in chosen
        for item in items.tolist()
    ]


def _choose(joined: Joined, one: Answered, most: int, *, stayed: bool) -> Ints64:
    before, after = joined.clean.codes, one.codes
    wrong = np.flatnonzero((before >= 0) & (after >= 0) & ((before == after) == stayed))
    if len(wrong) <= most:
        return wrong
    return wrong[np.linspace(0, len(wrong) - 1, most).astype(np.int64)] if most else wrong[:0]


def _show(
    about: About, joined: Joined, one: Answered, row: Mapping[str, Any], clean: Mapping[str, Any]
) -> Case:
    condition = one.condition
    text, edits = show_question(about, condition, row)
    original: str | None = None
    if condition.axis is not None or (condition.preset is None and not edits):
        original, _ = show_question(about, about.condition(CLEAN), clean)
    item = row["item"]
    own = joined.labels if one.expected is None or condition.must == CHANGE else one.expected
    codes = np.array([joined.labels[item], joined.clean.codes[item], one.codes[item], own[item]])
    label, before, after, label_after = joined.decode(codes)
    flip = Flip(
        item,
        row["id"],
        condition.name,
        label,
        before or "",
        after or "",
        text,
        tuple(edits),
        original=None if original == text else original,
        label_after=None if label_after == label else label_after,
    )
    return Case(flip, condition, row, clean)


def list_shown_edits(about: About, condition: Condition, row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the edits of a question that people see."""
    if condition.roles:
        return list_edits(row)
    return [edit for edit in list_edits(row) if edit["part"] == about.rewritten_part]


def show_question(about: About, condition: Condition, row: Mapping[str, Any]) -> tuple[str, list[Edit]]:
    """Return a question as people see it, the rewritten text or the whole prompt, and its edits there."""
    parts, edits = row["parts"], list_shown_edits(about, condition, row)
    text, places = parts[about.rewritten_part], [0] * len(parts)
    if condition.roles:
        prompt: Any = as_input(parts, condition, row["options"] or ())
        text, places = prompt.text, prompt.places
    shown = []
    for edit in edits:
        start, end = (edit[name] + places[edit["part"]] for name in ("start", "end"))
        shown.append(Edit(start, end, edit["old"], edit["new"], edit["rule"], blamed=False))
    return text, shown


def write_flips(path: PathLike, flips: Sequence[Flip]) -> None:
    """Write flips to a parquet file, with edits as lists."""
    columns: dict[str, Any] = {name: [getattr(flip, name) for flip in flips] for name in ("row", *_PLAIN)}
    for name in _EDITS:
        columns[f"edit_{name}"] = [[getattr(edit, name) for edit in flip.edits] for flip in flips]
    table = pa.table({one.name: as_column(columns[one.name], one.type) for one in _SCHEMA}, _SCHEMA)
    with replacing(path, overwrite=True) as stream, storage_errors(path):
        pq.write_table(table, stream, compression="zstd", write_page_checksum=True)


def read_flips(path: Path) -> list[Flip]:
    """Return the flips of a run."""
    flips = []
    for row in read_run_table(path).to_pylist():
        lists = zip(*(row.pop(f"edit_{name}") for name in _EDITS), strict=True)
        edits = tuple(
            Edit(start, end, old, new, rule, bool(blamed)) for start, end, old, new, rule, blamed in lists
        )
        flips.append(Flip(**row, edits=edits))
    return flips
