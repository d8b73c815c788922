"""Clean questions once more: they show how much answers vary by themselves, which is the noise floor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from salva._arrow import ints, is_text
from salva.questions.table import (
    AGAIN,
    ALONE,
    CLEAN,
    SCHEMA,
    Purpose,
    Questions,
    as_keys,
    inputs_of,
    keys_of,
    make_block,
    read_heads,
    with_purpose,
)


def repeat_questions(
    questions: Questions, size: int, alone: int, condition: str | None = CLEAN
) -> Iterator[pa.Table]:
    """Yield the questions with the smallest keys again, then the first of them to be asked one at a time.

    Without a condition, those under any condition are chosen from.
    """
    chosen = _find_smallest(questions, size, condition)
    parts: tuple[tuple[Purpose, list[tuple[int, str]]], ...]
    parts = (AGAIN, chosen), (ALONE, chosen[:alone])
    for purpose, some in parts:
        if some:
            wanted: dict[int, set[str]] = {}
            for item, name in some:
                wanted.setdefault(item, set()).add(name)
            rows = sorted(questions.take(wanted, SCHEMA.names), key=lambda row: row["key"])
            columns = {name: [row[name] for row in rows] for name in SCHEMA.names}
            block = make_block(len(rows), **columns)
            manner = "" if purpose == AGAIN else ALONE
            keys = keys_of(inputs_of(block, questions.about), time=1, manner=manner)
            yield with_purpose(block.set_column(0, SCHEMA.field("key"), as_keys(keys)), purpose)


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
