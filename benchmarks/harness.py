"""Choosing by likelihood against lm-evaluation-harness: the same model, questions and machine, in one run.

    python benchmarks/harness.py MODEL DATA [--limit N] [--samples FILE]

MODEL is the folder that `language_models/convert.py` wrote, DATA the `copa.jsonl` of
`language_models/prepare.py`. Needs `pip install lm-eval 'salva[hf]'`. Both get the prompts without a chat
template, as the harness does by default.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hugging_face import place
from publish import publish
from salva._torch import find_device
from salva.asking.pipeline import query
from salva.models import ModelOptions, Prompt
from salva.models.hugging_face_text import HuggingFaceChooser
from salva.models.protocol import LIKELIHOOD, PER_CHARACTER, Answer
from salva.tasks import read_task

TASK = Path(__file__).parent / "language_models/tasks/copa.toml"
TURNS = {"cpu": 1, "cuda": 5}
WARM = 16  # questions that are asked before the clock starts
BAR = 5.0
# What is compared: the settings of the harness's `hf` model, and its batch size.
SETTINGS: dict[str, tuple[dict[str, str], int | str]] = {
    "default settings (the numbers of the folder, batches of 1)": ({}, 1),
    "dtype=float32, batches of 1": ({"dtype": "float32"}, 1),
    "batch_size=auto": ({}, "auto"),
    "dtype=float32, batch_size=auto": ({"dtype": "float32"}, "auto"),
}


class Outcome(NamedTuple):
    """The log-likelihoods of both options of every question, and how long they took."""

    scores: np.ndarray[Any, np.dtype[np.float64]]
    seconds: float

    def answers(self, lengths: np.ndarray[Any, np.dtype[np.float64]] | None = None) -> list[int]:
        """Return the chosen options; with lengths, per character."""
        scores = self.scores if lengths is None else self.scores / lengths
        return [int(best) for best in scores.argmax(axis=1)]


class KeepingChooser(HuggingFaceChooser):
    """The model of an evaluation, which also keeps the log-likelihoods."""

    kept: list[list[float]]

    def _best(self, text: Any, scores: Any) -> Answer:
        self.kept.append(list(map(float, scores)))
        return super()._best(text, scores)


class Documents(list[dict[str, Any]]):
    """Questions in the form that the harness expects of a data set."""

    @property
    def features(self) -> dict[str, type]:
        """The names of the columns."""
        return {name: type(value) for name, value in self[0].items()}


@dataclass
class Timed:
    """A method that is timed; the harness calls it with all requests at once."""

    method: Any
    seconds: float = 0.0

    def __call__(self, requests: Sequence[Any], **options: Any) -> Any:
        """Call the method."""
        begun = time.perf_counter()
        found = self.method(requests, **options)
        self.seconds = time.perf_counter() - begun
        return found


def read_rows(path: Path, limit: int | None) -> list[dict[str, Any]]:
    """Return the questions."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()][:limit]


def prompts_of(rows: list[dict[str, Any]]) -> list[Prompt]:
    """Return the questions as an evaluation asks them."""
    task = read_task(TASK)
    filled = [task.fill({name: str(value) for name, value in row.items()}) for row in rows]
    return [question.prompt for question in filled if question is not None]


def ours(folder: Path, rows: list[dict[str, Any]], way: str) -> tuple[Outcome, list[str | None]]:
    """Ask as an evaluation does; return the median time, and the options that were chosen."""
    model = KeepingChooser(folder, "hf", ModelOptions(choose_by=way, chat_template=False))
    model.kept = []
    prompts = prompts_of(rows)
    query(model, prompts[:WARM])
    times: list[float] = []
    for _ in range(TURNS[find_device(None).type]):
        model.kept = []
        begun = time.perf_counter()
        labels = []
        for first in range(0, len(prompts), model.batch_size):
            labels += query(model, prompts[first : first + model.batch_size]).labels
        times.append(time.perf_counter() - begun)
    return Outcome(np.array(model.kept), statistics.median(times)), labels


