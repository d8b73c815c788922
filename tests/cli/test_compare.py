"""`salva compare`: tables that fit into 80 columns, JSON, and errors in one line."""

from __future__ import annotations

import json
import re
import sys

import pytest

from salva.cli.show import print_table
from salva.evaluation import evaluate
from salva.rows import reviews
from tests.conftest import ROOT
from tests.evaluation.keywords import classify
from tests.flat import flat

LONG = "distilbert-base-uncased-finetuned-on-many-reviews"


def always(texts):
    return ["positive"] * len(texts)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Three runs under conditions of both families, with the longest names of presets."""
    folder = tmp_path_factory.mktemp("runs")
    quick = {"severities": [0.25, 1.0], "options": flat(noise=0, blame_calls=0)}
    presets = ["natural+misspellings", "corrupt"]
    data = reviews("test").slice(0, 80)
    for name, model in (("a", classify), ("b", always), ("c", "builtin:reviews")):
        evaluate(data, model, presets=presets, out=folder / name, **quick)
    return [folder / name for name in "abc"]


def test_three_runs_are_shown_at_80_columns_without_a_broken_word(salva, runs, set_width):
    set_width(80)
    names = [part for k in range(3) for part in ("--name", f"{LONG}-{k}")]
    outcome = salva("compare", *runs, *names)
    assert outcome.code == 0
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert f"  m2: {LONG}-1" in outcome.out
    assert outcome.out.count(" natural+misspellings@0.25 ") >= 6
    assert re.search(r"^ natural\+misspellings@1 +m1 +[\d.]+ +[\d.]+ +-?[\d.]+ +\[.+\]", outcome.out, re.M)
    assert "corrected over 15 comparisons" in outcome.out
    assert "texts that only m1 loses:" in outcome.out
    assert " condition " in outcome.out


def test_short_names_are_used_in_the_tables(salva, runs, set_width):
    set_width(80)
    outcome = salva("compare", *runs, "--name", "keywords", "--name", "always", "--name", "built-in")
    assert (
        "3 models on data in memory: 80 rows in all runs\n  keywords\n  always\n  built-in\n" in outcome.out
    )
    assert "drop of built-in less that of always" in outcome.out
    assert re.search(r"^ clean +1\.00 +built-in > keywords > always", outcome.out, re.M)


def test_the_json_has_everything(salva, runs):
    plain = json.loads(salva("compare", *runs, "--json").out)
    assert [len(plain[name]) for name in ("models", "conditions", "differences")] == [3, 5, 15]
    assert plain["comparisons"] == 15
    assert plain["texts"][0]["text"]


def test_a_page_is_written_instead_of_tables(salva, runs, tmp_path):
    outcome = salva("compare", *runs, "-o", "page.html")
    assert (outcome.code, outcome.out) == (0, "written: page.html\n")
    assert "models compared" in (tmp_path / "page.html").read_text("utf-8")
    assert salva("compare", *runs, "-o", "page.html").code == 3
    assert salva("compare", *runs, "-o", "page.html", "--overwrite", "-q").out == ""


def test_left_out_rows_and_conditions_are_reported(salva, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    model = "python:tests.evaluation.keywords:classify"
    rows = (json.dumps(row) for row in reviews("test").slice(0, 80).to_pylist())
    (tmp_path / "data.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    quick = ("--preset", "corrupt", "--severity", "1", "-S", "noise=0", "-R", "limit=70")
    salva("evaluate", "data.jsonl", "--model", model, "-o", "fewer", *quick)
    shown = salva("compare", runs[1], "fewer", "--name", "b", "--name", "fewer").out
    assert "warning: 10 rows are left out: not in all of the runs" in shown
    assert "warning: natural+misspellings@1 is left out: only in the run of b" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["a"], 2, "compare takes two or more"),
        (["a", "b", "--name", "x"], 2, "1 names for 2 runs; give one name per run"),
        (["a", "nothing"], 3, "nothing: is not the folder of a run"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(salva, runs, monkeypatch, arguments, code, message):
    monkeypatch.chdir(runs[0].parent)
    outcome = salva("compare", *arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (code, "", 1)
    assert message in outcome.err


TABLE = (["first", "second", "n"], [("some words", "others here", "1.25"), ("more", "yet others", "12.50")])


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (32, " some words  others here   1.25"),
        (30, " some words others here  1.25"),
        (27, " some words  others   1.25"),
        (22, " some   others   1.25"),
        (20, " some  others  1.25"),
        (19, " some       others"),
    ],
)
def test_words_are_not_broken_and_the_last_columns_are_left_out(capsys, set_width, columns, line):
    set_width(columns)
    print_table("", *TABLE, keep=2)
    assert line in [shown.rstrip() for shown in capsys.readouterr().out.splitlines()]
