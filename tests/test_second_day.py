"""The second day of a user, with the real commands: mend, kill, resume, score again, compare, gate."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys

import nbformat
import pytest

from salva.rows import reviews

# Answers by words, counts the texts it was asked about, and waits after the first call if it is told to.
MODELS = """
import csv, os, time

def _answer(texts, good):
    with open("asked", "a") as log:
        log.write("x" * len(texts))
    if os.environ.get("WAIT") and os.path.getsize("asked") > len(texts):
        open("waiting", "w").close()
        time.sleep(600)
    return ["POS" if sum(word in text for word in good) > 1 else "NEG" for text in texts]

def shop(texts):
    return _answer(texts, ("good", "great", "love", "best", "fine", "film"))

def careful(texts):
    return _answer([text.lower() for text in texts], ("good", "great", "love", "best", "fine", "film"))

def by_heart(texts):
    with open("reviews.csv", newline="", encoding="utf-8") as stream:
        known = dict(csv.reader(stream))
    return [known.get(text, "negative")[:3].upper() for text in texts]
"""
QUICK = ("--preset", "typos", "--severity", "1", "-S", "noise=5", "-S", "blame_calls=4")
FLAGS = ("--label-map", "NEG=negative", "--label-map", "POS=positive")
NOTEBOOK = """
import salva
run = salva.load_run("run")
run
---
run.table().to_pandas()
---
salva.compare("run", "careful", "linear")
---
reviews = salva.rows.reviews("test").slice(0, 20)
salva.evaluate(reviews, "builtin:reviews", presets="typos", severities=1.0, progress=True)
"""
EXECUTE = """
import sys, nbclient, nbformat
notebook = nbformat.read("notebook.ipynb", as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
nbformat.write(notebook, "notebook.ipynb")
"""


class User:
    """Types commands in a folder; each is a process of its own."""

    def __init__(self, folder) -> None:
        self.folder = folder
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
        self.environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "80"}

    def start(self, *arguments, **more):
        command = [sys.executable, "-m", "salva", *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, cwd=self.folder, env={**self.environment, **more}, **pipes)

    def type(self, *arguments, code=0):
        started = self.start(*arguments)
        out, err = started.communicate(timeout=300)
        assert started.returncode == code, f"{arguments}: {started.returncode}\n{out}\n{err}"
        return out + err

    def evaluate(self, model, folder, *more, code=0):
        return self.type("evaluate", "reviews.csv", "--model", model, "-o", folder, *QUICK, *more, code=code)

    def asked(self):
        return (self.folder / "asked").stat().st_size


@pytest.fixture
def user(tmp_path):
    (tmp_path / "shop_models.py").write_text(MODELS)
    with (tmp_path / "reviews.csv").open("w", newline="", encoding="utf-8") as stream:
        rows = reviews("test").slice(0, 80).to_pylist()
        csv.writer(stream).writerows([("text", "label"), *((row["text"], row["label"]) for row in rows)])
    return User(tmp_path)


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_the_second_day_has_no_dead_end(user):
    mend(user)
    kill_and_resume(user)
    score_again(user)
    compare_three(user)
    gate(user)
    execute_notebook(user)


def mend(user):
    """The labels do not match; the flags of the message are pasted, and the run goes on."""
    message = user.evaluate("python:shop_models:shop", "run", code=3)
    pasted = re.findall(r"--label-map \w+=\w+", message)
    assert "--resume" in message
    assert [part for flag in pasted for part in flag.split()] == list(FLAGS)
    already = user.asked()
    user.evaluate("python:shop_models:shop", "run", "--resume", *FLAGS)
    assert (user.folder / "run/report.html").is_file()
    assert already < user.asked()


def kill_and_resume(user):
    """A run that is killed while the model works goes on with the same bytes."""
    (user.folder / "asked").unlink()
    model = ("--model", "python:shop_models:shop", "-o", "killed")
    command = ("evaluate", "reviews.csv", *model, *QUICK, *FLAGS)
    stopped = user.start(*command, WAIT="1")
    while not (user.folder / "waiting").exists():
        assert stopped.poll() is None, stopped.communicate()
        try:
            stopped.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    stopped.send_signal(signal.SIGKILL)
    stopped.communicate()
    assert not (user.folder / "killed/results.json").exists()
    user.type(*command, "--resume")
    whole = (user.folder / "run/results.json").read_bytes()
    assert (user.folder / "killed/results.json").read_bytes() == whole


def score_again(user):
    """Another limit needs no model."""
    asked = user.asked()
    user.type("report", "killed", "--drop-limit", "0.5")
    results = json.loads((user.folder / "killed/results.json").read_text("utf-8"))
    assert results["settings"]["drop_limit"] == 0.5
    assert user.asked() == asked


def compare_three(user):
    user.evaluate("python:shop_models:careful", "careful", *FLAGS)
    user.evaluate("builtin:reviews", "linear")
    asked = user.asked()
    shown = user.type("compare", "run", "careful", "linear")
    assert "3 models on reviews.csv: 80 rows in all runs" in shown
    assert "corrected over 6 comparisons" in shown
    assert max(map(len, shown.splitlines())) <= 80
    user.type("compare", "run", "careful", "linear", "-o", "compare.html")
    assert "Differences between models" in (user.folder / "compare.html").read_text("utf-8")
    assert user.asked() == asked


def gate(user):
    """The same model passes; one that drops more than the baseline does not."""
    rule = ("--baseline", "run", "--fail-if", "drop_change.low > 1")
    user.evaluate("python:shop_models:shop", "again", *FLAGS)
    user.type("report", "again", *rule)
    user.evaluate("python:shop_models:by_heart", "worse", *FLAGS)
    broken = user.type("report", "worse", *rule, code=1)
    assert "drop_change.low" in broken


def execute_notebook(user):
    """Cells of a notebook show a few lines each."""
    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in NOTEBOOK.split("---\n")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), user.folder / "notebook.ipynb")
    command = [sys.executable, "-c", EXECUTE]
    subprocess.run(command, cwd=user.folder, env=user.environment, check=True, timeout=600)
    executed = nbformat.read(user.folder / "notebook.ipynb", as_version=4)
    for cell in executed.cells:
        (result,) = [output for output in cell.outputs if output.output_type == "execute_result"]
        assert len(result.data["text/plain"]) < 4000, cell.source
        assert not [output for output in cell.outputs if output.output_type == "error"]
