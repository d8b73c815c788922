"""Transforms compared with other tools on the same reviews, as ratios measured in one run.

    PYTHONPATH=. python benchmarks/peers.py FOLDER [ROWS]

FOLDER holds the peers' environments and NLTK's data, made as `compare/README.md` says. Salva uses one thread,
Arrow in and out; the peers take lists of strings. Each peer processes the texts once, Salva five times, and
the median is reported. corrupted-text measures all distances between common words when it is fitted; Salva
looks for similar words when it first meets a word. So the peer's fitting is compared with Salva's fitting
plus its first pass over the texts.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import nltk
import pyarrow as pa
import pyarrow.parquet as pq

import salva
from publish import ROOT, publish
from salva.transforms import Transform
from tests.reference.hybrid_program import custom_transform
from timing import seconds

COMPARE = ROOT / "benchmarks/compare"
PEERS = {
    "corrupted-text": ("corrupted-text", ["corrupted_text_peer.py"]),
    "keyboard": ("nlpaug", ["nlpaug_peer.py", "keyboard"]),
    "synonym": ("nlpaug", ["nlpaug_peer.py", "synonym"]),
    "synonym_plain": ("nlpaug", ["nlpaug_peer.py", "synonym_plain"]),
}


def peer_seconds(folder: Path, name: str, texts: Path) -> dict[str, float]:
    """Return the times that a peer reports."""
    environment, (script, *arguments) = PEERS[name]
    done = subprocess.run(
        [folder / environment / "bin/python", COMPARE / script, *arguments, texts],
        env=os.environ | {"NLTK_DATA": str(folder / "nltk_data")},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def our_seconds(transform: Transform, column: pa.Array) -> float:
    """Return how long a transform takes on words that it has met before."""
    transform.transform(column, threads=1)
    return statistics.median(seconds(lambda: transform.transform(column, threads=1).column) for _ in range(5))


def first_seconds(transform: Transform, column: pa.Array) -> tuple[float, Transform]:
    """Return how long fitting and the first pass over the words take, and the fitted transform."""
    transform.transform(column.slice(0, 5), threads=1)  # compiles, and reads the lexicon
    started = time.perf_counter()
    fitted = transform.fit(column)
    fitted.transform(column, threads=1)
    return time.perf_counter() - started, fitted


def program_seconds(folder: Path, texts: list[str]) -> float:
    """Return how long the plain NLTK program for `hybrid` takes, with its WordNet look-ups cached."""
    nltk.data.path[:] = [str(folder / "nltk_data")]
    rng = random.Random(0)
    examples = [{"text": text} for text in texts]
    for example in examples:
        custom_transform(example, rng)
    return seconds(lambda: [custom_transform(example, rng) for example in examples])


def main() -> None:
    """Measure and publish."""
    folder, rows = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    whole = pq.read_table(ROOT.parent / "shared/data/imdb/test.parquet")["text"]
    texts = whole.to_pylist()[:: len(whole) // rows][:rows]
    column = pa.array(texts, pa.large_string())
    listed = folder / "texts.json"
    listed.write_text(json.dumps(texts))
    megabytes = column.nbytes / 1e6
    first, fitted = first_seconds(salva.preset("corrupt"), column)
    transforms = {"corrupt": fitted} | {name: salva.preset(name) for name in ("typos", "synonyms", "hybrid")}
    ours = {name: our_seconds(transform, column) for name, transform in transforms.items()}
    corrupted = peer_seconds(folder, "corrupted-text", listed)
    plain, scaled = (peer_seconds(folder, name, listed)["seconds"] for name in ("synonym_plain", "synonym"))
    theirs = [
        ("corrupt", "corrupted-text 0.2.0", corrupted["seconds"], "≥ 300"),
        ("typos", "nlpaug KeyboardAug", peer_seconds(folder, "keyboard", listed)["seconds"], "≥ 85"),
        ("synonyms", "nlpaug SynonymAug, `aug_p=0.5`", plain, "≥ 600"),
        ("synonyms", "the same, with `aug_p` set to replace as many words", scaled, "≥ 600"),
        ("hybrid", "a plain NLTK program", program_seconds(folder, texts), "≥ 60"),
    ]
    table = []
    for name, peer, taken, bar in theirs:
        # Measured again after the peers, because the machine's speed changes from minute to minute.
        own = statistics.median([ours[name], our_seconds(transforms[name], column)])
        speeds = f"{megabytes / own:.0f} and {megabytes / taken:.3f} MB/s"
        table.append([f"`{name}`", peer, f"{taken / own:.0f} times as fast ({speeds})", bar])
    fitting = f"{corrupted['fit_seconds'] / first:.0f} times as fast"
    table.append(
        [
            "`corrupt`: fitting, plus looking up the words of the texts",
            "corrupted-text's fitting",
            fitting,
            "≥ 5",
        ]
    )
    publish("peers", ["what", "against", "measured", "bar"], table)


if __name__ == "__main__":
    main()
