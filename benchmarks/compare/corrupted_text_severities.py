"""Corrupted-text 0.2.0 at one severity: its texts, and how many words it changed.

    NLTK_DATA=FOLDER python corrupted_text_severities.py INPUT SEVERITY OUTPUT [THESAURUS]

INPUT is what `severities.py` writes: the texts that the package is fitted on, those that it corrupts, and the
seed. THESAURUS is made from WordNet unless it is given. It takes about three minutes for 2,000 reviews.
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
    """Fit the package, corrupt the texts, and write everything as JSON."""
    source, severity, target, *thesauri = sys.argv[1:]
    given = json.loads(Path(source).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        thesaurus = Path(*thesauri[:1] or (folder, "thesaurus.jsonl"))
        if not thesauri:
            write_thesaurus(thesaurus)
        text_corruptor.THESAURUS_DOWNLOAD = thesaurus.resolve().as_uri()
        corruptor = CountingCorruptor(base_dataset=given["base"], cache_dir=f"{folder}/cache")
        texts = corruptor.corrupt(given["texts"], severity=float(severity), seed=given["seed"])
    partial = Path(f"{target}.partial")
    partial.write_text(json.dumps({"texts": texts, "changed": corruptor.changed}), "utf-8")
    partial.replace(target)


if __name__ == "__main__":
    main()
