"""Corrupted-text 0.2.0 at several severities: its texts, and how many words it changed.

    NLTK_DATA=FOLDER python corrupted_text_severities.py INPUT OUTPUT

INPUT is what `severities.py` writes: the texts that the package is fitted on, those that it corrupts, the
seed and the severities. It takes about three minutes per severity for 2,000 reviews.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from corrupted_text import TextCorruptor, text_corruptor  # type: ignore[import-not-found]
from corrupted_text_peer import write_thesaurus  # type: ignore[import-not-found]


class CountingCorruptor(TextCorruptor):  # type: ignore[misc]
    """Counts the words with a letter that become others."""

    changed = 0

    def _corrupt_word(self, w: str, seed: int, corruption_type: Any) -> str:
        new: str = super()._corrupt_word(w, seed, corruption_type)
        self.changed += new != w and any(map(str.isalpha, w))
        return new


def main() -> None:
    """Corrupt at every severity, and write everything as JSON."""
    given = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        thesaurus = Path(folder, "thesaurus.jsonl")
        write_thesaurus(thesaurus)
        text_corruptor.THESAURUS_DOWNLOAD = thesaurus.as_uri()
        corruptor = CountingCorruptor(base_dataset=given["base"], cache_dir=f"{folder}/cache")
        for severity in given["severities"]:
            corruptor.changed = 0
            texts = corruptor.corrupt(given["texts"], severity=severity, seed=given["seed"])
            found[severity] = {"texts": texts, "changed": corruptor.changed}
    Path(sys.argv[2]).write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main()
