"""The commands that write: their inputs, an older state to replace, and how to finish them after a fault.

Everything that a command writes is below `out`. A new command is one more entry in `SCENARIOS`, and every
fault is tried on it; a command that is there already, with other options, is an entry in `KILLED`.
"""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from salva.questions import make_questions
from salva.rows import reviews
from salva.twins.pcfg.pairing import make_pairs, write_pairs
from tests.flat import flat
from tests.outliers.small_sets import many_sets, written

# The model notes what it is asked next to the folder of the test, where writing is no step of the command. If
# it is slow, each batch is in the log before the next one is asked: those within 20 ms are written together.
MODEL = """
import json, os, pathlib, time


def noting(name, texts):
    here = pathlib.Path.cwd()
    line = json.dumps([name, list(map(str, texts))]) + "\\n"
    calls = os.open(here.with_name(f"{here.name}.calls"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(calls, line.encode())  # a kill does not cut it
    os.close(calls)
    if pathlib.Path("slow").exists():
        time.sleep(0.025)


def classify(texts):
    noting("classify", texts)
    return ["positive" if "great" in text or "good" in text else "negative" for text in texts]


def answer(texts):
    noting("answer", texts)
    return [text.rpartition(" ")[2] for text in texts]


def reply(prompts):
    noting("reply", prompts)
    return ["yes" if len(prompt) % 3 else "no" for prompt in prompts]


def judge(prompts):
    noting("judge", prompts)
    return [("good", "fair", "bad")[len(prompt) % 3] for prompt in prompts]
"""
PROMPTS = """
[terse]
prompt = "{question} Yes or no:"
"""
JUDGED = """
prompt = "{question}"
edit = ["question"]
target = "answer"

[answer]
kind = "judge"
rubric = "{question} {reply} {target}"

[answer.verdicts]
good = 1
fair = 0.5
bad = 0
"""
SCRATCH = (".tmp-", ".lock")
# Not the same after every run: how long it took, and the pages of a database.
VARYING = ("timings.json", "answers.db", "answers.db-wal", "answers.db-shm", "answers.db-journal")

RENEWED = "out/run/questions/table.json"  # when all questions are made; before, there is no `data` in it


class Scenario(NamedTuple):
    """A command, and how a user finishes it after a fault."""

    prepare: Callable[[Path], None]
    command: tuple[str, ...]
    again: tuple[str, ...] = ()  # what is added to the command to finish it
    older: tuple[str, ...] = ()  # the command that makes an older state, which this one replaces
    clears: bool = False  # whether the command removes the older state before it has a new one

    @property
    def finish(self) -> tuple[str, ...]:
        return (*self.command, *self.again)