def harness_task(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the task of the harness: the same prompts, and the same options after a space."""
    return {
        "task": "copa_of_salva",
        "custom_dataset": lambda **_: {"test": Documents(rows)},
        "output_type": "multiple_choice",
        "test_split": "test",
        "doc_to_text": "{{premise}} {{link}}",
        "doc_to_choice": "{{[first, second]}}",
        "doc_to_target": "{{answer - 1}}",
        "metric_list": [{"metric": name} for name in ("acc", "acc_norm")],
        "metadata": {"version": 1},
    }


def theirs(
    folder: Path, rows: list[dict[str, Any]], settings: dict[str, str], batch_size: int | str
) -> tuple[Outcome, dict[str, float]]:
    """Ask the harness; return the time of its model alone, and its accuracies."""
    import torch
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = HFLM(pretrained=str(folder), device=device, batch_size=batch_size, **settings)
    tasks = TaskManager(include_defaults=False)
    timed = Timed(model.loglikelihood)
    model.loglikelihood = timed
    for some in (rows[:WARM], rows):
        found = simple_evaluate(
            model, tasks=[harness_task(some)], task_manager=tasks, bootstrap_iters=0, log_samples=True
        )
    samples = sorted(found["samples"]["copa_of_salva"], key=lambda sample: sample["doc_id"])
    scores = [[reply[0][0] for reply in sample["resps"]] for sample in samples]
    accuracies = {name: found["results"]["copa_of_salva"][f"{name},none"] for name in ("acc", "acc_norm")}
    return Outcome(np.array(scores, dtype=np.float64), timed.seconds), accuracies


def compare(rows: list[dict[str, Any]], own: Outcome, other: Outcome) -> tuple[int, int, float]:
    """Return how many answers are equal, by sum and per character, and the largest difference of the sums."""
    lengths = np.array([[len(row["first"]), len(row["second"])] for row in rows], dtype=np.float64)
    same = [
        sum(a == b for a, b in zip(own.answers(per), other.answers(per), strict=True))
        for per in (None, lengths)
    ]
    return same[0], same[1], float(np.abs(own.scores - other.scores).max())


def measured(folder: Path, rows: list[dict[str, Any]]) -> tuple[list[list[str]], dict[str, Any]]:
    """Return the rows of the table, and everything item by item."""
    own, chosen = ours(folder, rows, LIKELIHOOD)
    _, per_character = ours(folder, rows, PER_CHARACTER)
    targets = [row[("first", "second")[row["answer"] - 1]] for row in rows]
    right = [sum(map(str.__eq__, targets, map(str, labels))) for labels in (chosen, per_character)]
    speed = f"{len(rows) / own.seconds:,.1f} questions/s"
    acc, acc_norm = (f"{100 * count / len(rows):.1f} %" for count in right)
    table = [["Salva, `-M choose_by=likelihood`", speed, "", "", f"{acc}, {acc_norm}", ""]]
    items: dict[str, Any] = {"ids": [row["id"] for row in rows], "salva": own.scores.tolist()}
    for name, (settings, batch_size) in SETTINGS.items():
        other, found = theirs(folder, rows, settings, batch_size)
        items[name] = other.scores.tolist()
        equal, equal_norm, apart = compare(rows, own, other)
        table.append(
            [
                f"the harness, {name}",
                f"{len(rows) / other.seconds:,.1f} questions/s",
                f"{other.seconds / own.seconds:.1f}",
                f"{equal:,} and {equal_norm:,} of {len(rows):,}",
                f"{100 * found['acc']:.1f} %, {100 * found['acc_norm']:.1f} %",
                f"{apart:.2g}",
            ]
        )
        print("\t".join(table[-1]), flush=True)
    return table, items


def main() -> None:
    """Measure, and publish what a GPU gave for all questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--samples", type=Path, help="write all log-likelihoods to this JSON file")
    given = parser.parse_args()
    import torch

    rows = read_rows(given.data, given.limit)
    table, items = measured(given.model, rows)
    if given.samples:
        given.samples.write_text(json.dumps(items), "utf-8")
    on_gpu = torch.cuda.is_available()
    where = place("cuda" if on_gpu else "cpu").replace(", bfloat16", "")
    about = f"{len(rows):,} questions of Balanced COPA with two options, SmolLM2-135M-Instruct, on {where}"
    versions = f"lm-eval {version('lm-eval')}, transformers {version('transformers')}"
    table.append([f"{about}; {versions}", f"bar: {BAR:g} times", "", "", "", ""])
    columns = ["what", "speed", "Salva is faster by", "equal answers", "acc, acc_norm", "largest difference"]
    if on_gpu and given.limit is None:
        publish("harness", columns, table)
    else:
        print("\n".join("\t".join(row) for row in [columns, *table]))


if __name__ == "__main__":
    main()
