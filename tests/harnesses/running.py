"""Run the real harnesses as programs, in an environment that has them, without a network."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from salva.questions import Suite, export
from tests.conftest import ROOT

_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "INSPECT_DISPLAY": "none"}


def run_python(python: str | Path, *arguments: str | Path, folder: Path) -> str:
    """Run Python in a folder; return what it prints. Salva is installed there, and found by its metadata."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    env = os.environ | _OFFLINE | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [str(python), *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run_lm_eval(python: str | Path, suites: Sequence[Suite], folder: Path, model: Path) -> Path:
    """Export suites to one folder of tasks, run them with lm-eval, and return the folder of its logs."""
    for suite in suites:
        export(suite, folder / "tasks" / suite.name, to="lm-eval")
    command = ["-m", "lm_eval", "run", "--model", "hf", "--device", "cpu", "--log_samples"]
    command += ["--model_args", f"pretrained={model},dtype=float32", "--gen_kwargs", "max_gen_toks=6"]
    command += ["--include_path", str(folder / "tasks"), "--output_path", str(folder / "out")]
    run_python(python, *command, "--tasks", ",".join(suite.name for suite in suites), folder=folder)
    return folder / "out"


def run_inspect(
    python: str | Path, tasks: str, folder: Path, *, kind: str, arguments: Sequence[dict[str, Any]] = ({},)
) -> list[Path]:
    """Run tasks with Inspect and its mock model in a folder, once with each arguments; return its logs."""
    given = [tasks, json.dumps(arguments), kind]
    run_python(python, "-m", "tests.harnesses.mock_model", *given, folder=folder)
    return sorted((folder / "log").glob(f"*.{kind}"))
