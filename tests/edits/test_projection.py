"""Projected spans cover what their characters became, for every preset, and nothing else."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.edits.alignment import Alignment
from salva.edits.projection import RowSpan, project
from tests.conftest import COMPILED
from tests.reference import projection as slow
from tests.transforms.conftest import PRESETS, SENTENCES, dense
from tests.transforms.conftest import texts as hard_texts

CASES = 10_000 // len(PRESETS) + 1  # spans per preset, if compiled
RENDERED = [(name, None) for name in PRESETS] + [
    (name, render)
    for name in ("hybrid", "synonyms", "typos", "corrupt")
    for render in ("splice", "spaces", "treebank")
]


def stretches_by_row(alignment: Alignment, rows: int) -> list[list[slow.Stretch]]:
    found: list[list[slow.Stretch]] = [[] for _ in range(rows)]
    for row, *places in zip(*(column.tolist() for column in alignment), strict=True):
        found[row].append(tuple(places))
    return found


def random_spans(texts: list[str], count: int, seed: int) -> RowSpan:
    """Return spans of random rows, most of them whole words, some of them parts or several words."""
    draw, rows, starts, ends = random.Random(seed), [], [], []
    full = [row for row, text in enumerate(texts) if text]
    while full and len(rows) < count:
        row = draw.choice(full)
        ends_of_words = [0, *(k for k, mark in enumerate(texts[row]) if mark == " "), len(texts[row])]
        pool = ends_of_words if draw.random() < 0.5 else range(len(texts[row]) + 1)
        start, end = sorted(draw.choices(pool, k=2))
        if start < end:
            rows.append(row), starts.append(start), ends.append(end)
    return RowSpan(*np.array([rows, starts, ends], np.int64))


def assert_projected(texts: list[str], twins, spans: RowSpan) -> None:
    """Compare with the slow twin, after checking that all other characters are the same in both."""
    by_row, after = stretches_by_row(twins.alignment, len(texts)), list(twins.transformed)
    became = [slow.images(len(text), own) for text, own in zip(texts, by_row, strict=True)]
    for row, text in enumerate(texts):
        inside = {k for start, end, *_ in by_row[row] for k in range(start, end)}
        same = [k for k in range(len(text)) if k not in inside]
        assert [after[row][slice(*became[row][k])] for k in same] == [text[k] for k in same]
    projected = project(spans, twins.alignment)
    wanted = [slow.project(s, e, became[r]) for r, s, e in zip(*map(np.ndarray.tolist, spans), strict=True)]
    assert list(zip(projected.start.tolist(), projected.end.tolist(), strict=True)) == wanted


@pytest.mark.parametrize(("name", "render"), RENDERED)
def test_spans_cover_what_their_characters_became(name, render):
    texts = SENTENCES * (8 if COMPILED else 1)
    settings = {} if render is None else {"render": render}
    twins = dense(name, **settings).transform(texts, seed=3, severity=1.0)
    assert_projected(texts, twins, random_spans(texts, CASES if COMPILED else 50, seed=5))


@given(st.sampled_from(PRESETS), st.lists(hard_texts, min_size=1, max_size=3), st.integers(0, 99))
def test_spans_of_hard_texts_cover_what_their_characters_became(name, texts, seed):
    twins = dense(name).transform(texts, seed=seed, severity=1.0)
    assert_projected(texts, twins, random_spans(texts, 20, seed))


def test_the_way_back_finds_spans_that_cut_no_edit():
    twins = dense("natural+misspellings").transform(SENTENCES, seed=1, severity=1.0)
    spans = random_spans(SENTENCES, 300, seed=2)
    there = project(spans, twins.alignment)
    back = project(RowSpan(spans.row, there.start, there.end), twins.alignment.reversed())
    whole = ~there.partly & ~there.lost
    assert (back.start[whole] == spans.start[whole]).all()
    assert (back.end[whole] == spans.end[whole]).all()


def test_a_span_that_cuts_an_edit_gets_all_of_it_and_is_reported():
    edit = Alignment(*np.array([[0], [4], [9], [4], [12]]))  # "not great" -> "not wonderful", say
    spans = RowSpan(*np.array([[0] * 4, [0, 6, 4, 9], [5, 8, 9, 12]]))
    projected = project(spans, edit)
    assert projected.start.tolist() == [0, 4, 4, 12]
    assert projected.end.tolist() == [12, 12, 12, 15]
    assert projected.partly.tolist() == [True, True, False, False]
    assert projected.edited.tolist() == [True, True, True, False]


def test_what_is_inserted_at_an_end_is_outside_and_what_is_left_out_is_lost():
    changes = Alignment(*np.array([[0, 0], [4, 8], [4, 9], [4, 10], [6, 10]]))
    spans = RowSpan(*np.array([[0] * 4, [0, 4, 2, 8], [4, 8, 6, 9]]))
    projected = project(spans, changes)
    assert projected.start.tolist() == [0, 6, 2, 10]
    assert projected.end.tolist() == [4, 10, 8, 10]
    assert projected.lost.tolist() == [False, False, False, True]


def test_marks_that_stay_are_not_part_of_a_changed_word():
    twins = dense("typos", prob=1.0, protect_markup=False).transform(["(Paris), it's"], seed=1)
    projected = project(RowSpan(np.zeros(2, np.int64), np.array([1, 7]), np.array([6, 8])), twins.alignment)
    assert projected.start.tolist() == [1, 7]
    assert projected.end.tolist() == [6, 8]
    assert not projected.partly.any()
