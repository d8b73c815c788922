"""A worker that dies: the program that answers is killed, or takes more memory than it may."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.faults.scenarios import make_data, state

WORKER = """
import json, os, pathlib, resource, sys

for line in sys.stdin:
    asked = json.loads(line)
    for how in ("kill", "memory"):
        once = pathlib.Path(f"{how}-once")
        if once.exists():
            once.unlink()
            if how == "kill":
                os.kill(os.getpid(), 9)
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
            bytearray(1 << 31)
    if pathlib.Path("kill-always").exists() and asked["text"].startswith("Lean, mean"):
        os.kill(os.getpid(), 9)
    label = "positive" if "great" in asked["text"] else "negative"
    print(json.dumps({"id": asked["id"], "label": label}), flush=True)
"""
COMMAND = shlex.join([sys.executable, "worker.py"])
RUN = ("evaluate", "in.csv", "--model", f"command:{COMMAND}", "-o", "out/run", "--preset", "typos")
OPTIONS = ("--severity", "1", "-S", "noise=0", "-S", "blame_calls=0")


def run(lab, folder: Path, *files: str):
    (folder / "out").mkdir(parents=True)
    make_data(folder)
    (folder / "worker.py").write_text(WORKER)
    for name in files:
        (folder / name).touch()
    return lab.program.run(folder, *RUN, *OPTIONS)


@pytest.mark.parametrize("how", ["kill-once", "memory-once"])
def test_a_worker_that_is_killed_once_changes_no_byte(lab, tmp_path, how):
    assert run(lab, tmp_path / "clean").code == 0
    ended = run(lab, tmp_path / "spoilt", how)
    assert ended.code == 0, ended.err
    assert state(tmp_path / "spoilt") == state(tmp_path / "clean")


def test_a_text_on_which_the_worker_always_dies_fails_by_its_row(lab, tmp_path):
    ended = run(lab, tmp_path, "kill-always")
    assert ended.code == 0, ended.err
    failed = json.loads((tmp_path / "out/run/results.json").read_text())["failed"]
    assert "died (signal 9)" in json.dumps(failed)
