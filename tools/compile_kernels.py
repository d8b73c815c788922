"""Compile the kernels once, before tests start in several processes: `make kernels`.

Processes that start at the same time would each compile them, which takes over a minute. Two parts, which
have little in common, compile on two cores: `python tools/compile_kernels.py words` and `… letters`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa

import salva
from salva.datasets import reviews
from salva.datasets.output import write_table
from salva.text import sentences, tag, tokenize
from salva.twins import interpret_lines
from salva.twins.pcfg.generator import generate_lines

TABLE = reviews("test").slice(0, 20)


def compile_words() -> None:
    """Cut texts into sentences and words, and use the presets that need them."""
    texts = TABLE.column("text")
    sentences(texts), tag(texts), tokenize(texts, by="word")
    use_presets(texts, nltk=True)


def compile_letters() -> None:
    """Use the other presets, read and write files, and make twins."""
    texts = TABLE.column("text")
    use_presets(texts, nltk=False)
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("csv", "jsonl"):
            path = Path(folder, f"in.{ending}")
            write_table(path, TABLE, text_column="text")
            salva.transform_file(path, Path(folder, f"out.{ending}"), preset="typos")
    interpret_lines(["append A1 B2 , C3"])
    generate_lines(10)


def use_presets(texts: pa.ChunkedArray, *, nltk: bool) -> None:
    """Do what the tests do most, with the presets that cut words as NLTK does, or with the others."""
    for name in salva.presets():
        if (salva.preset(name).preset.tokenizer == "nltk") == nltk:
            salva.preset(name).transform(texts, seed=0, severity=1.0)
            salva.preset(name, render="splice", protect=True).transform(texts, severity=1.0).revert()


PARTS = {"words": compile_words, "letters": compile_letters}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
