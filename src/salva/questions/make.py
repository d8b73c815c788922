"""Make the table of questions: write part after part, and go on where an earlier process stopped.

Some clean questions are asked again, as a part of their own: they show how much answers vary by themselves,
which is the noise floor.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import ints, is_text
from salva._progress import ProgressOption, tracking
from salva._results import as_json
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.questions.conditions import Presets
from salva.questions.options import SEVERITIES, Options
from salva.questions.plan import Group, Plan, plan_questions
from salva.questions.suite import check_place, write_suite
from salva.questions.table import (
    AGAIN,
    ALONE,
    CLEAN,
    MADE,
    SCHEMA,
    TABLE,
    About,
    Questions,
    as_keys,
    inputs_of,
    keys_of,
    list_made,
    make_block,
    open_part,
    open_questions,
    read_about,
    read_heads,
    write_about,
    write_part,
)
from salva.tasks import Task
from salva.transforms import Summary

# Settings on which no question depends: columns that only numbers are made of.
_FREE = ("group", "slice_by")
_FIRST_ITEMS, _MOST_ITEMS = 2048, 32_768  # of a part: the first is soon there, later ones are twice as large


def make_questions(
    data: Any,
    *,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    task: PathLike | Task | None = None,
    out: PathLike | None = None,
    seed: int = 0,
    sample: int | None = None,
    overwrite: bool = False,
    progress: ProgressOption = False,
    options: Options | None = None,
    name: str | None = None,
    licence: str | None = None,
) -> Questions:
    """Make the questions that `salva.evaluate` would ask, without asking them.

    The result counts them (`count`), and has them as an Arrow table (`to_arrow`). With `out`, they are kept
    in a folder as a suite, which can be shared and evaluated: its `name` and `licence` are notes for its
    readers. Without, they are in a temporary folder until Python ends.
    """
    overwrite = overwrite if out is None else check_place(out, overwrite=overwrite)
    plan = plan_questions(
        data, presets=presets, severities=severities, task=task, seed=seed, sample=sample, options=options
    )
    folder = Path(tempfile.mkdtemp(prefix="salva-questions-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with tracking(progress) as tracker:
        tracker.begin("making questions")
        for _ in write_parts(plan, folder):
            pass
    questions = open_questions(folder)
    if out is None:
        return questions
    named = name or Path(plan.info().name).stem
    return write_suite(questions, out, name=named, licence=licence, overwrite=overwrite).questions


@dataclass(slots=True)
class _Tally:
    """What is kept about a part: its items, a digest of all items up to its end, what presets did."""

    items: int = 0
    content: str = ""
    summaries: dict[str, Summary] = field(default_factory=dict)

    def add(self, more: Group | _Tally) -> None:
        """Count more items."""
        self.items, self.content = self.items + more.items, more.content
        for name, summary in more.summaries.items():
            self.summaries[name] = self.summaries.get(name, Summary()) + summary

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        summaries = {name: summary.as_dict() for name, summary in self.summaries.items()}
        return {"items": self.items, "content": self.content, "summaries": summaries}


def _read_tally(path: Path) -> _Tally:
    """Return what was kept about a part."""
    metadata = open_part(path).metadata.metadata or {}
    try:
        kept = json.loads(metadata[b"salva"])
        summaries = {name: Summary.from_dict(one) for name, one in kept["summaries"].items()}
        return _Tally(int(kept["items"]), str(kept["content"]), summaries)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError.at(path, None, "is damaged (no tally); make the questions again") from None


class _Groups:
    """Groups of questions; the next one is made already, so that the last part is known to be the last."""

    def __init__(self, groups: Iterator[Group]) -> None:
        self._groups = groups
        self.next = next(groups, None)

    def take(self, part: _Tally, most: int) -> Iterator[pa.Table]:
        """Yield the questions about so many items, and count them in a part."""
        while self.next is not None and part.items < most:
            part.add(self.next)
            yield self.next.block
            self.next = next(self._groups, None)


def write_parts(plan: Plan, folder: Path) -> Iterator[str]:
    """Write the table of a plan to a folder, and yield the name of each part once it is there.

    Parts of an earlier run are kept; `check_earlier` says whether they are those of this plan. If only the
    right answers are read in another way, or other columns are kept with them, all parts are made again: the
    model gets the same questions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = read_about(folder / TABLE) if (folder / TABLE).is_file() else None
    if known is None or _list_free(known) != _list_free(plan.about):
        (folder / TABLE).unlink(missing_ok=True)
        for name in list_made(folder):  # nobody knows what they were made with
            (folder / f"{name}.parquet").unlink()
        known = plan.about
        write_about(folder, known)
    made = list_made(folder)
    if known.data is not None:
        _check_whole(Questions(folder, known, made))
        yield from made
        return
    total, contents = _Tally(), {}
    for name in made:
        tally = _read_tally(folder / f"{name}.parquet")
        total.add(tally)
        contents[total.items] = total.content
        yield name
    groups, number = _Groups(plan.groups(total.items, contents)), len(made)
    if groups.next is None:
        if not made:
            raise InputError("there is nothing to ask")
        _finish(plan, folder, total)
    while groups.next is not None:
        part, name = _Tally(), f"{MADE}-{number:04d}"
        blocks = groups.take(part, min(_FIRST_ITEMS << number, _MOST_ITEMS))
        write_part(folder / f"{name}.parquet", blocks, part.as_dict)
        total.add(part)
        number += 1
        if groups.next is None:  # first, so that nobody asks the last part of a table that is not complete
            _finish(plan, folder, total)
        yield name


