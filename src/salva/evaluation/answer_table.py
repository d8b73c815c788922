"""The answers of a run as tables: one row per question, or one per item and condition with both answers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

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
from salva.evaluation.join import read_answers
from salva.questions.table import CLEAN, NO_TEXT, Questions, read_heads

_FEW = pa.dictionary(pa.int32(), pa.large_string())


def list_answers(questions: Questions, path: Path) -> pa.Table:
    """Return every question that makers wrote: item, id, condition, label, answer, score, and if it is asked.

    The label is the first accepted answer. Items whose clean questions have the same `cluster` are not
    independent.
    """
    answers = read_answers(path, ["answer", "score"])
    columns = ["key", "item", "id", "group", "condition", "expected", "why_not_asked"]
    blocks = pa.concat_tables(questions.blocks(columns))
    clusters, _ = read_heads(blocks["key"])
    groups = blocks["group"].to_pylist()
    for row, group in enumerate(groups) if blocks["group"].null_count < len(blocks) else ():
        if group is not None:
            clusters[row] = int.from_bytes(blake2b(group.encode(), digest_size=8).digest(), "little")
    return pa.table(
        {
            "item": blocks["item"],
            "id": blocks["id"].cast(pa.large_string()),
            "condition": blocks["condition"].cast(_FEW),
            "label": _first(blocks["expected"]).cast(pa.large_string()).dictionary_encode(),
            "answer": answers["answer"].cast(pa.large_string()).dictionary_encode(),
            "score": answers["score"],
            "asked": _is_asked(blocks["why_not_asked"]),
            "cluster": as_numbers(clusters),
        }
    )


def _as_flags(values: Bools) -> pa.Array:
    """Return truths as an Arrow array."""
    bits = pa.py_buffer(np.packbits(values, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, bits])


def _is_asked(why: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return which questions there are; an item without a text is asked about, and fails."""
    return pc.or_(pc.is_null(why), is_text(why, NO_TEXT))


def _first(lists: pa.ChunkedArray) -> pa.Array:
    """Return the first value of every list; null for none."""
    whole = lists.combine_chunks()
    sizes = ints_or(pc.list_value_length(whole), 0)
    starts = ints(whole.offsets)[:-1].astype(np.int64)
    places = as_numbers(np.where(sizes > 0, starts, 0))
    values = whole.values.take(places) if len(whole.values) else pa.nulls(len(whole), whole.values.type)
    return pc.if_else(_as_flags(sizes > 0), values, pa.nulls(len(values), values.type))


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
    scores = _floats(table["score"])
    asked = flags(table["asked"])
    wide: dict[str, Ints32] = {}
    wide_asked: dict[str, Bools] = {}
    wide_scores: dict[str, Floats] = {}
    wide_labels: dict[str, Ints32] = {}
    rows_of_clean: Ints64 = np.empty(0, np.int64)
    for number, condition in enumerate(conditions):
        rows = np.flatnonzero(codes == number)
        own = items[rows]
        found, expected = np.full((2, size), -1, np.int32)
        found[own], expected[own] = answer[rows], label[rows]
        wide[condition], wide_labels[condition] = found, expected
        there = np.zeros(size, np.bool_)
        there[own] = asked[rows]
        wide_asked[condition] = there
        score = np.full(size, np.nan)
        score[own] = scores[rows]
        wide_scores[condition] = score
        if condition == CLEAN:
            rows_of_clean = rows
    labels = wide_labels.pop(CLEAN)
    own_labels = {name: own for name, own in wide_labels.items() if not np.array_equal(own, labels)}
    order = rows_of_clean[np.argsort(items[rows_of_clean])]
    ids = table["id"].take(as_numbers(order)).to_pylist()
    _, clusters = np.unique(ints(table["cluster"])[order], return_inverse=True)
    return WideAnswers(
        ids, names, labels, own_labels, wide, wide_asked, wide_scores, clusters.astype(np.int64)
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
    ids, names = as_strings(wide.ids).array, as_strings(wide.names).array
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
    return as_strings([]).array if not len(codes) else names.take(_masked(codes))


def _masked(codes: Ints32) -> pa.Array:
    """Return codes as numbers, null for none."""
    valid = pa.py_buffer(np.packbits(codes >= 0, bitorder="little"))
    return pa.Array.from_buffers(pa.int32(), len(codes), [valid, pa.py_buffer(np.ascontiguousarray(codes))])


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
