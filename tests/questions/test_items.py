"""Data of any kind becomes items: ids, texts and labels, and questions about them."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest

import salva
from salva.errors import InputError, UsageError
from salva.questions import make_questions
from salva.questions.table import CLEAN, undo
from tests.flat import flat

COLUMNS = {"text": ["good", "bad", "so so"], "label": [1, 0, -1]}


def questions_of(data, options=None, **more):
    return make_questions(data, presets="case", severities=1, options=options, **more)


def rows_of(questions):
    """Return ids, texts and right answers of the clean questions."""
    rows = questions.to_arrow().filter(pa.compute.field("condition") == CLEAN).to_pylist()
    return [(row["id"], *row["parts"], row["expected"] and row["expected"][0]) for row in rows]


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
def test_every_kind_of_data_gives_the_same_items(make):
    questions = questions_of(make(COLUMNS))
    assert rows_of(questions) == [("0", "good", "1"), ("1", "bad", "0"), ("2", "so so", None)]
    info = questions.about.data
    assert (info.rows, info.unlabelled, info.labels) == (3, 1, {"0": 1, "1": 1})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "text,label,id\ngood,1,x\nbad,0,y\n"),
        ("a.jsonl", '{"text": "good", "label": 1, "id": "x"}\n{"label": 0, "text": "bad", "id": "y"}\n'),
        ("a.tsv", "id\tlabel\ttext\nx\t1\tgood\ny\t0\tbad\n"),
    ],
)
def test_every_format_gives_the_same_items(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    questions = questions_of(tmp_path / name)
    assert rows_of(questions) == [("x", "good", "1"), ("y", "bad", "0")]
    assert (questions.about.data.name, questions.about.data.id_column) == (name, "id")


def test_a_file_has_the_digest_of_all_its_rows(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\ngood,1\nbad,0\n")
    whole = questions_of(tmp_path / "a.csv").about.data
    part = questions_of(tmp_path / "a.csv", flat(limit=1)).about.data
    assert (whole.digest == part.digest, part.rows) == (True, 1)


@pytest.mark.parametrize("make", [list, tuple, np.array, pandas.Series, polars.Series, pa.array])
def test_texts_need_no_labels(make):
    questions = questions_of(make(["good", "bad"]))
    assert rows_of(questions) == [("0", "good", None), ("1", "bad", None)]
    assert (questions.about.data.unlabelled, questions.about.data.label_column) == (2, None)


@pytest.mark.parametrize("make", [np.array, pandas.Series, polars.Series])
def test_texts_and_labels_of_other_libraries_are_paired(make):
    texts, labels = (make(COLUMNS[name][:2]) for name in ("text", "label"))
    assert rows_of(questions_of(list(zip(texts, labels, strict=True)))) == [
        ("0", "good", "1"),
        ("1", "bad", "0"),
    ]


def test_keys_that_only_later_rows_have_are_kept():
    assert rows_of(questions_of([{"text": "a"}, {"text": "b", "label": 1}])) == [
        ("0", "a", None),
        ("1", "b", "1"),
    ]


def test_of_pairs_of_texts_the_column_is_rewritten_that_is_named():
    options = flat(text=("a", "b"), rewrite="b")
    typos = salva.preset("typos", prob=1.0)
    questions = make_questions([{"a": "big film", "b": "good film"}], presets=typos, options=options)
    twin = next(row for row in questions.to_arrow().to_pylist() if row["condition"] == "typos@1")
    assert (twin["parts"][0], questions.about.rewritten_part) == ("big film", 1)
    assert [edit["part"] for edit in twin["edits"]] == [1, 1]
    assert undo(twin["parts"], twin["edits"]) == ["big film", "good film"]


def test_a_row_without_a_text_is_not_asked_and_says_so():
    table = questions_of({"text": ["a film", None], "label": ["x", "y"]}).to_arrow().to_pylist()
    assert [(row["key"] is None, row["why_not_asked"]) for row in table] == [
        (False, None),
        (False, None),
        (True, "the row has no text"),
        (True, "the row has no text"),
    ]


@pytest.mark.parametrize(
    ("data", "options", "problem"),
    [
        ({"text": ["a", "b"], "id": ["x", None]}, {}, "row 2 has no id in column 'id'"),
        ({"text": ["a"], "label": [[1, 2]]}, {}, "column 'label'"),
        ({"text": ["a"], "label": [1]}, {"group": "scenes"}, "no column 'scenes'; columns: 'text', 'label'"),
        ({"text": []}, {}, "there are no rows to evaluate"),
        ({"a": ["x"], "b": ["y"], "c": ["z"]}, {"text": ("a", "b", "c")}, "3 text columns"),
        *((data, {}, "is not a data set") for data in (3, None, [1, 2], ["a", 2])),
        ({"text": ["a"], "label": [1, 2]}, {}, "is not a data set"),
    ],
)
def test_what_is_not_data_is_refused(data, options, problem):
    with pytest.raises((InputError, UsageError), match=problem):
        questions_of(data, flat(**options))


def test_splits_of_a_data_set_are_named():
    splits = pytest.importorskip("datasets").DatasetDict(train=hugging_face(COLUMNS))
    with pytest.raises(UsageError, match="the data is several data sets: 'train'; pass one of them"):
        questions_of(splits)
