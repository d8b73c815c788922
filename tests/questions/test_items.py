"""Data of any kind becomes the rows of a run."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

from salva.errors import InputError, UsageError
from salva.evaluation.data import read_data
from salva.evaluation.sources import as_source
from salva.rows import ReadOptions
from salva.runs import RunRows

COLUMNS = {"text": ["good", "bad", "so so"], "label": [1, 0, -1]}


def hugging_face(columns):
    return pytest.importorskip("datasets").Dataset.from_dict(columns)


def pairs(columns):
    return list(zip(columns["text"], columns["label"], strict=True))


def dicts(columns):
    return [{"text": text, "label": label} for text, label in pairs(columns)]


def streamed(columns):
    return hugging_face(columns).to_iterable_dataset()


def lazy(columns):
    return polars.DataFrame(columns).lazy()


KINDS = [dict, pa.table, pandas.DataFrame, polars.DataFrame, lazy, pairs, dicts]
KINDS += [pytest.param(make, marks=pytest.mark.heavy) for make in (hugging_face, streamed)]


@pytest.mark.parametrize("make", KINDS)
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


@pytest.mark.parametrize("make", [list, tuple, np.array, pandas.Series, polars.Series, pa.array])
def test_labels_are_given_beside_a_list_of_texts(tmp_path, make):
    source = as_source(make(COLUMNS["text"]), labels=make(COLUMNS["label"]))
    info = read_data(source, tmp_path / "data.parquet", ReadOptions())
    assert (info.rows, info.unlabelled, info.labels) == (3, 1, {"0": 1, "1": 1})


@pytest.mark.heavy
def test_columns_of_hugging_face_data_are_texts_and_labels(tmp_path):
    data = hugging_face(COLUMNS)
    info = read_data(as_source(data["text"], labels=data["label"]), tmp_path / "1", ReadOptions())
    assert info.labels == {"0": 1, "1": 1}


def test_texts_need_no_labels(tmp_path):
    info = read_data(["good", "bad"], tmp_path / "1", ReadOptions())
    assert (info.rows, info.unlabelled, info.label_column) == (2, 2, None)


def test_keys_that_only_later_rows_have_are_kept(tmp_path):
    info = read_data([{"text": "a"}, {"text": "b", "label": 1}], tmp_path / "1", ReadOptions())
    assert (info.unlabelled, info.labels) == (1, {"1": 1})


@pytest.mark.parametrize(
    ("data", "labels", "problem"),
    [
        (["a", "b"], [1], "2 texts and 1 label; give one label per text"),
        (COLUMNS, [1, 2, 3], "labels= belongs to a list of texts; name a column .+ with label_column="),
        ([("a", 1)], [1], "labels= belongs to a list of texts"),
        (["a"], "a", "labels= belongs to a list of texts"),
    ],
)
def test_labels_that_belong_to_nothing_are_refused(data, labels, problem):
    with pytest.raises(UsageError, match=problem):
        as_source(data, labels=labels)


def test_splits_of_a_data_set_are_named():
    splits = pytest.importorskip("datasets").DatasetDict(train=hugging_face(COLUMNS))
    with pytest.raises(UsageError, match="the data is several data sets: 'train'; pass one of them"):
        as_source(splits)


@pytest.mark.parametrize("data", [3, None, [1, 2], ["a", 2], {"text": ["a"], "label": [1, 2]}])
def test_what_is_no_data_is_refused(tmp_path, data):
    with pytest.raises(UsageError, match="is not a data set"):
        read_data(data, tmp_path / "1", ReadOptions())


def test_three_texts_a_row_are_too_many(tmp_path):
    columns = {"a": ["x"], "b": ["y"], "c": ["z"]}
    with pytest.raises(UsageError, match="3 text columns"):
        read_data(columns, tmp_path / "1", ReadOptions(text_column="a,b,c"))
