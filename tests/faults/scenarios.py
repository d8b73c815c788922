"""The commands that write: their inputs, an older state to replace, and how to finish them after a fault.

Everything that a command writes is below `out`. A new command is one more entry in `SCENARIOS`, and every
fault is tried on it; a command that is there already, with other options, is an entry in `KILLED`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from salva.evaluation import freeze
from salva.rows import reviews
from salva.twins.pcfg.pairing import make_pairs, write_pairs
from tests.outliers.small_sets import many_sets, written

MODEL = """
def classify(texts):
    return ["positive" if "great" in text or "good" in text else "negative" for text in texts]


def answer(texts):
    return [text.rpartition(" ")[2] for text in texts]


def reply(prompts):
    return ["yes" if len(prompt) % 3 else "no" for prompt in prompts]


def judge(prompts):
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
VARYING = ("timings.json", "run.db", "run.db-wal", "run.db-shm", "run.db-journal")


class Scenario(NamedTuple):
    """A command, and how a user finishes it after a fault."""

    prepare: Callable[[Path], None]
    command: tuple[str, ...]
    again: tuple[str, ...] = ()  # what is added to the command to finish it
    older: tuple[str, ...] | None = None  # what is added to make an older state, which the command replaces
    clears: bool = False  # whether the command removes the older state before it has a new one
    shared: bool = True  # whether two of these commands may run at the same time

    @property
    def finish(self) -> tuple[str, ...]:
        return (*self.command, *self.again)


def make_data(folder: Path) -> None:
    with (folder / "in.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, ["id", "text", "label"])
        table.writeheader()
        table.writerows(reviews("test").slice(0, 24).to_pylist())
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


def make_questions(folder: Path) -> None:
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
    rows = [{"id": str(n), "question": f"Is {n} an odd number?", "answer": "yes"} for n in range(8)]
    freeze(rows, folder / "questions", task="yes-no", presets="case", severities=1.0)


def make_twins(folder: Path) -> None:
    lines = [f"repeat A{i} B1" for i in range(1, 13)]
    write_pairs(folder / "pairs", make_pairs(lines, functions=("repeat",)))
    (folder / "model.py").write_text(MODEL)


_TRANSFORM = (
    *("transform", "in.csv", "-o", "out/data.csv", "--preset", "typos", "--render", "splice"),
    *("--edits", "out/edits.parquet"),
)
_FOLDER = ("transform", "parts", "-o", "out/data", "--edits", "out/edits", *_TRANSFORM[4:8])
_EVALUATE = (
    *("evaluate", "in.csv", "--model", "python:model:classify", "-o", "out/run", "--preset", "typos"),
    *("--severity", "1", "--batch-size", "12", "--noise", "4", "--flips", "4"),
)
_ASK = (
    *("evaluate", "in.csv", "--model", "python:model:reply", "-o", "out/run", "--preset", "typos"),
    *("--severity", "1", "--batch-size", "12", "--noise", "4", "--flips", "4", "--cross"),
)
_AXES = (*_ASK, "--task", "yes-no", "--axis", "prompts=prompts.toml", "--axis", "repeat=1")
_JUDGE = (*_ASK, "--task", "judged.toml", "--judge", "python:model:judge", "--axis", "variants=other")
_SCORE = ("outliers", "score", "sets", "--vectors", "vectors.txt", "-o", "out/page.html")
_TWINS = ("twins", "run", "pairs", "--model", "python:model:answer", "-o", "out/run", "--noise", "4")
_GENERATE = ("twins", "generate", "-o", "out/corpus", "--lines", "60", "--no-conditions")
_SUITE = ("suite", "freeze", "in.csv", "-o", "out/suite", "--preset", "typos", "--severity", "1")
_EXPORT = ("suite", "export", "questions", "--to", "lm-eval", "-o", "out/tasks")
_OVER = "--overwrite"

SCENARIOS: Mapping[str, Scenario] = {
    "transform": Scenario(make_data, _TRANSFORM),
    "transform-over": Scenario(make_data, (*_TRANSFORM, _OVER), older=("--seed", "1")),
    "transform-folder": Scenario(make_parts, _FOLDER, again=("--resume",)),
    "evaluate": Scenario(make_data, _EVALUATE, again=("--resume",), shared=False),
    "evaluate-over": Scenario(
        make_data, (*_EVALUATE, _OVER), older=("--seed", "1"), clears=True, shared=False
    ),
    "outliers": Scenario(make_sets, _SCORE),
    "outliers-over": Scenario(make_sets, (*_SCORE, _OVER), older=("--policy", "hamod")),
    "twins": Scenario(make_twins, _TWINS, again=("--resume",), shared=False),
    "suite-export": Scenario(make_suite, _EXPORT),
    "suite": Scenario(make_data, _SUITE),
    "suite-over": Scenario(make_data, (*_SUITE, _OVER), older=("--seed", "1")),
    "twins-generate": Scenario(make_twins, _GENERATE),
    "twins-generate-over": Scenario(make_twins, (*_GENERATE, _OVER), older=("--seed", "1")),
}

# Further ways of commands that are above: killed at some steps and at random moments, and no more.
KILLED: Mapping[str, Scenario] = {
    "evaluate-axes": Scenario(make_questions, _AXES, again=("--resume",), shared=False),
    "evaluate-judge": Scenario(make_questions, _JUDGE, again=("--resume",), shared=False),
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
