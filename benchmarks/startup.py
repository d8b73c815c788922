"""Start-up of `import salva`, of commands and of the lexicon, compared with the imports they need.

    python benchmarks/startup.py

Every figure is a ratio over many new processes, with the candidates taking turns in the same run: of medians,
and for whole commands of the least processor time, next to which is the peak memory.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from publish import publish

ROUNDS = 25
CODE = {
    "python": "pass",
    "imports": "import click, pyarrow",
    "salva": "import salva",
    "help": "from salva.cli.main import main; main(['--help'])",
}
INSIDE = {
    "pyarrow": "import pyarrow",
    "lexicon": "import pyarrow, pyarrow.compute; from salva.lexicon.wordnet import WordNet",
}
LOAD = "WordNet.load().synsets('film')"


def seconds(code: str) -> float:
    """Return how long a new process takes."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def seconds_inside(before: str, code: str) -> float:
    """Return how long a statement takes in a new process, not counting the code that runs before it."""
    timed = f"{before}\nimport time; t = time.perf_counter()\n{code}\nprint(time.perf_counter() - t)"
    return float(
        subprocess.run([sys.executable, "-c", timed], capture_output=True, check=True, text=True).stdout
    )


EVALUATE = """
import salva
rows = [{"text": text, "label": label} for text, label in [("A fine film.", "1"), ("A dull film.", "0")] * 3]
salva.evaluate(rows, model=lambda texts: ["1" if "fine" in text else "0" for text in texts])
"""
BARS = {"typos": (0.7, 110), "natural": (1.0, 150), "evaluate": (1.2, 200)}  # seconds and megabytes


def usage(arguments: list[str], folder: str) -> tuple[float, float]:
    """Return the processor time of a new process, and its peak memory in megabytes."""
    command = [sys.executable, *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, spent = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return spent.ru_utime + spent.ru_stime, spent.ru_maxrss / 1024


def commands() -> list[list[str]]:
    """Return the rows about whole commands."""
    run = ["-m", "salva", "transform", "two.csv", "-o", "out.csv", "-q", "--overwrite", "--preset"]
    some = {"imports": ["-c", "import click, pyarrow.compute"], "evaluate": ["-c", EVALUATE]}
    some |= {preset: [*run, preset] for preset in ("typos", "natural")}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "two.csv").write_text("text\nI loved this movie!\nA dull film.\n")
        measured = [{name: usage(arguments, folder) for name, arguments in some.items()} for _ in range(7)]
    floor = min(turn["imports"][0] for turn in measured)
    table = []
    for name, (most, megabytes) in BARS.items():
        spent, peak = min(turn[name][0] for turn in measured), max(turn[name][1] for turn in measured)
        what = "`salva.evaluate` of six rows" if name == "evaluate" else f"`salva transform --preset {name}`"
        figures = f"{spent / floor:.1f} ({spent:.2f} s; bar: {most} s), {peak:.0f} MB (bar: {megabytes} MB)"
        table.append([what, "`import click, pyarrow.compute`", figures])
    return table


def main() -> None:
    """Measure and publish."""
    whole: dict[str, list[float]] = {name: [] for name in CODE}
    arrow, load = [], []
    for _ in range(ROUNDS):
        for name, code in CODE.items():
            whole[name].append(seconds(code))
        arrow.append(seconds_inside("pass", INSIDE["pyarrow"]))
        load.append(seconds_inside(INSIDE["lexicon"], LOAD))
    median = {name: statistics.median(times) for name, times in whole.items()}
    imports = median["imports"] - median["python"]
    rows = [
        [
            "`import salva`",
            "`import click, pyarrow`",
            f"{(median['salva'] - median['python']) / imports:.2f}",
        ],
        ["`salva --help`", "`import click, pyarrow`", f"{(median['help'] - median['python']) / imports:.2f}"],
        [
            "loading WordNet and a first look-up",
            "`import pyarrow`",
            f"{statistics.median(load) / statistics.median(arrow):.2f}",
        ],
    ]
    publish("startup", ["what", "against", "times its time"], rows + commands())


if __name__ == "__main__":
    main()
