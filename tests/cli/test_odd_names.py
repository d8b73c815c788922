"""Files and folders whose names are not UTF-8."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from tests.cli.test_main import REVIEWS

ODD = os.fsdecode(b"caf\xe9")
ANSWERER = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": "same"}), flush=True)
"""

NONE = ("transform", "--preset", "none")


@pytest.fixture
def odd(salva, tmp_path):
    try:
        (tmp_path / ODD).mkdir()
    except OSError:
        pytest.skip("this file system has only names that are UTF-8")
    shutil.copy(REVIEWS, tmp_path / f"{ODD}.csv")
    return salva


def test_33_a_run_over_such_a_file_in_such_a_folder(odd, tmp_path):
    few = ["--model", "builtin:reviews", "--preset", "typos", "--severity", "1", "-R", "limit=20"]
    assert odd("evaluate", f"{ODD}.csv", *few, "-o", f"{ODD}/run").code == 0
    assert odd("evaluate", f"{ODD}.csv", *few, "-o", f"{ODD}/run", "--resume").code == 0
    assert odd("report", f"{ODD}/run", "-o", f"{ODD}/a.html", "--results", f"{ODD}/a.parquet").code == 0
    assert "caf\\udce9.csv" in (tmp_path / ODD / "a.html").read_text("utf-8")
    assert odd("report", f"{ODD}/run", "-S", "flips=3", "--json").code == 0
    assert odd("questions", f"{ODD}.csv", "-o", f"{ODD}/suite").code == 0
    assert odd("evaluate", f"{ODD}/suite", few[0], few[1], "-o", f"{ODD}/again").code == 0


def test_33_formats_that_arrow_opens(odd):
    for ending in ("parquet", "arrow"):
        assert odd(*NONE, f"{ODD}.csv", "-o", f"{ODD}.{ending}").code == 0
        assert odd(*NONE, f"{ODD}.{ending}", "-o", f"{ODD}/{ending}.csv").code == 0


def test_33_pairs_of_such_a_file(odd, tmp_path):
    (tmp_path / "answerer.py").write_text(ANSWERER)
    pairs = f"{ODD}.pairs.jsonl"
    assert odd("twins", "pair", f"{ODD}.csv", "--preset", "typos", "-o", pairs).code == 0
    model = f"command:{sys.executable} answerer.py"
    outcome = odd("evaluate", pairs, "--model", model, "-o", f"{ODD}/run", "-R", "limit=5")
    assert outcome.code == 0, outcome.err