def make_data(folder: Path, rows: int = 24) -> None:
    with (folder / "in.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, ["id", "text", "label"])
        table.writeheader()
        table.writerows(reviews("test").slice(0, rows).to_pylist())
    (folder / "model.py").write_text(MODEL)


def make_many(folder: Path) -> None:
    """Make short rows for two parts of the table: the first has 2,048 items."""
    words = ("great", "dull", "good", "bad", "fine", "odd", "long")
    with (folder / "in.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "text", "label"])
        for n in range(2600):
            label = "negative" if n % 5 else "positive"
            table.writerow([n, f"film {n} is not {words[n % 7]}", label])
    (folder / "model.py").write_text(MODEL)


def make_parts(folder: Path) -> None:
    make_data(folder)
    (folder / "parts").mkdir()
    header, *rows = (folder / "in.csv").read_text("utf-8").splitlines(keepends=True)
    for number in range(3):
        (folder / f"parts/{number}.csv").write_text(
            header + "".join(rows[number * 8 : number * 8 + 8]), "utf-8"
        )


def make_sets(folder: Path) -> None:
    written(many_sets(3), folder / "sets")
    words = [word for one in many_sets(3) for word in one.words]
    vectors = np.random.default_rng(0).normal(size=(len(words), 8)).round(3)
    lines = [f"{word} {' '.join(map(str, vector))}\n" for word, vector in zip(words, vectors, strict=True)]
    (folder / "vectors.txt").write_text("".join(lines))


def make_asked(folder: Path) -> None:
    with (folder / "in.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "question", "answer", "other"])
        for n in range(12):
            other = f"Do you call {n} odd?" if n % 2 else ""
            table.writerow([n, f"Is {n} really an odd number, my friend?", "yes" if n % 2 else "no", other])
    (folder / "prompts.toml").write_text(PROMPTS)
    (folder / "judged.toml").write_text(JUDGED)
    (folder / "model.py").write_text(MODEL)


def make_suite(folder: Path) -> None:
    rows = [{"id": str(n), "question": f"Is {n} an odd number?", "answer": "yes"} for n in range(12)]
    make_questions(
        rows,
        out=folder / "questions",
        task="yes-no",
        presets=["case", "typos"],
        severities=1.0,
        options=flat(),
    )
    (folder / "model.py").write_text(MODEL)


def make_twins(folder: Path) -> None:
    lines = [f"repeat A{i} B1" for i in range(1, 13)]
    write_pairs(folder / "pairs", make_pairs(lines, functions=("repeat",)))
    (folder / "model.py").write_text(MODEL)


_TRANSFORM = (
    *("transform", "in.csv", "-o", "out/data.csv", "--preset", "typos", "--render", "splice"),
    *("--edits", "out/edits.parquet"),
)
_FOLDER = ("transform", "parts", "-o", "out/data", "--edits", "out/edits", *_TRANSFORM[4:8])


def _evaluate(data: str, model: str, *more: str) -> tuple[str, ...]:
    usual = ("-M", "batch_size=12", "-S", "noise=4", "-S", "alone=2", "-S", "flips=4")
    return ("evaluate", data, "--model", f"python:model:{model}", "-o", "out/run", *usual, *more)


_TYPOS = ("--preset", "typos", "--severity", "1")
_EVALUATE = _evaluate("in.csv", "classify", *_TYPOS)
_MANY = _evaluate("in.csv", "classify", "--preset", "misspellings", "--severity", "1", "-M", "batch_size=512")
_CONTRAST = _evaluate(
    *("in.csv", "classify", "--preset", "negation", *_TYPOS),
    *("-S", "opposites=positive/negative", "-S", "slice_by=label"),
)
_ASK = _evaluate("in.csv", "reply", *_TYPOS, "-S", "cross=true")
_AXES = (*_ASK, "--task", "yes-no", "--axis", "prompts=prompts.toml", "--axis", "repeat=1")
_JUDGE = (*_ASK, "--task", "judged.toml", "--judge", "python:model:judge", "--axis", "variants=other")
_REPORT = ("report", "out/run", "-S", "noise=2", "-S", "flips=1", "--drop-limit", "1")
_QUESTIONS = ("questions", "in.csv", "-o", "out/suite", *_TYPOS)
_EXPORT = ("questions", "questions", "--to", "lm-eval", "-o", "out/tasks")
_SCORE = ("outliers", "score", "sets", "--vectors", "vectors.txt", "-o", "out/page.html")
_GENERATE = ("twins", "generate", "-o", "out/corpus", "--lines", "60", "--no-conditions")
_AGAIN, _OVER, _SEED = ("--resume",), ("--overwrite",), ("--seed", "1")

SCENARIOS: Mapping[str, Scenario] = {
    "transform": Scenario(make_data, _TRANSFORM),
    "transform-over": Scenario(make_data, (*_TRANSFORM, *_OVER), older=(*_TRANSFORM, *_SEED)),
    "transform-folder": Scenario(make_parts, _FOLDER, again=_AGAIN),
    "evaluate": Scenario(make_data, _EVALUATE, again=_AGAIN),
    "evaluate-over": Scenario(make_data, (*_EVALUATE, *_OVER), older=(*_EVALUATE, *_SEED), clears=True),
    "evaluate-suite": Scenario(make_suite, _evaluate("questions", "reply"), again=_AGAIN),
    "evaluate-pairs": Scenario(make_twins, _evaluate("pairs", "answer"), again=_AGAIN),
    "questions": Scenario(make_data, _QUESTIONS),
    "questions-over": Scenario(make_data, (*_QUESTIONS, *_OVER), older=(*_QUESTIONS, *_SEED)),
    "questions-export": Scenario(make_suite, _EXPORT),
    "report": Scenario(make_data, _REPORT, older=_EVALUATE),
    "outliers": Scenario(make_sets, _SCORE),
    "outliers-over": Scenario(make_sets, (*_SCORE, *_OVER), older=(*_SCORE, "--policy", "hamod")),
    "twins-generate": Scenario(make_twins, _GENERATE),
    "twins-generate-over": Scenario(make_twins, (*_GENERATE, *_OVER), older=(*_GENERATE, *_SEED)),
}

# Further ways of commands that are above: killed at some steps and at random moments, and no more.
KILLED: Mapping[str, Scenario] = {
    "evaluate-axes": Scenario(make_asked, _AXES, again=_AGAIN),
    "evaluate-judge": Scenario(make_asked, _JUDGE, again=_AGAIN),
    "evaluate-contrast": Scenario(make_data, _CONTRAST, again=_AGAIN),
    "evaluate-parts": Scenario(make_many, _MANY, again=_AGAIN),
}
ALL: Mapping[str, Scenario] = {**SCENARIOS, **KILLED}


def state(folder: Path) -> dict[str, bytes]:
    """Return what a command has written so far, by path, without what varies from run to run."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "out").rglob("*"))
        if path.is_file() and path.name not in VARYING and not any(map(_is_scratch, path.parts))
    }


def _is_scratch(name: str) -> bool:
    return name.startswith(SCRATCH)


def scraps(folder: Path) -> list[str]:
    """Return the temporary files that are left."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob(".tmp-*"))


def calls(folder: Path) -> list[int]:
    """Return the sizes of the batches that the models got in a folder, in any process."""
    place = folder.with_name(f"{folder.name}.calls")
    lines = place.read_text("utf-8").splitlines() if place.exists() else []
    return [len(json.loads(line)[1]) for line in lines]


def answers(folder: Path) -> Counter[tuple[str, bytes, str | None, str]]:
    """Return the answers in the log of a run: model, key, reply and status, and how often each is there.

    SQLite would tidy up the log by reading it, so a copy is read.
    """
    with tempfile.TemporaryDirectory() as scratch:
        for path in (folder / "out/run").glob("answers.db*"):
            shutil.copy(path, scratch)
        copy = Path(scratch, "answers.db")
        if not copy.exists():
            return Counter()
        no_table = contextlib.suppress(sqlite3.OperationalError)
        with contextlib.closing(sqlite3.connect(copy)) as log, no_table:
            return Counter(log.execute("SELECT model, key, reply, status FROM log"))
    return Counter()
