"""Run corrupted-text 0.2.0 on some texts: fit it on them, then severity 0.5, seed 1, empty cache.

    NLTK_DATA=FOLDER python corrupted_text_peer.py TEXTS

TEXTS is a JSON list of strings; the README next to this file explains how to make the interpreter and FOLDER.

The package downloads only its thesaurus, when it is fitted. Here the address points to a local file made from
NLTK's WordNet 3.0 in the same layout, one line per synset with its first word and the others, so that the
package runs unchanged and offline. Writing that file is not timed; reading it is part of the fit.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from corrupted_text import TextCorruptor, text_corruptor  # type: ignore[import-not-found]


def write_thesaurus(path: Path) -> None:
    """Write WordNet as the JSON lines that the package expects."""
    from nltk.corpus import wordnet

    with path.open("w", encoding="ascii") as stream:
        for synset in wordnet.all_synsets():
            word, *others = synset.lemma_names()
            stream.write(json.dumps({"word": word, "synonyms": others}) + "\n")


def main() -> None:
    """Fit, corrupt, and print how long each took."""
    texts = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        thesaurus = Path(folder, "thesaurus.jsonl")
        write_thesaurus(thesaurus)
        text_corruptor.THESAURUS_DOWNLOAD = thesaurus.as_uri()
        started = time.perf_counter()
        corruptor = TextCorruptor(base_dataset=texts, cache_dir=f"{folder}/cache")
        fitted = time.perf_counter()
        corruptor.corrupt(texts, severity=0.5, seed=1)
        ended = time.perf_counter()
    measured = {
        "peer": "corrupted-text",
        "version": version("corrupted-text"),
        "seconds": ended - fitted,
        "fit_seconds": fitted - started,
        "bytes": sum(len(text.encode()) for text in texts),
        "rows": len(texts),
    }
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
