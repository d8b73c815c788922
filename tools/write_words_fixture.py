"""Write NLTK's results for the texts in `tests/text/kinds.txt` and for some bundled reviews.

    python -m tools.write_words_fixture

NLTK uses the Punkt parameters and the weights shipped with Salva, so it needs none of its own data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from salva.rows import reviews
from tests.reference import nltk_twins

FOLDER = Path(__file__).parents[1] / "tests/text"
REVIEWS = 60


def texts() -> Iterator[tuple[str, str]]:
    r"""Yield texts and their kind; \u, \t and \r stand for characters that an editor would not show."""
    kind = ""
    for line in (FOLDER / "kinds.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            kind = line[2:]
        else:
            shown = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), line)
            yield kind, shown.replace("\\t", "\t").replace("\\r", "\r")
    for text in reviews("test")["text"].to_pylist()[:REVIEWS]:
        yield "reviews", text


def main() -> None:
    """Write the fixture, one line per text."""
    with (FOLDER / "nltk.jsonl").open("w", encoding="utf-8") as stream:
        for kind, text in texts():
            words = nltk_twins.words(text)
            answer = {
                "kind": kind,
                "text": text,
                "sentences": nltk_twins.sentence_spans(text),
                "words": words,
                "tags": nltk_twins.tags(words),
                "joined": nltk_twins.detokenize(words),
            }
            stream.write(json.dumps(answer, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
