"""What a run gives to programs: tables, frames and answers."""

from __future__ import annotations

import pandas
import polars
import pytest

import salva
from tests.evaluation.keywords import classify
from tests.flat import flat

TEXTS = ["A great film", "A dull film", "Lovely acting", "A great bore"] * 4
TYPOS = {"presets": salva.preset("typos", prob=1.0), "severities": 1}
LABELS = ["positive", "negative", "positive", None] * 4
ROWS = list(zip(TEXTS, LABELS, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runs") / "run"


@pytest.fixture(scope="module")
def run(folder):
    return salva.evaluate(ROWS, classify, **TYPOS, out=folder)


def test_the_table_has_one_row_per_condition(run):
    table = run.table()
    assert table["condition"].to_pylist() == ["typos/render", "typos@1"]
    assert table["drop_high"].to_pylist()[1] == run.results.conditions[1].score.drop.high
    frames = (run.to_pandas(), run.to_polars())
    assert isinstance(frames[0], pandas.DataFrame)
    assert isinstance(frames[1], polars.DataFrame)
    assert [list(frame["condition"]) for frame in frames] == [table["condition"].to_pylist()] * 2


def test_the_answers_are_those_of_every_row_under_every_condition(run):
    rows = run.answers.to_pylist()
    assert len(rows) == 2 * len(TEXTS)
    for row in rows:
        before = classify([row["text"]])[0]
        assert (row["text"], row["label"]) == (TEXTS[row["row"]], LABELS[row["row"]])
        assert (row["id"], row["before"]) == (str(row["row"]), before)
        assert row["right_before"] == (None if row["label"] is None else before == row["label"])
        assert row["changed"] == (row["after"] != before)
    lost = sum(bool(row["right_before"]) and row["right_after"] is False for row in rows)
    assert lost == sum(one.score.right_to_wrong for one in run.results.conditions) > 0


def test_flips_are_among_the_answers(run):
    changed = {(row["row"], row["condition"]) for row in run.answers.to_pylist() if row["changed"]}
    assert {(flip.row, flip.condition) for flip in run.flips} == changed


def test_a_loaded_run_has_the_same_tables(run, folder):
    loaded = salva.load_run(folder)
    assert loaded.table() == run.table()
    assert loaded.answers == run.answers
    assert loaded.flips == run.flips


def test_a_run_without_a_folder_has_all_but_the_texts(run):
    answers = salva.evaluate(ROWS, classify, **TYPOS).answers
    assert answers == run.answers.drop_columns(["text"])


def test_a_text_that_got_no_answer_is_neither_right_nor_changed():
    def mute(texts):
        found = classify(texts)
        return [None if "dull" in text else found[k] for k, text in enumerate(texts)]

    answers = salva.evaluate(ROWS, mute, severities=1, options=flat(errors=1.0)).answers
    silent = [row for row in answers.to_pylist() if row["row"] == 1]
    assert {(row["before"], row["right_before"], row["changed"]) for row in silent} == {(None, None, None)}


def test_pairs_have_both_texts(tmp_path):
    rows = [{"a": text, "b": "It is a film", "label": "positive"} for text in TEXTS[:2]]
    run = salva.evaluate(
        rows,
        lambda pairs: ["positive"] * len(pairs),
        **TYPOS,
        out=tmp_path / "run",
        options=flat(text=("a", "b")),
    )
    assert set(run.answers["text_b"].to_pylist()) == {"It is a film"}
