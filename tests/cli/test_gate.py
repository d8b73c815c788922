"""Limits on the command line: during a run and afterwards, and what CI gets to see."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import pytest

from salva.datasets import reviews
from tests.conftest import ROOT

MODEL = "python:tests.evaluation.keywords:classify"
QUICK = ("--preset", "typos", "--severity", "1", "--noise", "0", "--flips", "5", "--blame-calls", "0")


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
    gate = ("--fail-if", "drop >= -100", "--junit", "junit.xml", "--github-summary")
    outcome = salva("evaluate", "data.jsonl", "--model", MODEL, "-o", "run", *QUICK, *gate, "--json")
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
    assert "name that run with --baseline RUN" in outcome.err
