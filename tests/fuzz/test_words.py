"""Kernels of words over hostile Arrow columns: what they find depends on the texts, never on the layout."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from salva.text import casing, detokenize, sentences, tag, tokenize
from salva.text.tokens import TOKENIZERS
from tests.fuzz.strategies import fuzz, laid_out, one_line_errors, texts, values
from tests.text.conftest import set_chunk_size


def lists_of(spans) -> list:
    for column in (spans.strings, spans.starts, spans.ends):
        column.validate(full=True)
    return [spans.strings.to_pylist(), spans.starts.to_pylist(), spans.ends.to_pylist()]


CUTTERS = {name: lambda column, name=name, **how: tokenize(column, by=name, **how) for name in TOKENIZERS}
CUTTERS |= {"sentences": sentences}


@fuzz(
    name=st.sampled_from(list(CUTTERS)),
    rows=values,
    data=st.data(),
    size=st.sampled_from([1, 7, 1 << 18]),
    threads=st.sampled_from([1, 3]),
)
def test_spans_depend_on_the_texts_alone(name, rows, data, size, threads):
    expected = lists_of(CUTTERS[name](rows, threads=1))
    with pytest.MonkeyPatch.context() as patch:
        set_chunk_size(patch, size)
        assert lists_of(CUTTERS[name](data.draw(laid_out(rows)), threads=threads)) == expected
    for row, starts, ends in zip(rows, expected[1], expected[2], strict=True):
        edges = [place for span in zip(starts or (), ends or (), strict=True) for place in span]
        assert edges == sorted(edges)
        assert row is None or not edges or edges[-1] <= len(row)


@fuzz(rows=values, data=st.data(), threads=st.sampled_from([1, 3]))
def test_tags_depend_on_the_texts_alone(rows, data, threads):
    expected, found = tag(rows), tag(data.draw(laid_out(rows)), threads=threads)
    for name in ("tags", "parts"):
        column = getattr(found, name)
        column.validate(full=True)
        assert column.to_pylist() == getattr(expected, name).to_pylist()


@fuzz(rows=values, data=st.data(), pattern=st.sampled_from(casing.PATTERNS), keep=st.booleans())
def test_case_depends_on_the_words_alone(rows, data, pattern, keep):
    column = data.draw(laid_out(rows))
    assert casing.detect(column).to_pylist() == casing.detect(rows).to_pylist()
    cased = casing.apply(pattern, column, keep_capitals=keep)
    cased.validate(full=True)
    assert cased.to_pylist() == casing.apply(pattern, rows, keep_capitals=keep).to_pylist()


lists = st.lists(st.none() | st.lists(texts, max_size=4), max_size=4)


@st.composite
def list_columns(draw: st.DrawFn, rows: list) -> pa.Array | pa.ChunkedArray:
    make = draw(st.sampled_from([pa.list_, pa.large_list]))
    kind = make(draw(st.sampled_from([pa.string(), pa.large_string()])))
    before = draw(st.lists(st.none() | st.just(["before", "é"]), max_size=2))
    column = pa.array([*before, *rows, ["after"]], kind).slice(len(before), len(rows))
    if draw(st.booleans()):
        return column
    cut = draw(st.integers(0, len(rows)))
    return pa.chunked_array([column.slice(0, cut), column.slice(cut), column.slice(0, 0)], kind)


@fuzz(rows=lists, data=st.data(), threads=st.sampled_from([1, 3]))
def test_words_are_joined_and_tagged_alike_in_any_list_column(rows, data, threads):
    column = data.draw(list_columns(rows))
    joined = detokenize(column, threads=threads)
    joined.validate(full=True)
    assert joined.to_pylist() == detokenize(column.to_pylist() or pa.array([], column.type)).to_pylist()
    with one_line_errors():
        assert (
            tag(column, threads=threads).tags.to_pylist() == tag(pa.array(rows, column.type)).tags.to_pylist()
        )
