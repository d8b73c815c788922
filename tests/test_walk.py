"""The walk of `salva evaluate`: which modules a reader opens to follow one command, its page included."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys

import pytest

from salva.rows import reviews
from tests.conftest import ROOT

REWRITING = ("lexicon", "text", "edits", "_kernels", "_presets", "transforms")  # words, kernels, presets
MOST = 50
# Code that is not optimised is that of a module or a class, which runs when it is imported.
PROGRAM = """
import atexit, json, sys, threading
from pathlib import Path
import salva
home = str(Path(salva.__file__).parent) + "/"
ran = {}

def look(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_filename.startswith(home):
        name = code.co_filename.removeprefix(home)
        while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        if frame is None:
            ran.setdefault(name)

def write():
    sys.setprofile(None)
    Path("ran.json").write_text(json.dumps([name for name in ran if name.endswith(".py")]))

atexit.register(write)
from salva.__main__ import run
threading.setprofile(look)
sys.setprofile(look)
run()
"""


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """The modules with a function that runs, in the order of their first call."""
    folder = tmp_path_factory.mktemp("walk")
    rows = reviews("test").to_pylist()
    with (folder / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    command = ["evaluate", "reviews.csv", "--model", "builtin:reviews", "-o", "run"]
    subprocess.run([sys.executable, "-c", PROGRAM, *command], cwd=folder, check=True, capture_output=True)
    ran = json.loads((folder / "ran.json").read_text("utf-8"))
    names = [name.removesuffix(".py").replace("/", ".") for name in ran]
    return [name for name in names if name.partition(".")[0] not in REWRITING]


def test_the_walk_is_told_in_the_design(walk):
    page = (ROOT / "docs/design/evaluation.md").read_text("utf-8")
    told = re.findall(r"^\d+\. `([\w.]+)`", page.partition("## What runs")[2].partition("\n## ")[0], re.M)
    assert sorted(told) == sorted(walk), "\n".join(walk)


def test_the_walk_is_short(walk):
    assert len(walk) <= MOST, "\n".join(walk)
