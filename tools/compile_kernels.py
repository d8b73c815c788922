"""Compile the kernels once, before tests start in several processes: `make kernels`.

Processes that start at the same time would each compile them, which takes over a minute.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import salva
from salva.datasets import reviews
from salva.datasets.output import write_table
from salva.text import sentences, tag, tokenize
from salva.twins import interpret_lines
from salva.twins.pcfg.generator import generate_lines


def main() -> None:
    """Do what the tests do most."""
    table = reviews("test").slice(0, 20)
    texts = table.column("text")
    sentences(texts), tag(texts), tokenize(texts, by="word")
    for name in salva.presets():
        salva.preset(name).transform(texts, seed=0, severity=1.0)
        salva.preset(name, render="splice", protect=True).transform(texts, severity=1.0).revert()
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("csv", "jsonl"):
            path = Path(folder, f"in.{ending}")
            write_table(path, table, text_column="text")
            salva.transform_file(path, Path(folder, f"out.{ending}"), preset="typos")
    interpret_lines(["append A1 B2 , C3"])
    generate_lines(10)


if __name__ == "__main__":
    main()
