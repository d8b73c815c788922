"""Rows whose answer changed: some from every condition, with the text that changed it and its edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from salva._arrow import as_numbers, as_strings, open_disk
from salva._files import replacing, storage_errors
from salva._types import PathLike
from salva.errors import InputError
from salva.evaluation.answers import AnswerTable
from salva.evaluation.blame import Case
from salva.evaluation.conditions import Condition
from salva.evaluation.inputs import TwinMaker
from salva.evaluation.results import Edit, Flip

_PLAIN = ("id", "condition", "label", "before", "after", "text", "cause", "original")
_EDITS = ("start", "end", "old", "new", "rule", "blamed")


def find_flips(
    condition: Condition, number: int, answers: AnswerTable, maker: TwinMaker, *, most: int
) -> list[Case]:
    """Return flips of a condition, evenly spaced over all of them; their edits are made again."""
    before, after = answers.clean, answers.after[number]
    changed = np.flatnonzero((before >= 0) & (after >= 0) & (before != after))
    if len(changed) > most:
        changed = changed[np.linspace(0, len(changed) - 1, most).astype(np.int64)] if most else changed[:0]
    if not len(changed):
        return []
    group = maker.rows.rows(changed.tolist())
    columns = (
        changed.tolist(),
        group.ids,
        answers.codes.decode(answers.labels[changed]),
        answers.codes.decode(before[changed]),
        answers.codes.decode(after[changed]),
        maker.show(group, maker.twins_of(condition, group)),
    )
    return [
        Case(
            Flip(
                row,
                name,
                condition.name,
                label,
                first or "",
                second or "",
                shown.text,
                shown.edits,
                original=shown.original,
            ),
            condition.is_undone_by_edits,
            shown.values,
            shown.places,
            condition.variant,
        )
        for row, name, label, first, second, shown in zip(*columns, strict=True)
    ]


def write_flips(path: PathLike, flips: Sequence[Flip]) -> None:
    """Write flips to a parquet file, with edits as lists."""
    columns: dict[str, Any] = {"row": as_numbers(np.array([flip.row for flip in flips], np.int64))}
    columns |= {name: as_strings([getattr(flip, name) for flip in flips]).array for name in _PLAIN}
    starts = np.cumsum([0, *(len(flip.edits) for flip in flips)], dtype=np.int32)
    for name in _EDITS:
        values = [getattr(edit, name) for flip in flips for edit in flip.edits]
        texts = name in ("old", "new", "rule")
        flat = as_strings(values).array if texts else as_numbers(np.array(values, np.int64))
        columns[f"edit_{name}"] = pa.ListArray.from_arrays(as_numbers(starts), flat)
    with replacing(path, overwrite=True) as stream, storage_errors(path):
        pq.write_table(pa.table(columns), stream, compression="zstd", write_page_checksum=True)


def read_flips(path: PathLike) -> list[Flip]:
    """Return the flips of a run."""
    with storage_errors(path):
        try:
            rows = pq.read_table(open_disk(path), page_checksum_verification=True).to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise InputError.at(path, None, f"is damaged ({str(error).splitlines()[0]})") from None
    flips = []
    for row in rows:
        lists = zip(*(row.pop(f"edit_{name}") for name in _EDITS), strict=True)
        edits = tuple(
            Edit(start, end, old, new, rule, bool(blamed)) for start, end, old, new, rule, blamed in lists
        )
        flips.append(Flip(**row, edits=edits))
    return flips
