"""Same kind in, same kind out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import salva
from salva.errors import InputError

TEXTS = ["This movie was really great", None, "", "An awful, terrible film"]
TYPOS = salva.preset("typos", prob=1.0)
EXPECTED = TYPOS.transform(TEXTS, seed=2).transformed


def test_a_text_gives_a_text_and_a_list_a_list():
    assert TYPOS.transform(TEXTS[0], seed=2).transformed == EXPECTED[0] != TEXTS[0]
    assert EXPECTED[1:3] == [None, ""]
    assert TYPOS.transform(tuple(TEXTS), seed=2).transformed == tuple(EXPECTED)
    assert TYPOS.transform(iter(TEXTS), seed=2).transformed == EXPECTED


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary()])
def test_an_arrow_array_keeps_its_type(kind):
    twins = TYPOS.transform(pa.array(TEXTS).cast(kind), seed=2)
    assert twins.transformed.type == kind
    assert twins.transformed.cast(pa.string()).to_pylist() == EXPECTED


def test_a_chunked_array_and_a_slice_are_what_they_look_like():
    chunked = pa.chunked_array([TEXTS[:1], TEXTS[1:]])
    assert isinstance(TYPOS.transform(chunked, seed=2).transformed, pa.ChunkedArray)
    sliced = pa.array(["x", *TEXTS, "y"]).slice(1, 4)
    assert TYPOS.transform(sliced, seed=2).transformed.to_pylist() == EXPECTED


@pytest.mark.parametrize("dtype", ["str", "object", "string"])
def test_a_pandas_series_keeps_index_name_and_type(dtype):
    series = pd.Series(TEXTS, index=[3, 1, 4, 1], name="review", dtype=dtype)
    out = TYPOS.transform(series, seed=2).transformed
    assert (out.index.tolist(), out.name, out.dtype) == ([3, 1, 4, 1], "review", series.dtype)
    assert out.dropna().tolist() == [text for text in EXPECTED if text is not None]
    assert out.isna().tolist() == [False, True, False, False]


def test_a_polars_series_keeps_its_name():
    out = TYPOS.transform(pl.Series("review", TEXTS), seed=2).transformed
    assert (out.name, out.dtype, out.to_list()) == ("review", pl.String, EXPECTED)


def test_a_numpy_array_stays_one():
    out = TYPOS.transform(np.array(TEXTS, dtype=object), seed=2).transformed
    assert isinstance(out, np.ndarray)
    assert out.tolist() == EXPECTED


@pytest.mark.parametrize(
    "table", [pd.DataFrame({"text": TEXTS}), {"text": TEXTS}, {"a"}, pa.table({"t": TEXTS})]
)
def test_a_table_is_no_column(table):
    with pytest.raises(InputError, match="is not a column of texts; pass one column"):
        TYPOS.transform(table)


def test_a_lone_surrogate_is_refused_with_its_row():
    with pytest.raises(InputError, match="row 1: lone surrogate"):
        TYPOS.transform(["fine", "\ud800"])


def test_reverting_gives_the_kind_that_was_given():
    series = pl.Series("review", TEXTS)
    twins = salva.preset("typos", render="splice").transform(series, seed=2)
    assert twins.revert().to_list() == TEXTS
    assert twins.revert().name == "review"
