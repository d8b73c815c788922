"""Record batches in, record batches out: the function that files and engines share."""

from __future__ import annotations

import pyarrow as pa
import pytest

import salva
from salva.errors import InputError, UsageError
from salva.transforms import transform_batches
from tests.transforms.conftest import SENTENCES

TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary()]


def batch_of(texts, data_type=None):
    column = pa.array(texts, data_type or pa.string())
    return pa.RecordBatch.from_arrays(
        [pa.array(range(len(texts))), column, pa.array(["x"] * len(texts))], names=["id", "review", "label"]
    )


def test_neither_the_batches_nor_the_other_columns_matter(transform):
    whole = batch_of([*SENTENCES, None, ""])
    expected = transform.transform(whole["review"].to_pylist(), seed=3).transformed
    for size in (1, 3, len(whole)):
        parts = [whole.slice(i, size) for i in range(0, len(whole), size)]
        out = pa.Table.from_batches(
            transform_batches(parts, preset=transform, text_column="review", seed=3, threads=1)
        )
        assert out["review"].to_pylist() == expected
        assert out.drop_columns("review").to_pylist() == pa.table(whole).drop_columns("review").to_pylist()


@pytest.mark.parametrize("data_type", TYPES, ids=str)
def test_a_column_keeps_its_type_as_the_schema_of_an_engine_demands(data_type):
    before = batch_of(SENTENCES, data_type)
    [after] = transform_batches([before], preset="typos", text_column="review", severity=0.5)
    assert after.schema == before.schema


def test_the_original_can_be_kept():
    batches = transform_batches(
        [batch_of(["a great film"])] * 2,
        preset="typos",
        prob=1.0,
        text_column="review",
        keep_original=True,
    )
    out = pa.Table.from_batches(batches)
    assert out["review_original"].to_pylist() == ["a great film"] * 2
    assert "a great film" not in out["review"].to_pylist()
    with pytest.raises(UsageError, match="column 'review_original' already exists"):
        list(transform_batches(out.to_batches(), preset="typos", text_column="review", keep_original=True))


def test_arguments_are_checked_before_the_first_batch_and_columns_with_it():
    with pytest.raises(UsageError, match="severity=2 must be between 0 and 1"):
        transform_batches(iter(()), preset="typos", severity=2)
    with pytest.raises(UsageError, match="prob cannot be changed in a finished transform"):
        transform_batches(iter(()), preset=salva.preset("typos"), prob=0.1)
    with pytest.raises(InputError, match="batch: no column 'text'; columns: 'id', 'review', 'label'"):
        next(transform_batches([batch_of(["a"])], preset="typos"))
