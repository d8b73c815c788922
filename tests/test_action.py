"""action.yml: its structure, and its steps, run by bash as GitHub runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from salva.rows import reviews
from tests.conftest import ROOT

TEXT = (ROOT / "action.yml").read_text("utf-8")
ACTION = yaml.safe_load(TEXT)
STEPS = ACTION["runs"]["steps"]


def test_it_is_a_composite_action_whose_inputs_are_described_and_used():
    assert ACTION["runs"]["using"] == "composite"
    assert {name for name, one in ACTION["inputs"].items() if one.get("required")} == {"data", "model"}
    assert all(one["description"].endswith(".") for one in ACTION["inputs"].values())
    assert all("default" in one or one.get("required") for one in ACTION["inputs"].values())
    assert set(re.findall(r"inputs\.([\w-]+)", TEXT)) == set(ACTION["inputs"])


def test_no_input_becomes_part_of_a_script():
    scripts = [step for step in STEPS if "run" in step]
    assert len(scripts) == 2
    for step in scripts:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        assert set(re.findall(r"SALVA_\w+", step["run"])) == set(step["env"])


def test_the_report_is_uploaded_even_if_a_limit_is_broken():
    upload = STEPS[-1]
    assert upload["uses"].startswith("actions/upload-artifact@")
    assert "!cancelled()" in upload["if"]
    assert upload["with"]["path"] == ACTION["outputs"]["report"]["value"]


def test_the_example_workflow_gives_inputs_that_the_action_has():
    (example,) = re.findall(r"```yaml\n(.+?)```", (ROOT / "docs/ci.md").read_text("utf-8"), re.DOTALL)
    (job,) = yaml.safe_load(example)["jobs"].values()
    (step,) = [step for step in job["steps"] if "salva" in step.get("uses", "")]
    required = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert required <= set(step["with"]) <= set(ACTION["inputs"])


@pytest.fixture
def folder(tmp_path):
    rows = (json.dumps(row) for row in reviews("test").slice(0, 40).to_pylist())
    (tmp_path / "data set.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin/salva"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m salva "$@"\n', "utf-8")
    shim.chmod(0o755)
    return tmp_path


def run_step(folder: Path, step: dict, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as GitHub does, with these inputs and the defaults of the others."""
    values = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    filled = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
        for name, value in step["env"].items()
    }
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    summary = str(folder / "summary.md")
    runner = {"PATH": path, "GITHUB_STEP_SUMMARY": summary, "GITHUB_ACTION_PATH": "the action"}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **runner, **filled},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_model_is_evaluated_and_limits_are_reported(folder):
    options = "--preset\ntypos\n--severity\n1\n-S\nnoise=0\n-S\nblame_calls=0\n"
    rules = "drop > 100\nconsistency >= 0\n"
    inputs = {"data": "data set.jsonl", "model": "builtin:reviews", "options": options, "fail-if": rules}
    done = run_step(folder, STEPS[1], **inputs)
    assert done.returncode == 1, done.stderr
    assert "::error title=salva%3A typos@1 breaks a limit::consistency >= 0" in done.stderr
    assert (folder / "salva-run/report.html").is_file()
    assert "<failure " in (folder / "salva-run.xml").read_text("utf-8")
    assert (folder / "summary.md").read_text("utf-8").startswith("### Salva")
    again = inputs | {"run": "second run", "baseline": "salva-run", "fail-if": "drop_change.low > 0"}
    done = run_step(folder, STEPS[1], **again)
    assert (done.returncode, "compared with salva-run" in done.stdout) == (0, True), done.stderr


@pytest.mark.slow
def test_an_input_with_shell_code_is_only_a_value(folder):
    inputs = {"data": "$(touch broken)", "model": "`touch broken`; touch broken", "fail-if": ""}
    done = run_step(folder, STEPS[1], **inputs)
    assert done.returncode == 3
    assert "salva: $(touch broken)" in done.stderr
    assert not (folder / "broken").exists()


def test_extras_are_part_of_what_is_installed(folder):
    shim = folder / "bin/python"
    shim.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', "utf-8")
    shim.chmod(0o755)
    assert run_step(folder, STEPS[0]).stdout.splitlines() == ["-m", "pip", "install", "the action"]
    assert run_step(folder, STEPS[0], package="a b").stdout.endswith("\na b\n")
    assert run_step(folder, STEPS[0], package="a b", extras="hf,http").stdout.endswith("a b[hf,http]\n")
