"""Columns of any make, threads and chunks: the same words for the same text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError, UsageError
from salva.text import Tagger, detokenize, sentences, tag, tokenize
from tests.conftest import COMPILED
from tests.text.conftest import hostile_texts, set_chunk_size

TEXTS = ["It's «good».", None, "", "日本 is far. Isn't it?", "\u00a0"]
WORDS = [tokenize(text) if text is not None else None for text in TEXTS]
# Without the compiler, a text takes milliseconds.
SHARE = 1 if COMPILED else 20


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
        lambda texts: pc.run_end_encode(pa.array(texts)),
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
        tag(TEXTS).parts,
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
    texts = [answer["text"] for answer in answers[:: 3 * SHARE]] + [None, ""]
    expected = tag(texts, threads=1)
    set_chunk_size(monkeypatch, size)
    found = tag(texts, threads=threads)
    assert found.to_pylist() == expected.to_pylist()
    assert found.spans.starts == expected.spans.starts
    assert sentences(texts, threads=threads).to_pylist() == sentences(texts, threads=1).to_pylist()
    assert detokenize(found.spans, threads=threads) == detokenize(expected.spans, threads=1)


def test_a_chunk_does_not_write_into_the_next_one(monkeypatch):
    texts = ["Word" + 20 * " ", "and a word that is longer than sixteen bytes"]
    expected = tokenize(texts, threads=1).to_pylist()
    set_chunk_size(monkeypatch, 1)
    monkeypatch.setattr("salva.text.spans.over_threads", last_first)
    assert tokenize(texts).to_pylist() == expected


def last_first(work, items, **_threads):
    return [work(item) for item in reversed(items)]


@pytest.mark.parametrize("threads", [0, -1, 1.5, float("nan"), "2"])
@pytest.mark.parametrize("texts", ["a", ["a"]])
def test_threads_are_a_whole_number(texts, threads):
    with pytest.raises(UsageError, match=f"threads={threads!r} must be a whole number from 1 to 65,536"):
        tokenize(texts, threads=threads)


def test_bad_text_is_named_by_its_row():
    with pytest.raises(InputError, match="row 1: lone surrogate"):
        tokenize(["a", "\ud800"])
    with pytest.raises(InputError, match="row 0: 7 is int, not str"):
        tokenize([7])
    with pytest.raises(InputError, match="row 0: byte 0xff at offset 0 is not UTF-8"):
        tokenize(pa.array([b"\xff"]).view(pa.string()))


@pytest.mark.parametrize(
    ("call", "argument", "problem"),
    [
        (tokenize, None, "None is NoneType, not a column; pass a list of strings"),
        (detokenize, "text", "'text' is str, not lists of words"),
        (detokenize, pd.Series(["ab", "c"]), "row 0: 'ab' is str, not a list of words"),
        (detokenize, [["a"], "bc"], "row 1: 'bc' is str, not a list of words"),
        (detokenize, [["a"], [None, 7]], "row 1: word 1: 7 is int, not str"),
        (detokenize, pa.array(["a b"]), "column of type string does not hold lists of words"),
        (detokenize, pa.array([[1]]), "column of type list<.*> does not hold lists of words"),
        (tag, [["a", "b"], "It works."], "row 1: 'It works.' is str, not a list of words"),
        (tag, ["It works.", ["a", "b"]], "row 1: .* is list, not str"),
        (tag, iter([["a"]]), "row 0: .* is list, not str"),
        (tag, pa.array([[1]]), "does not hold text"),
    ],
)
def test_what_is_neither_texts_nor_lists_of_words_is_refused(call, argument, problem):
    with pytest.raises(InputError, match=problem):
        call(argument)


@pytest.mark.parametrize("make", [list, tuple, pa.array, pd.Series, pl.Series])
def test_lists_of_words_come_in_every_make(make):
    lists = [["Dogs", "bark"], ["Fine", "."]]
    assert tag(make(lists)).words.to_pylist() == lists
    assert detokenize(make(lists)).to_pylist() == ["Dogs bark", "Fine."]


def test_a_path_is_no_tagger():
    with pytest.raises(UsageError, match=r"tagger='x' is not a Tagger; read one with Tagger.load\(path\)"):
        tag(["a"], tagger="x")


def test_a_row_of_two_gigabytes_is_named(monkeypatch):
    monkeypatch.setattr("salva.text.columns.MOST_BYTES", 100)
    for call in (sentences, tokenize, tag):
        assert len(call(["a" * 80] * 3)) == 3
        with pytest.raises(InputError, match="row 1: has 101 bytes; the limit is 100"):
            call(["a", "b" * 101])


def test_spans_are_a_column_to_arrow_and_small_on_the_screen():
    spans = tokenize(["a b", None])
    assert pa.table({"words": spans})["words"].to_pylist() == [["a", "b"], None]
    assert repr(spans) == "<Spans: 2 in 2 rows>"
    assert repr(tag(spans)) == "<Tagged: 2 words in 2 rows>"
    assert spans == spans
    assert spans != tokenize(["a b", None])


def test_lists_that_lie_about_their_offsets_are_refused():
    words = pa.array(["a", "b"])
    offsets = pa.py_buffer(np.array([0, 1 << 40, 2], np.int64))
    lists = pa.Array.from_buffers(pa.large_list(pa.string()), 2, [None, offsets], children=[words])
    for call in (detokenize, Tagger.default().tag):
        with pytest.raises(InputError, match="broken Arrow column"):
            call(lists)


def test_a_hundred_thousand_rows_in_many_chunks():
    texts = [f"Film no. {i} isn't bad." for i in range(100_000 // SHARE)]
    words = tokenize(pa.array(texts), threads=2).to_pylist()
    assert words[::999] == [tokenize(text) for text in texts[::999]]
