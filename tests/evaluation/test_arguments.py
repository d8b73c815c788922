"""The arguments of `evaluate`, as Python programs pass them."""

from __future__ import annotations

import inspect

import pytest

import salva
from salva import Data, Options, assert_robust, evaluate, make_questions, preset
from salva.audit import sample
from salva.errors import InputError
from tests.evaluation.keywords import classify
from tests.flat import flat

TEXTS = ["A great film", "A dull film", "Lovely acting"] * 5
LABELS = ["positive", "negative", "positive"] * 5
ROWS = list(zip(TEXTS, LABELS, strict=True))
ONCE = {"severities": 1, "presets": "typos"}
QUICK = {**ONCE, "options": flat(blame_calls=0, noise=0)}


def test_an_evaluation_has_at_most_twelve_arguments():
    assert len(inspect.signature(evaluate).parameters) <= 12


def test_options_change_by_the_names_of_their_groups():
    changed = Options().replace(measure={"noise": 10}, data={"text": "body"})
    assert changed == salva.Options(measure=salva.Measure(noise=10), data=Data(text="body"))
    assert Options().replace() == Options() != changed


def test_columns_are_options(tmp_path):
    rows = [{"body": text, "stars": label, "key": f"k{i}"} for i, (text, label) in enumerate(ROWS)]
    names = {"text": "body", "label": "stars", "id": "key"}
    quick = {**QUICK, "options": flat(**names, blame_calls=0, noise=0)}
    info = evaluate(rows, classify, **quick).results.data
    assert (info.text_columns, info.label_column, info.id_column) == (("body",), "stars", "key")
    assert assert_robust(rows, classify, max_drop=None, **quick).results.data == info
    assert make_questions(rows, **quick).about.data == info
    assert sample(rows, preset=preset("typos", prob=1.0), n=2, data=Data(**names)).items


def test_two_text_columns_are_a_list():
    rows = [{"a": text, "b": "It is a film", "label": label} for text, label in ROWS]
    run = evaluate(rows, lambda pairs: ["positive"] * len(pairs), **ONCE, options=flat(text=["a", "b"]))
    assert run.results.data.text_columns == ("a", "b")


@pytest.mark.parametrize("chosen", ["typos", preset("typos"), ["typos"]])
def test_one_preset_and_one_severity_need_no_list(chosen):
    run = evaluate(ROWS, classify, **{**QUICK, "presets": chosen})
    assert [one.name for one in run.results.conditions] == ["typos/render", "typos@1"]


def test_a_preset_may_be_one_path(tmp_path):
    (tmp_path / "mine.toml").write_text('preset = "typos"\n[settings]\nprob = 0.5\n')
    run = evaluate(ROWS, classify, **{**QUICK, "presets": tmp_path / "mine.toml"})
    assert run.results.conditions[-1].severity == 1.0


def test_errors_name_arguments_as_the_caller_writes_them(salva, tmp_path):
    rows = {"a": ["x"], "b": ["y"]}
    with pytest.raises(InputError, match=r"no text column; columns: 'a', 'b'; pass text=$"):
        evaluate(rows, classify)
    (tmp_path / "data.csv").write_text("a,b\nx,y\n")
    outcome = salva("evaluate", tmp_path / "data.csv", "--model", "builtin:reviews", "-o", tmp_path / "run")
    assert outcome.err.rstrip().endswith("pass --text")


def test_31_one_row_is_enough_and_the_model_may_be_wrong_about_it(caplog, capsys):
    run = evaluate([("a dull film", "positive")], classify, **ONCE)
    assert [condition.score.accuracy_before.value for condition in run.results.conditions] == [0, 0]
    problem = "all rows have the label 'positive'; 'negative' is taken as another class"
    assert caplog.text.count(f"{problem}; if it means 'positive', add label_map=") == 1


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (["a", "b\ud800"], "row 1 of column 'text'"),
        ([{"text": "a", "label": 0}, {"text": "b\ud800", "label": 1}], "row 1 of column 'text'"),
        ([("b\ud800", 0), ("a", 1)], "row 0 of column 'text'"),
        ([{"text": "a", "label": "b\ud800"}], "row 0 of column 'label'"),
        ([{"text": "a", "b\ud800": "x"}], r"column 'b\ud800'"),
    ],
)
def test_4_a_lone_surrogate_is_named_by_its_row(data, where):
    with pytest.raises(InputError) as refused:
        evaluate(data, classify)
    problem = r"lone surrogate '\ud800' at position 1; encode with errors='replace'"
    assert str(refused.value) == f"{where}: {problem}"


def test_104_a_label_of_megabytes_is_shown_short(caplog):
    long = "x" * 5_000_000
    rows = [("a film", long), ("a great film", "positive"), ("a lot", "other")]
    run = evaluate(rows, classify, **ONCE, options=flat(label_map={"negative": long}))
    assert len(run.summary()) < 5000
    assert len(caplog.text) < 5000
