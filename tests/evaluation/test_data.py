"""Data of any kind becomes the rows of a run."""

from __future__ import annotations

import pandas
import polars
import pyarrow as pa
import pytest

from salva.datasets import ReadOptions
from salva.errors import InputError, UsageError
from salva.evaluation.data import read_data
from salva.runs import RunRows

COLUMNS = {"text": ["good", "bad", "so so"], "label": [1, 0, -1]}


def hugging_face(columns):
    return pytest.importorskip("datasets").Dataset.from_dict(columns)


def pairs(columns):
    return list(zip(columns["text"], columns["label"], strict=True))


@pytest.mark.parametrize("make", [dict, pa.table, pandas.DataFrame, polars.DataFrame, hugging_face, pairs])
def test_every_kind_of_data_gives_the_same_rows(tmp_path, make):
    info = read_data(make(COLUMNS), tmp_path / "data.parquet", ReadOptions())
    (group,) = RunRows(tmp_path / "data.parquet")
    assert group.texts[0].array.to_pylist() == ["good", "bad", "so so"]
    assert group.labels == ["1", "0", None]
    assert (info.rows, info.unlabelled, info.labels) == (3, 1, {"0": 1, "1": 1})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "text,label,id\ngood,1,x\nbad,0,y\n"),
        ("a.jsonl", '{"text": "good", "label": 1, "id": "x"}\n{"label": 0, "text": "bad", "id": "y"}\n'),
        ("a.tsv", "id\tlabel\ttext\nx\t1\tgood\ny\t0\tbad\n"),
    ],
)
def test_every_format_gives_the_same_rows(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    info = read_data(tmp_path / name, tmp_path / "data.parquet", ReadOptions())
    (group,) = RunRows(tmp_path / "data.parquet")
    assert (group.ids, group.labels) == (["x", "y"], ["1", "0"])
    assert (info.name, info.id_column) == (name, "id")


def test_the_digest_is_that_of_all_rows(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\ngood,1\nbad,0\n")
    whole = read_data(tmp_path / "a.csv", tmp_path / "1", ReadOptions())
    part = read_data(tmp_path / "a.csv", tmp_path / "2", ReadOptions(), limit=1)
    assert (whole.digest == part.digest, part.rows) == (True, 1)


def test_a_null_id_is_named_by_its_row(tmp_path):
    with pytest.raises(InputError, match="row 2 has no id in column 'id'"):
        read_data({"text": ["a", "b"], "id": ["x", None]}, tmp_path / "1", ReadOptions())


def test_a_label_that_is_a_list_is_refused(tmp_path):
    with pytest.raises(InputError, match="column 'label'"):
        read_data({"text": ["a"], "label": [[1, 2]]}, tmp_path / "1", ReadOptions())


@pytest.mark.parametrize("data", [3, None, [1, 2], ["a", "b"], {"text": ["a"], "label": [1, 2]}])
def test_what_is_no_data_is_refused(tmp_path, data):
    with pytest.raises(UsageError, match="is not a data set"):
        read_data(data, tmp_path / "1", ReadOptions())


def test_three_texts_a_row_are_too_many(tmp_path):
    columns = {"a": ["x"], "b": ["y"], "c": ["z"]}
    with pytest.raises(UsageError, match="3 text columns"):
        read_data(columns, tmp_path / "1", ReadOptions(text_column="a,b,c"))
