"""Run steps, several at a time: skip those that are done, and those whose inputs are missing."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tools.results.steps import ROOT, Step

PACKAGES = ("numpy", "pyarrow", "torch", "transformers", "scikit-learn")


def run_steps(steps: Sequence[Step], work: Path, *, jobs: int = 1) -> list[Step]:
    """Run what is not done yet, in order; return the steps that failed or lack something."""
    waiting = [step for step in steps if not step.is_done]
    print(f"{len(steps) - len(waiting)} of {len(steps)} steps are done", flush=True)
    left: list[Step] = []
    running: dict[Future[None], Step] = {}
    with ThreadPoolExecutor(jobs) as pool:
        while waiting or running:
            for step in [step for step in waiting if all(need.exists() for need in step.needs)]:
                if len(running) < jobs:
                    waiting.remove(step)
                    running[pool.submit(run_step, step, work)] = step
            if not running:
                break
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            left += [step for step in map(running.pop, finished) if not step.is_done]
    for step in waiting:
        missing = next(need for need in step.needs if not need.exists())
        print(f"not run: {step.name}, which needs {missing}", flush=True)
    return [*left, *waiting]


def run_step(step: Step, work: Path) -> None:
    """Run one step; keep what it prints, and how it was run."""
    command = [*step.command]
    if "evaluate" in command and (step.makes.parent / "run.json").exists():
        command.append("--resume")
    step.makes.parent.mkdir(parents=True, exist_ok=True)
    log, about = work / f"logs/{step.slug}.log", work / f"commands/{step.slug}.json"
    for path in (log, about):
        path.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    code = _call(command, step, log)
    seconds = time.monotonic() - begun
    if step.is_done:
        held = {"command": step.shown, "seconds": round(seconds, 1), "machine": describe_machine()}
        about.write_text(json.dumps(held, indent=1) + "\n", "utf-8")
    result = "done" if step.is_done else f"failed with {code}, see {log}"
    print(f"{step.name}: {result}, {seconds:.0f} s", flush=True)


def _call(command: list[str], step: Step, log: Path) -> int:
    """Return the exit code; what goes to `output` appears there only when it is whole."""
    environment = os.environ | dict(step.environment)
    call: dict[str, Any] = {"cwd": ROOT, "env": environment}
    with log.open("a", encoding="utf-8") as errors:
        if step.output is None:
            return subprocess.run(command, stdout=errors, stderr=errors, check=False, **call).returncode
        partial = step.output.with_suffix(".partial")
        with partial.open("wb") as out:
            code = subprocess.run(command, stdout=out, stderr=errors, check=False, **call).returncode
        if code == 0:
            partial.replace(step.output)
        return code


def describe_machine() -> str:
    """Return the machine and the versions that a step ran on."""
    found = [f"CPython {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join([f"{os.cpu_count()} cores", *_gpus(), platform.system(), *found])


def _gpus() -> list[str]:
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        named = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return named.split("\n")[:-1]
