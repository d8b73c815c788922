"""The numbers of a run can be had from its tables by the SQL in the guide."""

from __future__ import annotations

import re

import polars
import pytest

from salva.rows import reviews
from tests.conftest import ROOT
from tests.evaluation.asked import PROMPTS, ROWS, write_log
from tests.evaluation.keywords import classify
from tests.evaluation.running import run

(SQL,) = re.findall(r"```sql\n(.+?)```", (ROOT / "docs/evaluation.md").read_text("utf-8"), re.DOTALL)
NUMBERS = ("accuracy_before", "accuracy_after", "drop", "consistency")


def ask_about_reviews(out):
    """Ask about reviews, one without a text, some without a label; and under a contrast."""
    rows = reviews("test").slice(0, 60).to_pylist()
    rows[3]["text"], rows[5]["label"], rows[6]["label"] = None, None, None
    opposites = {"positive": "negative"}
    return run(rows, classify, presets=["natural", "negation"], severities=1, opposites=opposites, out=out)


def ask_questions(out):
    """Ask questions in several ways, some replies to which have no answer."""

    def reply(prompts):
        letters = write_log(prompts)
        return ["?" if len(p) % 7 == 0 else letter for p, letter in zip(prompts, letters, strict=True)]

    axes = {"prompts": {"terse": PROMPTS["terse"]}, "order": 2}
    return run(ROWS, reply, task="multiple-choice", presets="typos", severities=1, noise=4, out=out, **axes)


def check(sql, made):
    """Run the SQL where the run is, and compare its numbers with those of the run."""
    expected = {row["condition"]: row for row in made.table().to_pylist()}
    found = {row["condition"]: row for row in polars.sql(sql, eager=True).to_dicts()}
    assert found.keys() == expected.keys()
    for name, row in found.items():
        assert [row[key] for key in NUMBERS] == [pytest.approx(expected[name][key]) for key in NUMBERS]


@pytest.mark.parametrize("ask", [ask_about_reviews, ask_questions])
def test_eight_lines_of_sql_give_the_numbers_of_every_condition(ask, tmp_path, monkeypatch):
    assert len(SQL.splitlines()) == 8
    made = ask(tmp_path / "run")
    monkeypatch.chdir(made.folder)
    check(SQL, made)


def test_the_runs_of_several_models_share_their_questions(tmp_path, monkeypatch):
    rows = reviews("test").slice(0, 30)
    models = [classify, lambda texts: ["negative"] * len(texts)]
    for made in run(rows, models, presets="natural", severities=1, out=tmp_path / "run"):
        monkeypatch.chdir(made.folder)
        check(SQL.replace("'questions/", "'../questions/"), made)
