"""The answers of a run as tables: one row per question, or one per item and condition with both answers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import (
    as_numbers,
    as_strings,
    flags,
    ints,
    ints_or,
    is_text,
    one_array,
    repeated,
    valid_rows,
)
from salva._types import Bools, Floats, Ints32, Ints64
from salva.asking.run_folder import read_run_table
from salva.questions.table import CLEAN, NO_TEXT, Questions, read_heads

_FEW = pa.dictionary(pa.int32(), pa.large_string())


def list_answers(questions: Questions, path: Path) -> pa.Table:
    """Return every question that makers wrote: item, id, condition, label, answer, score, and if it is asked.

    The label is the first accepted answer. Items whose clean questions have the same `cluster` are not
    independent.
    """
    answers = read_run_table(path, ["answer", "score"])
    columns = ["key", "item", "id", "group", "condition", "expected", "why_not_asked"]
    blocks = pa.concat_tables(questions.blocks(columns))
    clusters, _ = read_heads(blocks["key"])
    groups, why = blocks["group"].to_pylist(), blocks["why_not_asked"]
    first = as_numbers(np.zeros(1, np.int64))[0]  # a number of Python's would import pandas
    for row, group in enumerate(groups) if blocks["group"].null_count < len(blocks) else ():
        if group is not None:
            clusters[row] = int.from_bytes(blake2b(group.encode(), digest_size=8).digest(), "little")
    return pa.table(
        {
            "item": blocks["item"],
            "id": blocks["id"].cast(pa.large_string()),
            "condition": blocks["condition"].cast(_FEW),
            "label": pc.list_element(blocks["expected"], first).cast(pa.large_string()).dictionary_encode(),
            "answer": answers["answer"].cast(pa.large_string()).dictionary_encode(),
            "score": answers["score"],
            # An item without a text is asked about, and fails.
            "asked": pc.or_(pc.is_null(why), is_text(why, NO_TEXT)),
            "cluster": as_numbers(clusters),
        }
    )


class WideAnswers(NamedTuple):
    """The answers of a run, item by item: `answers` has the codes under every condition, -1 for none.

    `asked` is false for items that a condition does not ask about. `own_labels` are the right answers under
    conditions that have others than the clean questions.
    """

    ids: list[str]
    names: list[str]
    labels: Ints32
    own_labels: dict[str, Ints32]
    answers: dict[str, Ints32]
    asked: dict[str, Bools]
    scores: dict[str, Floats]
    clusters: Ints64


def widen_answers(table: pa.Table) -> WideAnswers:
    """Return the answers that `list_answers` gives item by item."""
    items = ints(table["item"])
    size = int(items.max(initial=-1)) + 1
    encoded = table["condition"].combine_chunks()
    conditions, codes = encoded.dictionary.to_pylist(), ints(encoded.indices)
    names, answer, label = _share_codes(table)
    scores, asked = _floats(table["score"]), flags(table["asked"])
    rows = {name: np.flatnonzero(codes == number) for number, name in enumerate(conditions)}

    def spread(column: np.ndarray[Any, Any], missing: Any) -> dict[str, np.ndarray[Any, Any]]:
        """Return the values of a column item by item, for every condition."""
        found = {name: np.full(size, missing, column.dtype) for name in rows}
        for name, own in rows.items():
            found[name][items[own]] = column[own]
        return found

    labels = spread(label, -1)
    clean = labels.pop(CLEAN)
    order = rows[CLEAN][np.argsort(items[rows[CLEAN]])]
    _, clusters = np.unique(ints(table["cluster"])[order], return_inverse=True)
    return WideAnswers(
        ids=table["id"].take(as_numbers(order)).to_pylist(),
        names=names,
        labels=clean,
        own_labels={name: own for name, own in labels.items() if not np.array_equal(own, clean)},
        answers=spread(answer, -1),
        asked=spread(asked, False),
        scores=spread(scores, np.nan),
        clusters=clusters.astype(np.int64),
    )


def _share_codes(table: pa.Table) -> tuple[list[str], Ints32, Ints32]:
    """Return names, and answers and labels as their codes; -1 for none."""
    columns = [table[name].combine_chunks() for name in ("answer", "label")]
    columns = [pa.concat_arrays(one.chunks) if isinstance(one, pa.ChunkedArray) else one for one in columns]
    names = list(dict.fromkeys(name for one in columns for name in one.dictionary.to_pylist()))
    place = {name: k for k, name in enumerate(names)}
    coded = []
    for one in columns:
        own = np.array([*(place[name] for name in one.dictionary.to_pylist()), -1], np.int32)
        coded.append(own[ints_or(one.indices, -1)])
    return names, coded[0], coded[1]


def pair_answers(table: pa.Table, questions: Questions | None) -> pa.Table:
    """Return one row per item and condition: label, both answers, and the clean text if it is known.

    Whether an answer is right, or changed, is null if there is no answer or, for right, no label.
    """
    wide = widen_answers(table)
    size, strings = len(wide.labels), pa.large_string()
    rows = as_numbers(np.arange(size))
    texts = {} if questions is None else _list_texts(questions, size)
    ids, names = as_strings(wide.ids).array, as_strings([*wide.names, None]).array
    label, before = (_decode(codes, names) for codes in (wide.labels, wide.answers[CLEAN]))
    parts = []
    for name, codes in wide.answers.items():
        if name == CLEAN:
            continue
        after, own = _decode(codes, names), wide.own_labels.get(name)
        parts.append(
            pa.table(
                {
                    "row": rows,
                    "id": ids,
                    "condition": repeated(name, size).cast(strings),
                    "label": label,
                    "before": before,
                    "after": after,
                    "right_before": pc.equal(before, label),
                    "right_after": pc.equal(after, label if own is None else _decode(own, names)),
                    "changed": pc.not_equal(before, after),
                    **texts,
                }
            )
        )
    return pa.concat_tables(parts)


def _decode(codes: Ints32, names: pa.Array) -> pa.Array:
    """Return the names of codes; the last one is that of none."""
    return names.take(as_numbers(np.where(codes < 0, len(names) - 1, codes)))


def _floats(column: pa.ChunkedArray) -> Floats:
    """Return numbers, NaN for null."""
    array = one_array(column)
    numbers = np.frombuffer(array.buffers()[1] or b"", np.float32, array.offset + len(array))[array.offset :]
    return np.where(valid_rows(array), numbers, np.nan)


def list_clean_parts(questions: Questions, size: int) -> list[Sequence[str | None] | None]:
    """Return the parts of the clean question about every item."""
    parts: list[Sequence[str | None] | None] = [None] * size
    for block in questions.blocks(["item", "condition", "parts"]):
        clean = block.filter(is_text(block["condition"], CLEAN))
        for item, own in zip(clean["item"].to_pylist(), clean["parts"].to_pylist(), strict=True):
            parts[item] = own
    return parts


def _list_texts(questions: Questions, size: int) -> dict[str, pa.Array]:
    """Return the parts of the clean questions as columns; each text is kept once for all conditions."""
    parts = list_clean_parts(questions, size)
    width = max((len(own) for own in parts if own), default=1)
    rows = as_numbers(np.arange(size))
    columns = {}
    for k, name in zip(range(width), ("text", "text_b"), strict=False):
        values = as_strings([own[k] if own and k < len(own) else None for own in parts]).array
        columns[name] = pa.DictionaryArray.from_arrays(rows, values)
    return columns
