"""Limits on the command line: during a run and afterwards, and what CI gets to see."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import pytest

from salva.rows import reviews
from tests.conftest import ROOT

MODEL = "python:tests.evaluation.keywords:classify"
QUICK = ("--preset", "typos", "--severity", "1", "-S", "noise=0", "-S", "flips=5", "-S", "blame_calls=0")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    lines = (json.dumps(row) for row in reviews("test").slice(0, 60).to_pylist())
    (tmp_path / "data.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path


def test_a_run_is_reported_to_ci_before_it_fails(salva, folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    (folder / "summary.md").write_text("earlier\n", "utf-8")
    assert salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "run", *QUICK).code == 0
    gate = ("--fail-if", "drop >= -100", "--junit", "junit.xml", "--github-summary")
    outcome = salva("report", "run", *gate, "--json")
    assert outcome.code == 1
    assert json.loads(outcome.out)["status"] == "success"
    errors = [line for line in outcome.err.splitlines() if line.startswith("::error title=salva%3A typos")]
    assert len(errors) == 2
    assert outcome.err.splitlines()[-1].startswith("salva: drop >= -100: typos/render has")
    assert (folder / "summary.md").read_text("utf-8").startswith("earlier\n### Salva")
    assert len(ElementTree.parse(folder / "junit.xml").findall(".//failure")) == 2


def test_a_finished_run_is_checked_with_report(salva, folder):
    salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "run", *QUICK)
    before = {path: path.read_bytes() for path in (folder / "run").iterdir() if path.is_file()}
    gate = ("--fail-if", "drop > 100", "--junit", "junit.xml", "--github-summary", "summary.md")
    outcome = salva("report", "run", *gate)
    assert outcome.code == 0
    assert "::error" not in outcome.err
    assert "No limit is broken" in (folder / "summary.md").read_text("utf-8")
    assert salva("report", "run", "--fail-if", "drop >= -100", "--junit", "junit.xml").code == 1
    assert "<failure " in (folder / "junit.xml").read_text("utf-8")
    assert {path: path.read_bytes() for path in before} == before


def test_a_summary_outside_github_needs_a_file(salva, folder):
    salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "run", *QUICK)
    outcome = salva("report", "run", "--github-summary")
    assert outcome.code == 0
    assert "GITHUB_STEP_SUMMARY is not set" in outcome.err


def test_wrong_rules_are_refused_before_the_model_is_asked(salva, folder):
    for rule in ("drp > 4", "audited.drop > 4", "drop_change.low > 1"):
        outcome = salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "run", "--fail-if", rule)
        assert (outcome.code, (folder / "run").exists()) == (2, False), rule
    assert "name that run with salva report --baseline=RUN" in outcome.err


@pytest.fixture
def baseline(salva, folder):
    """A run of the model for tests, before it got worse."""
    assert salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "before", *QUICK).code == 0
    (folder / "later.py").write_text(LATER, "utf-8")
    return folder


LATER = """
from tests.evaluation.keywords import classify

def worse(texts):
    return [label if "the" in text else "negative" for text, label in zip(texts, classify(texts))]
"""
WORSE = ("--model", "python:later:worse")


def test_a_change_against_a_baseline_is_the_paired_difference_of_drops(salva, baseline, monkeypatch):
    monkeypatch.syspath_prepend(baseline)
    gate = ("--baseline", "before", "--fail-if", "drop_change.low > -100", "--junit", "junit.xml")
    assert salva("evaluate", "data.jsonl", *WORSE, "-o", "after", *QUICK).code == 0
    outcome = salva("report", "after", *gate)
    assert outcome.code == 1
    assert "drop in points, compared with before" in outcome.out
    assert "change of the drop" in (baseline / "junit.xml").read_text("utf-8")
    differences = json.loads(salva("compare", "before", "after", "--json").out)["differences"]
    expected = {one["condition"]: one["difference"]["value"] for one in differences}
    for name, value in expected.items():
        for end in ("value", "low", "high"):
            rule = f"drop_change.{end} >= {value[end] - 1e-9}"
            assert salva("report", "after", "--baseline", "before", "--fail-if", rule).code == 1, (name, end)
    highest = max(value["value"] for value in expected.values())
    over = salva("report", "after", "--baseline", "before", "--fail-if", f"drop_change > {highest + 1e-6}")
    assert over.code == 0


def test_the_same_run_has_not_changed(salva, baseline):
    gate = ("--baseline", "before", "--fail-if", "drop_change > 0", "--fail-if", "drop_change < 0")
    assert salva("report", "before", *gate).code == 0


@pytest.mark.parametrize(
    ("options", "code", "problem"),
    [
        (("--baseline", "nowhere"), 3, "nowhere: is not the folder of a run"),
        (("--fail-if", "drop_change > 1"), 2, "name that run with --baseline RUN"),
        (("--baseline", "before", "--fail-if", "drop_chang > 1"), 2, "did you mean 'drop_change"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_refused_before_anything_is_written(
    salva, baseline, options, code, problem
):
    outcome = salva("report", "before", "--junit", "junit.xml", *options)
    assert (outcome.code, problem in outcome.err) == (code, True), outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
    assert not (baseline / "junit.xml").exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("-R", "limit=30"), "before: 30 rows are not in both runs"),
        (("--severity", "0.5"), "before: has no condition 'typos@0.5'"),
        (("--seed", "1"), "seed"),
        (("--preset", "mine.toml"), "settings of typos"),
    ],
)
def test_a_baseline_needs_the_same_data_and_conditions(salva, baseline, options, problem):
    mine = salva("presets", "typos").out.replace("prob = 0.25", "prob = 0.5")
    (baseline / "mine.toml").write_text(mine, "utf-8")
    quick = QUICK[2:] if "--preset" in options else QUICK
    salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "after", *quick, *options)
    outcome = salva("report", "after", "--baseline", "before", "-q")
    assert (outcome.code, problem in outcome.err) == (3, True), outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_a_run_is_printed_or_written_for_others(salva, folder):
    salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "run", *QUICK)
    cited = salva("report", "run", "--to", "citation")
    assert cited.out.startswith("Salva ")
    assert cited.out.count("\n") == 1
    assert salva("report", "run", "--to", "model-card", "-o", "README.md").code == 0
    assert (folder / "README.md").read_text("utf-8").startswith("---\n# Salva ")
    assert salva("report", "run", "--to", "model-card", "-o", "README.md").code == 3
    assert salva("report", "run", "--to", "citation", "--json").code == 2