def _finish(plan: Plan, folder: Path, total: _Tally) -> None:
    """Write what is known when all questions are made."""
    about = replace(plan.about, summaries=total.as_dict()["summaries"])
    write_about(folder, replace(about, data=plan.info()))


def _check_whole(questions: Questions) -> None:
    """Refuse a table that lacks a part."""
    following = 0
    for first, last in questions.items:
        if first > following:
            break
        following = last + 1
    if questions.about.data is None or following != questions.about.data.rows:
        problem = f"has no question about row {following}"
        raise InputError.at(questions.folder, None, f"{problem}; make the questions again")


def check_earlier(plan: Plan, folder: Path) -> None:
    """Refuse an earlier table of other questions, saying what differs."""
    if not (folder / TABLE).is_file():
        return
    known = read_about(folder / TABLE)
    old, new = (_list_settings(about) for about in (known, plan.about))
    if old != new:
        name = next(name for name in dict.fromkeys([*new, *old]) if old.get(name) != new.get(name))
        problem = f"was made with different settings: {_describe_change(name, old.get(name), new.get(name))}"
        afresh = f"{argument('overwrite', True)} to start over, or give another folder"
        raise UsageError(f"{folder.parent}: {problem}; resume with the same settings, pass {afresh}")
    if known.data is None or _list_free(known) != _list_free(plan.about):
        return  # all parts are made again; the digest of data in memory covers only columns that are read
    if (found := plan.digest()) not in (None, known.data.digest):
        problem = f"was made with other data (digest {known.data.digest[:19]}…, now {found[:19]}…)"
        raise UsageError(f"{folder.parent}: {problem}; resume with the same data, or give another folder")


def _list_settings(about: About) -> dict[str, Any]:
    """Return everything on which questions depend, by name."""
    plain = about.as_dict()
    presets = {f"preset {name}": one["digest"] for name, one in plain["presets"].items()}
    task = (plain["grading"].get("task") or {}).get("question")
    made_with = {name: value for name, value in plain["made_with"].items() if name not in _FREE}
    return {**made_with, "task": task, **presets}


def _list_free(about: About) -> list[Any]:
    """Return what may change although the questions stay the same."""
    plain = about.as_dict()
    return [plain["grading"], *(plain["made_with"].get(name) for name in _FREE)]


def _describe_change(name: str, old: Any, new: Any) -> str:
    """Return what differs between two settings, by the innermost name."""
    if isinstance(old, dict) and isinstance(new, dict):
        inner = next(key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key))
        return _describe_change(f"{name}.{inner}", old.get(inner), new.get(inner))
    shown = (as_json(value).decode().strip() for value in (old, new))
    first, second = (text if len(text) <= 60 else f"{text[:57]}..." for text in shown)
    return f"{name} was {first} and is {second}"


def repeat_questions(
    questions: Questions, size: int, alone: int, condition: str | None = CLEAN
) -> Iterator[pa.Table]:
    """Yield the questions with the smallest keys again, then the first of them to be asked one at a time.

    Without a condition, those under any condition are chosen from.
    """
    chosen = _find_smallest(questions, size, condition)
    for purpose, manner, some in ((AGAIN, "", chosen), (ALONE, ALONE, chosen[:alone])):
        if some:
            wanted: dict[int, set[str]] = {}
            for item, name in some:
                wanted.setdefault(item, set()).add(name)
            rows = sorted(questions.take(wanted, SCHEMA.names), key=lambda row: row["key"])
            columns: dict[str, Any] = {name: [row[name] for row in rows] for name in SCHEMA.names}
            block = make_block(len(rows), **columns | {"purpose": purpose})
            keys = keys_of(inputs_of(block, questions.about), time=1, manner=manner)
            yield block.set_column(0, SCHEMA.field("key"), as_keys(keys))


def _find_smallest(questions: Questions, size: int, condition: str | None) -> list[tuple[int, str]]:
    """Return the items and conditions with the smallest keys, each key once, in the order of the keys."""
    found: dict[int, tuple[int, str]] = {}
    for block in questions.blocks(["key", "item", "condition"]):
        some = block if condition is None else block.filter(is_text(block["condition"], condition))
        heads, asked = read_heads(some["key"])
        rows, items, names = np.flatnonzero(asked), ints(some["item"]), some["condition"]
        # As big-endian numbers, keys are in the order of their bytes.
        smallest, first = np.unique(heads[rows].byteswap(), return_index=True)
        for head, row in zip(smallest[:size].tolist(), rows[first[:size]].tolist(), strict=True):
            found.setdefault(head, (int(items[row]), names[row].as_py()))
        found = dict(sorted(found.items())[:size])
    return list(found.values())
