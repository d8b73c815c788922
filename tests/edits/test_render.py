"""Texts with edits in them equal what plain strings make of the same edits."""

from __future__ import annotations

import numpy as np
import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from salva.edits.chunk import Chunk, Draw, Edits
from salva.edits.protect import Protection
from salva.edits.render import RENDERS, Rendered, render
from salva.text import tokenize
from tests.edits.conftest import (
    COMPILED,
    KNOWN,
    PLANS,
    columns,
    cut,
    edits_by_row,
    planners,
    severities,
    texts,
    tokenizer_of,
)
from tests.reference import render as slow
from tests.reference.shields import Token, tokens

SAFE = Protection(markup=True, names=True, whole=True)


def planned(column, name: str, severity: float, protection: Protection | None = None) -> tuple[Chunk, Edits]:
    planner = planners()[name]
    chunk = cut(column, tokenizer_of(planner), Draw(7, severity, 0), protection)
    return chunk, planner.plan(chunk, severity)


def new_words(chunk: Chunk, edits: Edits) -> list[list[tuple[int, str]]]:
    return [[(place, new) for place, _, new in row] for row in edits_by_row(chunk, edits)]


def strings(rendered: Rendered) -> list[str]:
    data = rendered.data.tobytes()
    return [
        data[start:stop].decode()
        for start, stop in np.column_stack([rendered.offsets[:-1], rendered.offsets[1:]])
    ]


def at_places(rendered: Rendered) -> list[str]:
    data = rendered.data.tobytes()
    return [data[start:stop].decode() for start, stop in rendered.places.reshape(-1, 2)]


def all_new(edits: Edits) -> list[str]:
    data = edits.new.tobytes()
    return [data[edits.offsets[k] : edits.offsets[k + 1]].decode() for k in range(len(edits.tokens))]


def spans(column, by: str) -> list[list[tuple[int, int]]]:
    found = tokenize(column, by=by)
    rows = zip(found.starts.to_pylist(), found.ends.to_pylist(), strict=True)
    return [list(zip(starts or [], ends or [], strict=True)) for starts, ends in rows]


def places_of(chunk: Chunk) -> list[list[tuple[int, int]]]:
    """Return where the tokens of every row are, in code points of its text."""
    texts, rows = chunk.cuts.texts, []
    for row, text in enumerate(texts.array.to_pylist()):
        own, data = slice(*chunk.cuts.rows[row : row + 2]), (text or "").encode()
        places = np.column_stack([chunk.cuts.starts[own], chunk.cuts.stops[own]]) - texts.offsets[row]
        rows.append([(len(data[:start].decode()), len(data[:stop].decode())) for start, stop in places])
    return rows


def word_lists(column, name: str) -> list[list[str]]:
    return [words or [] for words in tokenize(column, by=tokenizer_of(planners()[name])).to_pylist()]


MATCHES = r"""\w* *[,;.<]|"\w*|''|th\w+ \w+"""
GUARDED = Protection(markup=True, names=True, patterns=(MATCHES,))
TAGS = ["<br />", "</i>", "<!-- a  ''b'' -->", "&amp;", "a@b.co", "http://x.y/?''", "@Zoë's"]
marked = st.lists(st.sampled_from([*TAGS, *KNOWN, '"', "'s", "n't", ".", " ", " ", "\n"]), max_size=12).map(
    "".join
)


def tied_rows(column, name: str) -> list[tuple[str, list[Token]]]:
    by, rows = tokenizer_of(planners()[name]), []
    for text in [text or "" for text in column]:
        matches = [match.span() for match in regex.finditer(MATCHES, text)]
        rows.append((text, tokens(text, by, markup=True, names=True, matches=matches)))
    return rows


