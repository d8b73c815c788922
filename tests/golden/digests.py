"""Digests of what presets write: the bytes that a redesign must not change.

Run it to compare with golden.json (`python digests.py [PRESET ...]`), or with --write to renew that file.
It needs `../shared`, whose `data/` has the texts.
"""

import hashlib
import json
import pathlib
import sys
from collections.abc import Iterable

import pyarrow.parquet as pq

import salva

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared"
PRESETS = (
    "hybrid",
    "synonyms",
    "typos",
    "corrupt",
    "natural",
    "misspellings",
    "case",
    "punctuation",
    "spaces",
    "contractions",
    "antonyms",
    "names",
    "negation",
    "numbers",
)
ODD = [
    "",
    " ",
    "\n\n",
    "a",
    "\u0130stanbul \u01c5 \u00df \ufb01",
    "e\u0301tude",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 loved it!!",
    "<br /><br />Good film.",
    "don't won't can't",
    "\u201cQuoted film,\u201d he said.",
    "http://x.org/film?movie=1 movie",
    "\u00a0nbsp film\u2028line",
    "MOVIE Movie mOvie",
    "x" * 5000,
    "the " * 3000,
]


def read_texts(shared: pathlib.Path) -> dict[str, list[str]]:
    """Return 300 film reviews, up to 40 texts of every genre, and odd ones."""
    reviews = pq.read_table(shared / "data/imdb/test.parquet")["text"].to_pylist()[::83][:300]
    paths = sorted((shared / "data/text/genres").glob("*.txt"))
    genres = {path.stem: path.read_text(encoding="utf-8").splitlines()[:40] for path in paths}
    return {"imdb": reviews, **genres, "odd": ODD}


def digest(preset: str, rows: list[str], seed: int, severity: float) -> str:
    """Return the digest of the texts and of their edits."""
    made = salva.preset(preset).transform(rows, seed=seed, severity=severity)
    edits = [[e["row"], e["start"], e["end"], e["old"], e["new"]] for e in made.edits.to_pylist()]
    body = json.dumps([list(made.transformed), edits], ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hashlib.sha256(body).hexdigest()[:16]


def collect(shared: pathlib.Path, presets: Iterable[str] = PRESETS) -> dict[str, str]:
    """Return all digests by preset, group of texts, seed and severity."""
    groups = read_texts(shared)
    return {
        f"{preset} {name} seed={seed} severity={severity}": digest(preset, rows, seed, severity)
        for preset in presets
        for name, rows in groups.items()
        for seed, severity in ((0, 1.0), (7, 0.5))
    }


def main(words: list[str]) -> int:
    """Compare, or write; return the exit code."""
    found = collect(SHARED, [word for word in words if word in PRESETS] or PRESETS)
    if "--write" in words:
        (HERE / "golden.json").write_text(json.dumps(found, indent=0))
        return 0
    want = json.loads((HERE / "golden.json").read_text())
    wrong = [key for key in found if found[key] != want.get(key)]
    sys.stdout.write("".join(f"{key}\n" for key in wrong[:40]))
    sys.stdout.write(f"{len(found) - len(wrong)} passed, {len(wrong)} failed\n")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
