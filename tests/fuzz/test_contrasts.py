"""Contrasts over hostile columns: the slow twins agree, and few words of a text become others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

import salva
from salva._kernels import ContrastCandidates, find_clear
from salva.edits.chunk import Draw
from salva.transforms import BUNDLES
from tests.edits.test_contrast import (
    NEGATION_FILES,
    check_kinds,
    check_pairs,
    contrast_texts,
    seeds,
    slow_names,
    slow_numbers,
)
from tests.fuzz.strategies import fuzz, laid_out, texts
from tests.fuzz.test_presets import as_values, edits_of

columns = st.lists(st.none() | st.tuples(contrast_texts, texts).map("".join) | contrast_texts, max_size=3)
severities = st.sampled_from([0.0, 0.3, 1.0])
PLANS = {
    "names": lambda *given: check_kinds("names", slow_names, *given),
    "numbers": lambda *given: check_kinds("numbers", slow_numbers, *given),
    "antonyms": lambda *given: check_pairs("antonyms", [("antonym", "antonyms")], *given),
    "negation": lambda *given: check_pairs("negation", NEGATION_FILES, *given),
}


@pytest.mark.parametrize("name", PLANS)
@fuzz(column=columns, seed=seeds, severity=severities)
def test_a_contrast_makes_the_edits_of_its_slow_twin(name, column, seed, severity):
    PLANS[name](column, Draw(seed, severity, 0))


@fuzz(
    name=st.sampled_from(BUNDLES["contrast"]),
    rows=columns,
    seed=seeds,
    most=st.sampled_from([1, 2, 9]),
    data=st.data(),
)
def test_at_most_so_many_words_become_others_in_any_layout(name, rows, seed, most, data):
    transform = salva.preset(name, most=most)
    twins = transform.transform(data.draw(laid_out(rows)), seed=seed, severity=1.0)
    edits = edits_of(twins)
    assert as_values(twins.revert()) == rows
    assert all(edit["old"] != edit["new"] for edit in edits)
    for number in range(len(rows)):
        own = {edit["old"] for edit in edits if edit["row"] == number}
        assert len(own) <= most
    assert edits_of(transform.transform(rows, seed=seed, severity=1.0)) == edits


tokens = st.lists(st.integers(0, 255), max_size=12)


@fuzz(rows=st.lists(tokens, min_size=1, max_size=3), data=st.data())
def test_a_clear_sentence_has_no_barred_word_outside_the_candidate(rows, data):
    flags = np.array([flag for row in rows for flag in row], np.uint8)
    bounds = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    starts = np.concatenate([np.arange(len(row)) * 2 for row in rows]).astype(np.int32)
    chosen = (
        sorted(data.draw(st.sets(st.integers(0, max(0, len(flags) - 1)), max_size=6))) if len(flags) else []
    )
    barred = data.draw(st.lists(st.integers(0, 255), min_size=len(chosen), max_size=len(chosen)))
    widths = data.draw(st.lists(st.integers(1, 3), min_size=len(chosen), max_size=len(chosen)))
    firsts = starts[chosen]
    candidates = ContrastCandidates(
        np.array(chosen, np.int64),
        firsts,
        (firsts + 2 * np.array(widths, np.int32)).astype(np.int32),
        np.array(barred, np.uint8),
    )
    most = max(map(len, rows)) + 1
    out = np.zeros(len(chosen), np.bool_)
    find_clear(bounds, starts, flags, candidates, np.zeros(most, np.int32), np.zeros(8 * most, np.int32), out)
    for k, token in enumerate(chosen):
        row = int(np.searchsorted(bounds, token, "right")) - 1
        first, last = int(bounds[row]), int(bounds[row + 1])
        sentences = np.cumsum(flags[first:last] & 1) - (flags[first:last] & 1)
        own = range(token, min(token + widths[k], last))
        others = [
            flags[at]
            for at in range(first, last)
            if at not in own and sentences[at - first] == sentences[token - first]
        ]
        # What is in the candidate but behind the end of the sentence counts as its own.
        beyond = [flags[at] for at in own if sentences[at - first] != sentences[token - first]]
        assert out[k] == (not any(flag & barred[k] for flag in others)) or beyond
