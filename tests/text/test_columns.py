"""Columns of any make, threads and chunks: the same words for the same text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError, UsageError
from salva.text import Tagger, detokenize, sentences, tag, tokenize
from salva.text.columns import row_chunks
from tests.text.conftest import hostile_texts

TEXTS = ["It's «good».", None, "", "日本 is far. Isn't it?", "\u00a0"]
WORDS = [tokenize(text) if text is not None else None for text in TEXTS]


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        iter,
        pa.array,
        lambda texts: pa.array(texts, pa.large_string()),
        lambda texts: pa.array(texts, pa.string_view()),
        lambda texts: pa.array(texts).dictionary_encode(),
        lambda texts: pa.array(["x", *texts, "y"]).slice(1, len(texts)),
        lambda texts: pa.chunked_array([texts[:2], [], texts[2:]]),
        pd.Series,
        pl.Series,
    ],
)
def test_every_make_of_column_gives_the_same_words(make):
    assert tokenize(make(TEXTS)).to_pylist() == WORDS


def test_results_are_arrow_lists():
    spans = tokenize(TEXTS)
    assert spans.strings.type == pa.large_list(pa.large_string())
    assert spans.starts.type == spans.ends.type == pa.large_list(pa.int64())
    for column in (
        spans.strings,
        spans.starts,
        spans.ends,
        tag(TEXTS).tags,
        tag(TEXTS).classes,
        tag(TEXTS).words,
    ):
        column.validate(full=True)
        assert column.null_count == 1
        assert len(column) == len(spans) == len(TEXTS)


@pytest.mark.parametrize("call", [sentences, tokenize, tag, detokenize])
def test_an_empty_column_stays_empty(call):
    result = call(pa.array([], pa.list_(pa.string())) if call is detokenize else pa.array([], pa.string()))
    assert result.to_pylist() == []


@given(st.lists(st.none() | hostile_texts, max_size=6))
def test_a_row_does_not_depend_on_its_neighbours(texts):
    alone = [None if text is None else tokenize(text) for text in texts]
    assert tokenize(texts).to_pylist() == alone


@pytest.mark.parametrize("size", [1, 7, 100, 1 << 30])
@pytest.mark.parametrize("threads", [1, 3])
def test_chunks_and_threads_change_nothing(monkeypatch, answers, size, threads):
    texts = [answer["text"] for answer in answers[::3]] + [None, ""]
    expected = tag(texts, threads=1)
    monkeypatch.setattr(row_chunks, "__defaults__", (size,))
    monkeypatch.setattr("salva.text.tagger.CHUNK_BYTES", size)
    found = tag(texts, threads=threads)
    assert found.to_pylist() == expected.to_pylist()
    assert found.spans.starts == expected.spans.starts
    assert sentences(texts, threads=threads).to_pylist() == sentences(texts, threads=1).to_pylist()
    assert detokenize(found.spans, threads=threads) == detokenize(expected.spans, threads=1)


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_are_one_or_more(threads):
    with pytest.raises(UsageError, match=f"threads={threads} must be 1 or more"):
        tokenize(["a"], threads=threads)


def test_bad_text_is_named_by_its_row():
    with pytest.raises(InputError, match="row 1: lone surrogate"):
        tokenize(["a", "\ud800"])
    with pytest.raises(InputError, match="row 0: 7 is int, not str"):
        tokenize([7])
    with pytest.raises(InputError, match="row 0: byte 0xff at offset 0 is not UTF-8"):
        tokenize(pa.array([b"\xff"]).view(pa.string()))


def test_lists_that_lie_about_their_offsets_are_refused():
    words = pa.array(["a", "b"])
    offsets = pa.py_buffer(np.array([0, 1 << 40, 2], np.int64))
    lists = pa.Array.from_buffers(pa.large_list(pa.string()), 2, [None, offsets], children=[words])
    for call in (detokenize, Tagger.default().tag):
        with pytest.raises(InputError, match="broken Arrow column"):
            call(lists)


def test_a_hundred_thousand_rows_in_many_chunks():
    texts = [f"Film no. {i} isn't bad." for i in range(100_000)]
    words = tokenize(pa.array(texts), threads=2).to_pylist()
    assert words[::9999] == [tokenize(text) for text in texts[::9999]]
