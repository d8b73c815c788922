"""The answers of a run as tables: one row per question, or one per item and condition with both answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import as_numbers
from salva._types import Ints32, Ints64
from salva.evaluation.join import read_answers
from salva.questions.table import CLEAN, Questions

_FEW = pa.dictionary(pa.int32(), pa.large_string())


def list_answers(questions: Questions, path: Path) -> pa.Table:
    """Return every question that makers wrote: item, id, condition, label, answer, score, and whether it is asked.

    The label is the first accepted answer to the clean question.
    """
    answers = read_answers(path, ["answer", "score"])
    columns = ["item", "id", "condition", "expected", "why_not_asked"]
    blocks = pa.concat_tables(questions.blocks(columns))
    return pa.table(
        {
            "item": blocks["item"],
            "id": blocks["id"].cast(pa.large_string()),
            "condition": blocks["condition"].cast(_FEW),
            "label": _first(blocks["expected"]).cast(pa.large_string()).dictionary_encode(),
            "answer": answers["answer"].cast(pa.large_string()).dictionary_encode(),
            "score": answers["score"],
            "asked": pc.is_null(blocks["why_not_asked"]),
        }
    )


def _first(lists: pa.ChunkedArray) -> pa.Array:
    """Return the first value of every list; null for none."""
    whole = lists.combine_chunks()
    sizes = pc.fill_null(pc.list_value_length(whole), 0).to_numpy(zero_copy_only=False)
    starts = whole.offsets.to_numpy()[:-1].astype(np.int64)
    places = as_numbers(np.where(sizes > 0, starts, 0))
    values = whole.values.take(places) if len(whole.values) else pa.nulls(len(whole), whole.values.type)
    return pc.if_else(pa.array(sizes > 0), values, None)


class WideAnswers(NamedTuple):
    """The answers of a run, item by item: `answers` has the codes under every condition, -1 for none.

    `asked` is false for items that a condition does not ask about.
    """

    ids: list[str]
    names: list[str]
    labels: Ints32
    answers: dict[str, Ints32]
    asked: dict[str, Any]
    scores: dict[str, Any]


def widen_answers(table: pa.Table) -> WideAnswers:
    """Return the answers that `list_answers` gives item by item."""
    items = table["item"].to_numpy()
    size = int(items.max(initial=-1)) + 1
    encoded = table["condition"].combine_chunks()
    conditions, codes = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    names, answer, label = _share_codes(table)
    scores = table["score"].to_numpy()
    asked = table["asked"].to_numpy(zero_copy_only=False)
    wide: dict[str, Ints32] = {}
    wide_asked, wide_scores = {}, {}
    rows_of_clean: Ints64 = np.empty(0, np.int64)
    for number, condition in enumerate(conditions):
        rows = np.flatnonzero(codes == number)
        own = items[rows]
        found = np.full(size, -1, np.int32)
        found[own] = answer[rows]
        wide[condition] = found
        there = np.zeros(size, np.bool_)
        there[own] = asked[rows]
        wide_asked[condition] = there
        score = np.full(size, np.nan)
        score[own] = scores[rows]
        wide_scores[condition] = score
        if condition == CLEAN:
            rows_of_clean = rows
    labels = np.full(size, -1, np.int32)
    labels[items[rows_of_clean]] = label[rows_of_clean]
    ids = table["id"].take(as_numbers(rows_of_clean[np.argsort(items[rows_of_clean])])).to_pylist()
    return WideAnswers(ids, names, labels, wide, wide_asked, wide_scores)


def _share_codes(table: pa.Table) -> tuple[list[str], Ints32, Ints32]:
    """Return names, and answers and labels as their codes; -1 for none."""
    columns = [table[name].combine_chunks() for name in ("answer", "label")]
    columns = [pa.concat_arrays(one.chunks) if isinstance(one, pa.ChunkedArray) else one for one in columns]
    names = list(dict.fromkeys(name for one in columns for name in one.dictionary.to_pylist()))
    place = {name: k for k, name in enumerate(names)}
    coded = []
    for one in columns:
        own = np.array([*(place[name] for name in one.dictionary.to_pylist()), -1], np.int32)
        coded.append(own[pc.fill_null(one.indices, -1).to_numpy(zero_copy_only=False)])
    return names, coded[0], coded[1]


def pair_answers(table: pa.Table, questions: Questions | None) -> pa.Table:
    """Return one row per item and condition: label, both answers, and the clean text if there is a table of it.

    Whether an answer is right, or changed, is null if there is no answer or, for right, no label.
    """
    wide = widen_answers(table)
    size, strings = len(wide.labels), pa.large_string()
    rows = pa.array(np.arange(size))
    texts = {} if questions is None else _list_texts(questions, size)
    ids = pa.array(wide.ids, strings)
    names = pa.array(wide.names, strings)
    label, before = (_decode(codes, names) for codes in (wide.labels, wide.answers[CLEAN]))
    parts = []
    for name, codes in wide.answers.items():
        if name == CLEAN:
            continue
        after = _decode(codes, names)
        parts.append(
            pa.table(
                {
                    "row": rows,
                    "id": ids,
                    "condition": pa.repeat(pa.scalar(name, strings), size),
                    "label": label,
                    "before": before,
                    "after": after,
                    "right_before": pc.equal(before, label),
                    "right_after": pc.equal(after, label),
                    "changed": pc.not_equal(before, after),
                    **texts,
                }
            )
        )
    return pa.concat_tables(parts)


def _decode(codes: Ints32, names: pa.Array) -> pa.Array:
    valid = pa.array(codes, mask=codes < 0)
    return names.take(valid)


def _list_texts(questions: Questions, size: int) -> dict[str, pa.Array]:
    """Return the parts of the clean questions; a text that occurs under every condition is kept once."""
    parts: list[Sequence[str | None] | None] = [None] * size
    for block in questions.blocks(["item", "condition", "parts"]):
        clean = block.filter(pc.equal(block["condition"], CLEAN))
        for item, own in zip(clean["item"].to_pylist(), clean["parts"].to_pylist(), strict=True):
            parts[item] = own
    width = max((len(own) for own in parts if own), default=1)
    rows = pa.array(np.arange(size))
    columns = {}
    for k, name in zip(range(width), ("text", "text_b"), strict=False):
        values = pa.array([own[k] if own and k < len(own) else None for own in parts], pa.large_string())
        columns[name] = pa.DictionaryArray.from_arrays(rows, values)
    return columns
