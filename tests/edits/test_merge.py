"""Edits of several plans as one: what clashes is left out, and everything else stays in order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._arrow import as_strings
from salva.edits.chunk import Edits, Tally, count_parts
from salva.edits.merge import leave_alone, merge_edits
from salva.text.tagger import PARTS
from tests.reference.merge import leaves_alone
from tests.text.conftest import hostile_texts

Row = list[tuple[int, int]]  # spans of one text, in characters

texts = st.lists(st.sampled_from(["cannot", "film,", " ", "it's", "é", "日本", "👍🏽"]), max_size=5).map(
    "".join
)


@st.composite
def columns_with_two_plans(draw) -> tuple[list[str], list[Row], list[Row]]:
    column = draw(st.lists(texts | hostile_texts, max_size=4))
    return column, *([draw(spans(len(text))) for text in column] for _ in range(2))


def spans(length: int):
    """Return spans in order that do not overlap; some are insertions."""
    bounds = st.lists(st.integers(0, length), max_size=6).map(sorted)
    return bounds.map(lambda places: sorted(set(zip(places[::2], places[1::2], strict=False))))


def as_edits(column: list[str], rows: list[Row], rule: int = 1) -> Edits:
    """Return edits whose new words are the numbers of their rows and spans."""
    offsets = as_strings(column).offsets
    placed = [
        (int(offsets[row]) + len(text[:start].encode()), int(offsets[row]) + len(text[:stop].encode()))
        for row, (text, own) in enumerate(zip(column, rows, strict=True))
        for start, stop in own
    ]
    words = as_strings([f"{row}:{span}" for row, own in enumerate(rows) for span in own])
    starts, stops = np.array(placed, np.int32).reshape(-1, 2).T
    parts = np.full(len(placed), rule % (len(PARTS) + 1), np.uint8)
    counts = np.column_stack([np.full(len(PARTS), 7 * rule), np.full(len(PARTS), 9), count_parts(parts)])
    return Edits(
        tokens=np.arange(len(placed)),
        starts=starts.copy(),
        stops=stops.copy(),
        rules=np.full(len(placed), rule, np.uint8),
        offsets=words.offsets.copy(),
        new=words.data.copy(),
        tally=Tally(np.array([len(own) for own in rows], np.int32), counts),
        rows=np.cumsum([0, *(len(own) for own in rows)]),
        parts=parts,
    )


def words_by_row(edits: Edits) -> list[list[str]]:
    data = edits.new.tobytes()
    words = [data[start:stop].decode() for start, stop in pairwise(edits.offsets.tolist())]
    return [words[first:last] for first, last in pairwise(edits.rows.tolist())]


@given(columns_with_two_plans())
def test_an_edit_is_left_out_only_if_it_clashes(drawn):
    column, edits, taken = drawn
    found = leave_alone(as_strings(column), as_edits(column, edits), [as_edits(column, taken)])
    assert words_by_row(found) == [
        [f"{row}:{span}" for span in own if leaves_alone(text, span, other)]
        for row, (text, own, other) in enumerate(zip(column, edits, taken, strict=True))
    ]
    assert found.tally.parts[1, 2] == len(found.starts), "edits that were left out are not counted"


@given(columns_with_two_plans())
def test_merged_edits_are_in_the_order_of_the_text(drawn):
    column, first, second = drawn
    plans = as_edits(column, first, rule=1), as_edits(column, second, rule=2)
    merged, both = merge_edits(plans), [a + b for a, b in zip(first, second, strict=True)]
    assert words_by_row(merged) == [
        [f"{row}:{span}" for span in sorted(a + b)]
        for row, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    assert merged.tally.eligible.tolist() == [len(own) for own in both]
    assert merged.tally.parts[:, 0].tolist() == [14] * len(PARTS), "words are not counted twice"
    assert merged.tally.parts[1:3, 2].tolist() == [len(plan.starts) for plan in plans]


@pytest.mark.parametrize(
    ("text", "edit", "taken", "free"),
    [
        ("cannot go", (3, 6), (0, 3), False),  # two halves of a word
        ("film, go", (4, 5), (0, 4), True),  # a mark after a word
        ("a film", (1, 2), (2, 6), True),  # a space before a word
        ("a film", (6, 6), (2, 6), True),  # an insertion at the end
        ("film", (2, 2), (0, 4), False),  # an insertion into an edited word
        ("film go", (4, 4), (4, 4), False),  # two insertions at one place
        ("été", (0, 1), (1, 3), False),
    ],
)
def test_edits_may_meet_between_words_but_not_inside_one(text, edit, taken, free):
    found = leave_alone(as_strings([text]), as_edits([text], [[edit]]), [as_edits([text], [[taken]])])
    assert (len(found.starts) == 1) is free
