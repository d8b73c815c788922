"""The folder of a run with a damaged file: it is shown, compared and scored again, or refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import example
from hypothesis import strategies as st

import salva
from salva._results import load_result
from salva.evaluation import rescore
from salva.evaluation.results import Results
from salva.numbers import Estimate
from salva.rows import reviews
from tests.flat import flat
from tests.fuzz.strategies import damaged, fuzz, json_values, one_line_errors

FILES = [
    *("run.json", "results.json", "timings.json", "flips.parquet", "answers.parquet", "answers.db"),
    *("questions/table.json", "questions/made-0000.parquet", "questions/repeated.parquet"),
]
TOKENS = [
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"-1",
    b"1e999",
    b"9" * 400,
    b"true",
    b'"typos"',
    b'"typos@1"',
    b"0.5",
]


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run in a folder, and next to it a copy to damage."""
    return make_run(tmp_path_factory.mktemp("run"))


def make_run(home: Path) -> Path:
    texts = reviews("test").slice(0, 12)
    how = {"presets": ["typos"], "severities": [1.0], "options": flat(resamples=200, noise=2)}
    salva.evaluate(texts, "builtin:reviews", out=home / "whole", **how)
    return home / "whole"


def check(folder: Path, whole: Path) -> None:
    """Do with the run in a folder what commands do with one."""
    with one_line_errors():
        run = salva.load_run(folder)
        run.summary()
        run.report(folder / "page.html", overwrite=True)
        run.table()
    with one_line_errors():
        assert salva.load_run(folder).answers.num_rows >= 0
    with one_line_errors():
        salva.compare(whole, folder)
    with one_line_errors():
        rescore(folder, drop_limit=2.0)


@fuzz(name=st.sampled_from(FILES), data=st.data())
def test_a_damaged_file_of_a_run_is_one_line(tmp_path_factory, whole, name, data):
    folder = tmp_path_factory.getbasetemp() / "damaged_run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    tokens = TOKENS if name.endswith(".json") else []
    (folder / name).write_bytes(data.draw(damaged([(whole / name).read_bytes()], tokens)))
    check(folder, whole)


@example(value={"value": 10**400, "low": None, "high": None})
@fuzz(value=json_values)
def test_any_json_is_a_result_or_refused(value):
    for result in (Estimate, Results):
        with one_line_errors():
            load_result("results.json", result, value)
