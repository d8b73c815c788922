"""Compile the kernels once, before tests start in several processes: `make kernels`.

Processes that start at the same time would each compile them, which takes over a minute. Parts that have
little in common compile on several cores: `python tools/compile_kernels.py words`, `… letters`.
"""

from __future__ import annotations

import sys

import pyarrow as pa

import salva
from salva.rows import reviews
from salva.text import sentences, tag, tokenize

TABLE = reviews("test").slice(0, 20)


def compile_words() -> None:
    """Cut texts into sentences and words, and use the presets that need them."""
    texts = TABLE.column("text")
    sentences(texts), tag(texts), tokenize(texts, by="word")
    use_presets(texts, nltk=True)


def compile_letters() -> None:
    """Use the other presets."""
    use_presets(TABLE.column("text"), nltk=False)


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
