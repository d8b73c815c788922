"""Compare the errors of `misspellings` with those that people make.

    PYTHONPATH=. python benchmarks/misspellings.py CODESPELL WIKIPEDIA

`tools/build_misspellings.py` says what CODESPELL and WIKIPEDIA are. The third source is the IMDB reviews in
`../shared`: unknown words that occur at most ten times, and are one error away from exactly one frequent
word.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_lowercase

import pyarrow as pa
import pyarrow.parquet as pq

import salva
from publish import ROOT, publish
from salva.lexicon.english import load_english
from salva.lexicon.letters import KEYBOARDS
from tools.build_misspellings import Pairs, find_errors, read_codespell, read_wikipedia

REVIEWS = ROOT.parent / "shared/data/imdb"
FREE_WORD = re.compile(r"(?<![\w'-])[a-z]{7,}(?![\w'-])")
LONG, FREQUENT, RARE = 8, 50, 10
VOWELS = frozenset("aeiou")
KINDS = ("substitution", "insertion", "deletion", "transposition")


def errors_of(word: str) -> set[str]:
    """Return every string that is one error away from a word."""
    found = set()
    for i in range(len(word) + 1):
        found |= {word[:i] + letter + word[i:] for letter in ascii_lowercase}
        if i < len(word):
            found.add(word[:i] + word[i + 1 :])
            found |= {word[:i] + letter + word[i + 1 :] for letter in ascii_lowercase}
            found.add(word[:i] + word[i : i + 2][::-1] + word[i + 2 :])
    return found - {word}


def reviewers(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield rare unknown words of the reviews, each with the frequent long word one error away.

    A letter at the end is not counted as an error: it usually is an ending that no dictionary has.
    """
    counts = Counter(word for text in texts for word in FREE_WORD.findall(text))
    real, nearest = frozenset(load_english().words.to_pylist()), dict[str, list[str]]()
    for word, count in counts.items():
        if len(word) >= LONG and count >= FREQUENT:
            for near in errors_of(word):
                if 0 < counts.get(near, 0) <= RARE and near not in real:
                    nearest.setdefault(near, []).append(word)
    for near, words in nearest.items():
        if len(words) == 1 and near[:-1] != words[0]:
            yield near, words[0]


def preset(texts: pa.Array) -> Iterator[tuple[str, str]]:
    """Yield the words of the reviews that the preset edits, as it writes them and as they were."""
    edits = salva.preset("misspellings").transform(texts).edits
    yield from zip(edits["new"].to_pylist(), edits["old"].to_pylist(), strict=True)


def measure(pairs: Pairs) -> dict[str, float]:
    """Return the shares of all kinds of errors, in percent."""
    found: Counter[str] = Counter()
    keys = KEYBOARDS["typos"]
    for _, error in find_errors(pairs):
        if error is None:
            continue
        found["one error"] += 1
        found[error.kind] += 1
        found["first letter"] += error.place == 0
        found[f"doubled {error.kind}"] += error.doubled
        if error.kind == "substitution":
            found["neighbouring key"] += error.new in keys.get(error.old, "")
            found["vowel for vowel"] += {error.new, error.old} <= VOWELS
    one = found["one error"]
    parts = {
        "neighbouring key": "substitution",
        "vowel for vowel": "substitution",
        "doubled insertion": "insertion",
        "doubled deletion": "deletion",
    }
    shares = {name: 100 * found[name] / one for name in (*KINDS, "first letter")}
    shares |= {name: 100 * found[name] / found[of] for name, of in parts.items()}
    return {"errors": one, **shares}


ROWS = {
    **{name: name for name in (*KINDS, "first letter")},
    "neighbouring key": "substitutions: a neighbouring key",
    "vowel for vowel": "substitutions: a vowel for a vowel",
    "doubled insertion": "insertions that double a letter",
    "doubled deletion": "deletions from a doubled letter",
}


def main() -> None:
    """Measure and publish."""
    texts = [pq.read_table(REVIEWS / f"{part}.parquet")["text"] for part in ("train", "test")]
    sources = {
        "Wikipedia's list": measure(read_wikipedia(Path(sys.argv[2]))),
        "codespell": measure(read_codespell(Path(sys.argv[1]))),
        "IMDB's reviewers": measure(reviewers(text for part in texts for text in part.to_pylist())),
    }
    own = measure(preset(texts[1].combine_chunks()))
    table = [["errors", *(f"{shares['errors']:,.0f}" for shares in (*sources.values(), own)), ""]]
    for name, title in ROWS.items():
        others = [shares[name] for shares in sources.values()]
        farthest = max(abs(own[name] - other) for other in others)
        table.append([title, *(f"{share:.1f}" for share in (*others, own[name])), f"{farthest:.1f}"])
    publish("misspellings", ["%", *sources, "preset", "farthest, in points"], table)


if __name__ == "__main__":
    main()
