"""Evaluate a language model with `salva evaluate`: rewritten questions, other prompts, other option orders.

    python benchmarks/language_models/run.py [--work FOLDER] [--only NAME]… [--jobs N] [--limit N]

FOLDER (`build/language_models`) has `data/`, which `prepare.py` writes, and `smollm2/`, which `convert.py`
writes; each run gets a folder in `runs/`, and a log next to it. What is finished is not run again, and what
was stopped continues. Then `page.py` writes the tables.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path("benchmarks/language_models")
WORK = Path("build/language_models")
BY_LIKELIHOOD = ("-M", "choose_by=likelihood", "-M", "chat_template=false")
BY_CHARACTER = ("-M", "choose_by=likelihood-per-character", "-M", "chat_template=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run: its data and task, how the model answers, and how many orders of the options are asked."""

    about: str
    data: str
    task: str
    answered: str
    options: tuple[str, ...]
    orders: str = ""


RUNS = {
    "copa": Plan(
        about="Balanced COPA",
        data="copa",
        task="copa",
        answered="by likelihood (`acc`)",
        options=BY_LIKELIHOOD,
    ),
    "copa-per-character": Plan(
        about="Balanced COPA",
        data="copa",
        task="copa",
        answered="by likelihood per character (`acc_norm`)",
        options=BY_CHARACTER,
    ),
    "truthfulqa": Plan(
        about="TruthfulQA, best against incorrect answers",
        data="truthfulqa",
        task="truthfulqa",
        answered="by likelihood (`acc`)",
        options=BY_LIKELIHOOD,
    ),
    "truthfulqa-letters": Plan(
        about="TruthfulQA, answers listed",
        data="truthfulqa",
        task="truthfulqa-letters",
        answered="by reply",
        options=("-M", "max_new_tokens=16"),
        orders="4",
    ),
    "sports": Plan(
        about="BIG-Bench Hard, sports",
        data="sports",
        task="sports",
        answered="by reply",
        options=("-M", "max_new_tokens=16"),
        orders="all",
    ),
    "snarks": Plan(
        about="BIG-Bench Hard, snarks",
        data="snarks",
        task="snarks",
        answered="by reply",
        options=("-M", "max_new_tokens=16"),
        orders="all",
    ),
    "imdb": Plan(
        about="IMDB sentiment",
        data="imdb",
        task="imdb",
        answered="by reply",
        options=("-M", "max_new_tokens=16"),
    ),
    "gsm8k": Plan(
        about="GSM8K",
        data="gsm8k",
        task="gsm8k",
        answered="by reply",
        # With bfloat16, two thirds of these answers change when they are asked again in another batch.
        options=("-M", "max_new_tokens=256", "-S", "blame_calls=0", "-M", "dtype=float32"),
    ),
}


def command(name: str, work: Path = WORK) -> list[str]:
    """Return the command of a run, which is run in the root of the project."""
    plan = RUNS[name]
    orders = ("--axis", f"order={plan.orders}") if plan.orders else ()
    return [
        *("salva", "evaluate", f"{work}/data/{plan.data}.jsonl"),
        *("--task", f"{HERE}/tasks/{plan.task}.toml", "--model", f"hf:{work}/smollm2", *plan.options),
        *("--preset", "natural", "--preset", "misspellings", "--severity", "1"),
        *("--axis", f"prompts={HERE}/prompts/{plan.task}.toml", *orders),
        *("--id", "id", "-o", f"{work}/runs/{name}"),
    ]


def is_finished(folder: Path) -> bool:
    """Return whether a run has its results."""
    results = folder / "results.json"
    return results.is_file() and json.loads(results.read_text("utf-8"))["status"] == "success"


def describe_machine() -> str:
    """Return what the runs were made on."""
    import torch

    where = "the CPU" if not torch.cuda.is_available() else f"one {torch.cuda.get_device_name()}"
    packages = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
    return f"Measured on {where} with {packages}."


def run(name: str, work: Path, more: list[str]) -> int:
    """Make or continue a run; return its exit code."""
    folder = ROOT / work / "runs" / name
    if is_finished(folder):
        print(f"{name}: finished before", flush=True)
        return 0
    folder.parent.mkdir(parents=True, exist_ok=True)
    resume = ["--resume"] if (folder / "run.json").is_file() else []
    line = [*command(name, work), *more, *resume]
    begun = time.perf_counter()
    with Path(f"{folder}.log").open("w", encoding="utf-8") as log:
        print(shlex.join(line), file=log, flush=True)
        done = subprocess.run(
            [sys.executable, "-m", *line], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, check=False
        )
    print(f"{name}: exit code {done.returncode}, {time.perf_counter() - begun:.0f} s", flush=True)
    return done.returncode


def main() -> None:
    """Make all runs that are not finished."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--work", type=Path, default=WORK)
    parser.add_argument("--only", action="append", choices=RUNS, metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--limit", type=int, help="only the first questions; no page is made of such runs")
    given = parser.parse_args()
    more = [] if given.limit is None else ["-R", f"limit={given.limit}"]
    with ThreadPoolExecutor(given.jobs) as pool:
        # The last ones take longest, so they begin first.
        names = reversed(given.only or list(RUNS))
        codes = list(pool.map(lambda name: run(name, given.work, more), names))
    (ROOT / given.work / "runs/machine.txt").write_text(f"{describe_machine()}\n", "utf-8")
    sys.exit(max(codes))


if __name__ == "__main__":
    main()
