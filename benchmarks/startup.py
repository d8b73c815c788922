"""Start-up time of `import salva`, `salva --help` and the lexicon, compared with the imports they need.

    python benchmarks/startup.py

Every figure is a ratio of medians over many new processes, with the candidates taking turns in the same run.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

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
    publish("startup", ["what", "against", "share of its time"], rows)


if __name__ == "__main__":
    main()