@pytest.mark.parametrize("name", PLANS)
@given(column=st.lists(marked | texts, max_size=3), severity=severities, leaning=st.booleans())
def test_what_is_protected_comes_out_as_it_stands(name, column, severity, leaning):
    chunk, edits = planned(column, name, severity, GUARDED)
    rows = [(*row, new) for row, new in zip(tied_rows(column, name), new_words(chunk, edits), strict=True)]
    found = render(chunk, edits, "spaces", leaning=leaning)
    assert strings(found) == [slow.tied_spaces(*row, leaning=leaning) for row in rows]
    assert at_places(found) == all_new(edits)
    assume(not any(slow.HIDDEN in text for text in column))
    assert strings(render(chunk, edits, "treebank")) == [slow.tied_treebank(*row) for row in rows]


@pytest.mark.parametrize("name", PLANS)
@given(column=columns, severity=severities, protection=st.sampled_from([None, SAFE]))
def test_a_splice_changes_nothing_but_the_edited_words(name, column, severity, protection):
    chunk, edits = planned(column, name, severity, protection)
    rows = zip(column, places_of(chunk), new_words(chunk, edits), strict=True)
    found = render(chunk, edits, "splice")
    assert strings(found) == [slow.splice(text or "", places, new) for text, places, new in rows]
    assert at_places(found) == all_new(edits)


@pytest.mark.parametrize("name", PLANS)
@given(column=columns, severity=severities, leaning=st.booleans())
def test_words_are_joined_by_blanks(name, column, severity, leaning):
    chunk, edits = planned(column, name, severity)
    found = render(chunk, edits, "spaces", leaning=leaning)
    join = slow.leaning if leaning else slow.spaces
    rows = zip(word_lists(column, name), new_words(chunk, edits), strict=True)
    assert strings(found) == [join(words, new) for words, new in rows]
    assert at_places(found) == all_new(edits)


@pytest.mark.parametrize("name", PLANS)
@given(column=columns, severity=severities)
def test_words_are_put_together_as_nltk_does(name, column, severity):
    chunk, edits = planned(column, name, severity)
    found = render(chunk, edits, "treebank")
    rows = zip(word_lists(column, name), new_words(chunk, edits), strict=True)
    assert strings(found) == [slow.treebank(words, new) for words, new in rows]
    for at_place, new in zip(at_places(found), all_new(edits), strict=True):
        assert at_place == new or not new.isalpha()


@pytest.mark.parametrize("how", RENDERS)
@given(column=columns)
def test_every_row_knows_its_edits(how, column):
    chunk, edits = planned(column, "typos", 1.0)
    found = render(chunk, edits, how)
    counts = [len(row) for row in edits_by_row(chunk, edits)]
    assert np.diff(found.rows).tolist() == counts
    rows = np.repeat(np.arange(len(column)), counts)
    starts, stops = found.places.reshape(-1, 2).T
    assert (found.offsets[rows] <= starts).all()
    assert (stops <= found.offsets[rows + 1]).all()


@pytest.mark.parametrize("name", PLANS)
@given(column=columns)
def test_severity_zero_is_the_identity(name, column):
    chunk, edits = planned(column, name, 0.0)
    assert len(edits.tokens) == 0
    assert strings(render(chunk, edits, "splice")) == [text or "" for text in column]


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("how", RENDERS)
def test_bundled_reviews_equal_the_slow_twin(bundled, name, how):
    column = bundled if COMPILED else bundled[:3]
    chunk, edits = planned(column, name, 1.0)
    new = new_words(chunk, edits)
    if how == "splice":
        rows = zip(column, spans(column, tokenizer_of(planners()[name])), new, strict=True)
    else:
        rows = zip(word_lists(column, name), new, strict=True)
    assert strings(render(chunk, edits, how)) == [getattr(slow, how)(*row) for row in rows]


def test_an_empty_column_has_no_texts():
    for how in RENDERS:
        found = render(*planned([], "typos", 1.0), how)
        assert found.offsets.tolist() == found.rows.tolist() == [0]
        assert len(found.data) == len(found.places) == 0
