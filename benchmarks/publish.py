"""Tables of measured figures: print them, keep them in `results/`, and copy them into docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks/results"


def publish(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a Markdown table with the machine and the versions it was measured on."""
    lines = ["| " + " | ".join(cells) + " |" for cells in [columns, ["---"] * len(columns), *rows]]
    versions = ", ".join(f"{package} {version(package)}" for package in ("numpy", "pyarrow", "click"))
    machine = f"{os.cpu_count()} cores, {platform.system()}, CPython {platform.python_version()}, {versions}"
    table = "\n".join([*lines, "", f"Measured by `benchmarks/{name}.py`: {machine}."])
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(f"{table}\n", "utf-8")
    page = ROOT / "docs/benchmarks.md"
    block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    page.write_text(block.sub(lambda m: f"{m[1]}{table}\n{m[2]}", page.read_text("utf-8")), "utf-8")
    print(table)
