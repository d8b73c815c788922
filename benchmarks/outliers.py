"""Scoring word vectors from a file compared with loading them with gensim: time and memory, in one run.

    python benchmarks/outliers.py [TURNS]

Needs `pip install 'salva[glove]' gensim` and the HAMOD sets in `../shared`. The file is in GloVe's text
format, 400,000 words of 50 numbers each, made from the package. Every measurement runs in its own process
with one thread. Time is processor time, which does not depend on what else the machine does; memory is the
rise of the peak above its level after all imports. gensim is measured once, because it is slow, between two
series of ours.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from publish import ROOT, publish
from salva.outliers.vectors.arrays import GLOVE

SETS = ROOT.parent / "shared/data/hamod"
MEASURED = """
import json, re, sys, time
{imports}
def peak():  # not from getrusage, whose peak a process inherits
    return int(re.search(r"VmHWM:\\s+([0-9]+)", open("/proc/self/status").read())[1]) / 1024
before, started = peak(), time.process_time()
result = {work}
print(json.dumps([time.process_time() - started, peak() - before, result]))
"""
OURS = MEASURED.format(
    imports="from salva.outliers import read_sets\nfrom salva.outliers.scoring import score",
    work="score(sys.argv[1], read_sets(sys.argv[2], languages=['EN'])).figures.hits",
)
THEIRS = MEASURED.format(
    imports="from gensim.models import KeyedVectors",
    work="len(KeyedVectors.load_word2vec_format(sys.argv[1], no_header=True))",
)
LIE = MEASURED.format(
    imports="""
from salva.outliers.vectors.formats import open_vectors
from salva.errors import InputError
def refused(path):
    try:
        open_vectors(path, ["the"])
    except InputError as error:
        return str(error)
""",
    work="refused(sys.argv[1])",
)


def measured(code: str, *arguments: Path) -> tuple[float, float, object]:
    """Return the seconds, megabytes and result of a process."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    taken, megabytes, result = json.loads(done.stdout.splitlines()[-1])
    return taken, megabytes, result


def write_glove(path: Path) -> None:
    """Write the package's vectors in GloVe's own text format."""
    found = importlib.util.find_spec(GLOVE)
    if found is None or found.origin is None:
        raise SystemExit("needs pip install 'salva[glove]'")
    data = Path(found.origin).parent / "data"
    words = pq.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    vectors = np.load(data / "glove_6B_50d_emb.npy").tolist()
    with path.open("w", encoding="utf-8") as stream:
        for word, vector in zip(words, vectors, strict=True):
            stream.write(f"{word} {' '.join(f'{value:.6g}' for value in vector)}\n")


def main() -> None:
    """Measure and publish."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        path, lie = Path(folder) / "glove.txt", Path(folder) / "lie.txt"
        write_glove(path)
        lie.write_text("4000000000 1000\nthe 0.1 0.2\n", "utf-8")
        size = path.stat().st_size / 1e6
        ours = [measured(OURS, path, SETS) for _ in range(turns)]
        theirs, their_memory, _ = measured(THEIRS, path)
        ours += [measured(OURS, path, SETS) for _ in range(turns)]
        _, lie_memory, refusal = measured(LIE, lie)
    own = statistics.median(one[0] for one in ours)
    memory = max(one[1] for one in ours)
    against = f"`KeyedVectors.load_word2vec_format`, {theirs:.1f} s of processor time, {their_memory:.0f} MB"
    table = [
        [
            f"score 128 English sets from {size:.0f} MB of text",
            against,
            f"{theirs / own:.0f} times as fast",
            "≥ 25",
        ],
        ["memory beyond the imports", "", f"{memory:.0f} MB", "< 50 MB"],
        ["hits of 1,024", "511 expected", str(ours[0][2]), "equal"],
        [
            "a header that claims 4,000,000,000 vectors of 1,000 numbers",
            "",
            f"refused, using {lie_memory:.0f} MB",
            "< 50 MB",
        ],
    ]
    assert refusal is not None, "the lie was believed"
    publish("outliers", ["what", "against", "measured", "bar"], table)


if __name__ == "__main__":
    main()
