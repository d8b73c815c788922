"""The arguments of `evaluate`, as Python programs pass them."""

from __future__ import annotations

import pytest

from salva import assert_robust, evaluate, preset
from salva.audit import sample
from salva.errors import InputError
from salva.evaluation import outline
from tests.evaluation.keywords import classify

TEXTS = ["A great film", "A dull film", "Lovely acting"] * 5
LABELS = ["positive", "negative", "positive"] * 5
ROWS = list(zip(TEXTS, LABELS, strict=True))
QUICK = {"severities": 1, "presets": "typos", "blame_calls": 0, "noise": 0}


def test_columns_are_keywords(tmp_path):
    rows = [{"body": text, "stars": label, "key": f"k{i}"} for i, (text, label) in enumerate(ROWS)]
    names = {"text_column": "body", "label_column": "stars", "id_column": "key"}
    info = evaluate(rows, model=classify, **names, **QUICK).results.data
    assert (info.text_columns, info.label_column, info.id_column) == (("body",), "stars", "key")
    assert assert_robust(rows, model=classify, max_drop=None, **names, **QUICK).results.data == info
    assert outline(rows, **names, **QUICK).rows == len(rows)
    assert sample(rows, preset=preset("typos", prob=1.0), n=2, **names).items


def test_two_text_columns_are_a_list():
    rows = [{"a": text, "b": "It is a film", "label": label} for text, label in ROWS]
    run = evaluate(rows, model=lambda pairs: ["positive"] * len(pairs), text_column=["a", "b"], **QUICK)
    assert run.results.data.text_columns == ("a", "b")


@pytest.mark.parametrize("chosen", ["typos", preset("typos"), ["typos"]])
def test_one_preset_and_one_severity_need_no_list(chosen):
    run = evaluate(TEXTS, labels=LABELS, model=classify, **{**QUICK, "presets": chosen})
    assert [one.name for one in run.results.conditions] == ["typos/render", "typos@1"]


def test_a_preset_may_be_one_path(tmp_path):
    (tmp_path / "mine.toml").write_text('preset = "typos"\n[settings]\nprob = 0.5\n')
    run = evaluate(TEXTS, labels=LABELS, model=classify, **{**QUICK, "presets": tmp_path / "mine.toml"})
    assert run.results.conditions[-1].severity == 1.0


def test_errors_name_arguments_as_the_caller_writes_them(salva, tmp_path):
    rows = {"a": ["x"], "b": ["y"]}
    with pytest.raises(InputError, match=r"no text column; columns: 'a', 'b'; pass text_column=$"):
        evaluate(rows, model=classify)
    (tmp_path / "data.csv").write_text("a,b\nx,y\n")
    outcome = salva("evaluate", tmp_path / "data.csv", "--model", "builtin:reviews", "-o", tmp_path / "run")
    assert outcome.err.rstrip().endswith("pass --text-column")
