"""Every preset and composition over hostile columns: lossless, nested, whole characters, any layout."""

from __future__ import annotations

import itertools

import pyarrow as pa
import pytest
import regex
from hypothesis import strategies as st

import salva
from salva.transforms import BUNDLES, Transform
from tests.fuzz.strategies import COMPILED, fuzz, laid_out
from tests.transforms.conftest import DENSE, SENTENCES, seeds, texts

# Those that replace words of all of WordNet take minutes to begin without the compiler.
SLOW = () if COMPILED else ("hybrid", "synonyms", "corrupt")
PRESETS = [name for name in salva.presets() if name not in SLOW]
COMPOSED = [name for name in PRESETS if name not in BUNDLES["contrast"]]
VOCABULARY = ("films", "filme", "actings", "é" * 9, "日本語映画です", "straßen", "moviesmovies", "ΟΔΟΣΟΔΟΣ")
columns = st.lists(st.none() | texts | st.sampled_from(SENTENCES), max_size=3)
levels = st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]) | st.floats(0, 1), min_size=2, max_size=2)
_MADE: dict[str, Transform] = {}


@st.composite
def transforms(draw: st.DrawFn) -> Transform:
    """Return a preset that edits many words, or a composition of two or three presets, with render splice."""
    several = st.lists(st.sampled_from(COMPOSED), min_size=2, max_size=3, unique=True)
    names = draw(st.lists(st.sampled_from(PRESETS), min_size=1, max_size=1) | several)
    name = "+".join(names)
    if name not in _MADE:
        own = DENSE.get(name, {}) if len(names) == 1 else {}
        made = salva.preset(name, render="splice", **own)
        _MADE[name] = made.with_vocabulary(VOCABULARY) if made.can_fit and len(name) % 2 else made
    return _MADE[name]


def edits_of(twins: salva.transforms.Twins) -> list[dict]:
    twins.edits.validate(full=True)
    return twins.edits.to_pylist()


def as_values(column) -> list[str | None]:
    cells = column.to_pylist() if isinstance(column, pa.Array | pa.ChunkedArray) else column
    return [cell.decode() if isinstance(cell, bytes) else cell for cell in cells]


@fuzz(transform=transforms(), rows=columns, seed=seeds, severity=levels, data=st.data())
def test_a_splice_is_lossless_in_any_layout(transform, rows, seed, severity, data):
    column = data.draw(laid_out(rows))
    low, high = (transform.transform(column, seed=seed, severity=one) for one in sorted(severity))
    for twins in (low, high):
        after, rebuilt = as_values(twins.transformed), list(rows)
        for edit in reversed(edits_of(twins)):
            text = rebuilt[edit["row"]]
            bounds = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
            assert {edit["start"], edit["end"]} <= bounds, "no character is split"
            assert text[edit["start"] : edit["end"]] == edit["old"]
            assert after[edit["row"]][edit["new_start"] : edit["new_end"]] == edit["new"]
            rebuilt[edit["row"]] = text[: edit["start"]] + edit["new"] + text[edit["end"] :]
        assert rebuilt == after
        assert as_values(twins.revert()) == rows
    keys = ("row", "start", "end", "old", "new", "rule")
    nested = [{tuple(edit[key] for key in keys) for edit in edits_of(twins)} for twins in (low, high)]
    assert nested[0] <= nested[1]


@fuzz(
    transform=transforms(),
    rows=columns,
    seed=seeds,
    data=st.data(),
    size=st.sampled_from([1, 9, 1 << 20]),
    threads=st.sampled_from([1, 3]),
)
def test_layout_slices_chunks_and_threads_change_nothing(transform, rows, seed, data, size, threads):
    expected = transform.transform(rows, seed=seed, severity=1.0, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.transforms.transform.TYPED_BYTES", size)
        found = transform.transform(data.draw(laid_out(rows)), seed=seed, severity=1.0, threads=threads)
    assert as_values(found.transformed) == expected.transformed
    assert edits_of(found) == edits_of(expected)
    parts = [transform.transform([row], seed=seed, severity=1.0).transformed for row in rows]
    assert list(itertools.chain(*parts)) == expected.transformed


@fuzz(name=st.sampled_from(PRESETS), rows=columns, seed=seeds, data=st.data())
def test_every_render_gives_texts_and_true_positions(name, rows, seed, data):
    twins = salva.preset(name, **DENSE.get(name, {})).transform(data.draw(laid_out(rows)), seed=seed)
    after = as_values(twins.transformed)
    assert [text is None for text in after] == [text is None for text in rows]
    for edit in edits_of(twins):
        assert rows[edit["row"]][edit["start"] : edit["end"]] == edit["old"]
        assert after[edit["row"]][edit["new_start"] : edit["new_end"]] == edit["new"]
