"""The promises, each a property: determinism, nested severity, identity, lossless, one edit a word."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import random
import subprocess
import sys

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import salva
from salva._presets.settings import SpliceSettings
from salva.edits.render import RENDERS
from tests.transforms.conftest import CONTRASTED, PRESETS, SENTENCES, dense, seeds, severities, texts

presets = st.sampled_from([dense(name) for name in PRESETS])
spliced = st.sampled_from([dense(name, render="splice") for name in PRESETS])
rendered = st.sampled_from(
    [
        salva.preset(name, render=render)
        for name in PRESETS
        for render in (["splice"] if isinstance(salva.preset(name).settings, SpliceSettings) else RENDERS)
    ]
)

SCRIPT = """
import hashlib, json, sys, salva
texts = json.load(sys.stdin)
out = {}
for name in salva.presets():
    for render in {"splice", salva.preset(name).render}:
        twins = salva.preset(name, render=render).transform(texts, seed=7)
        state = json.dumps([twins.transformed, twins.edits.to_pylist()])
        out[f"{name} {render}"] = hashlib.sha256(state.encode()).hexdigest()
print(json.dumps(out))
"""


def edit_rows(twins) -> set[tuple]:
    return {
        tuple(row[key] for key in ("row", "start", "end", "old", "new", "rule"))
        for row in twins.edits.to_pylist()
    }


@given(presets, st.lists(texts, max_size=6), seeds, severities, st.randoms())
def test_a_text_does_not_depend_on_its_neighbours_or_its_place(transform, column, seed, severity, shuffle):
    order = shuffle.sample(range(len(column)), len(column))
    whole = transform.transform(column, seed=seed, severity=severity).transformed
    shuffled = transform.transform([column[i] for i in order], seed=seed, severity=severity).transformed
    assert [whole[i] for i in order] == shuffled
    assert whole == [transform.transform(text, seed=seed, severity=severity).transformed for text in column]


@given(presets, texts, seeds)
def test_equal_texts_get_equal_twins_and_replicates_differ(transform, text, seed):
    twins = transform.transform([text, "x", text], seed=seed).transformed
    assert twins[0] == twins[2]
    assert transform.transform(text, seed=seed, replicate=0).transformed == twins[0]


def test_replicates_and_seeds_are_independent_variants(transform):
    column = [" ".join(SENTENCES), *CONTRASTED]
    variants = {
        tuple(transform.transform(column, seed=s, replicate=k, severity=0.5).transformed)
        for s in range(3)
        for k in range(3)
    }
    assert len(variants) == 9


def test_seed_0_is_a_seed_like_any_other_and_no_generator_is_touched(transform):
    state = random.getstate()
    column = [*SENTENCES, *CONTRASTED]
    first, second, again = (
        transform.transform(column, seed=seed, severity=0.5).transformed for seed in (0, 1, 0)
    )
    assert first != second
    assert first == again
    assert random.getstate() == state


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_threads_and_chunks_change_nothing(transform, review_texts, monkeypatch, threads):
    expected = transform.transform(review_texts, seed=3, threads=1)
    for size in (1, 999, 1 << 16):
        monkeypatch.setattr("salva.transforms.transform.TYPED_BYTES", size)
        twins = transform.transform(review_texts[:40], seed=3, threads=threads)
        assert twins.transformed == expected.transformed[:40]
        assert edit_rows(twins) == {edit for edit in edit_rows(expected) if edit[0] < 40}
        monkeypatch.undo()


def run(environment: dict[str, str], column: list[str]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(column),
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def digests(column: list[str]) -> dict[str, str]:
    found = {}
    for name in PRESETS:
        for render in {"splice", salva.preset(name).render}:
            twins = salva.preset(name, render=render).transform(column, seed=7)
            state = json.dumps([twins.transformed, twins.edits.to_pylist()])
            found[f"{name} {render}"] = hashlib.sha256(state.encode()).hexdigest()
    return found


@pytest.mark.slow
def test_processes_and_hash_seeds_change_nothing(review_texts):
    column = SENTENCES + [text[:400] for text in review_texts[:3]]
    expected = digests(column)
    assert run({"PYTHONHASHSEED": "1"}, column) == expected
    assert run({"PYTHONHASHSEED": "2"}, column) == expected


@given(presets, texts, seeds, st.lists(st.floats(0, 1), min_size=2, max_size=4))
def test_what_is_edited_at_a_severity_is_edited_the_same_way_at_a_higher_one(transform, text, seed, levels):
    nested = [edit_rows(transform.transform(text, seed=seed, severity=level)) for level in sorted(levels)]
    assert all(low <= high for low, high in itertools.pairwise(nested))


@given(rendered, texts, seeds)
def test_severity_0_is_the_identity_whatever_the_render(transform, text, seed):
    twins = transform.transform(text, seed=seed, severity=0)
    assert twins.transformed == text
    assert twins.edits.num_rows == 0
    assert twins.revert() == text


@given(spliced, st.lists(texts, max_size=4), seeds, severities)
def test_a_splice_is_lossless_and_reverts(transform, column, seed, severity):
    twins = transform.transform(column, seed=seed, severity=severity)
    rebuilt = list(column)
    for edit in reversed(twins.edits.to_pylist()):
        text = rebuilt[edit["row"]]
        assert text[edit["start"] : edit["end"]] == edit["old"]
        rebuilt[edit["row"]] = text[: edit["start"]] + edit["new"] + text[edit["end"] :]
    assert rebuilt == twins.transformed
    assert twins.revert() == column


@given(presets, st.lists(texts, max_size=4), seeds)
def test_edits_say_what_stands_where(transform, column, seed):
    twins = transform.transform(column, seed=seed)
    last = (-1, 0)
    for edit in twins.edits.to_pylist():
        assert column[edit["row"]][edit["start"] : edit["end"]] == edit["old"] != edit["new"]
        assert twins.transformed[edit["row"]][edit["new_start"] : edit["new_end"]] == edit["new"]
        assert (edit["row"], edit["start"]) >= last, "at most one edit a word, in order"
        last = (edit["row"], edit["end"])


@given(spliced, texts, seeds)
def test_a_splice_tears_no_character_apart_and_leaves_markup_alone(transform, text, seed):
    bounds = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    markup = [match.span() for match in regex.finditer(r"<[/!?]?[A-Za-z-][^<>]*>|&#?\w+;", text)]
    for edit in transform.transform(text, seed=seed).edits.to_pylist():
        assert {edit["start"], edit["end"]} <= bounds
        assert all(edit["end"] <= start or edit["start"] >= end for start, end in markup if end - start < 30)


@given(presets, st.lists(st.one_of(st.none(), texts), max_size=5), seeds)
def test_rows_are_conserved_and_null_stays_null(transform, column, seed):
    twins = transform.transform(column, seed=seed)
    assert [text is None for text in twins.transformed] == [text is None for text in column]
    assert twins.summary.rows == len(column)
    assert twins.summary.edits == twins.edits.num_rows
