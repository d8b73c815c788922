"""Compare the errors of `misspellings` with those that people make.

    python benchmarks/misspellings.py CODESPELL WIKIPEDIA

CODESPELL is `codespell_lib/data/dictionary.txt` of PyPI's codespell, WIKIPEDIA is `dict/lc-dictionary.json`
of npm's misspellings, Wikipedia's list of common misspellings. The third source is the IMDB reviews in
`../shared`: unknown words that occur at most ten times, and are one error away from exactly one frequent
word.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

import salva
from publish import ROOT, publish
from salva.lexicon.english import real_words
from salva.lexicon.letters import KEYBOARDS

REVIEWS = ROOT.parent / "shared/data/imdb"
WORD = re.compile(r"[a-z]{4,}")
FREE_WORD = re.compile(r"(?<![\w'-])[a-z]{7,}(?![\w'-])")
LONG, FREQUENT, RARE = 8, 50, 10
VOWELS = frozenset("aeiou")
KINDS = ("substitution", "insertion", "deletion", "transposition")

Pairs = Iterable[tuple[str, str]]  # a word as written, and as it should be


class Error(NamedTuple):
    """The kind of an error, its place, and the letters there: as written, and as they should be."""

    kind: str
    place: int
    new: str
    old: str
    doubled: bool


def find_error(written: str, right: str) -> Error | None:
    """Return the only error of a word, or None if it has more."""
    place = next((i for i, (a, b) in enumerate(zip(written, right, strict=False)) if a != b), None)
    if place is None:
        place = min(len(written), len(right))
    new, old = written[place : place + 1], right[place : place + 1]
    before = right[place - 1 : place] if place else ""
    if written[place + 1 :] == right[place + 1 :] and new and old:
        return Error("substitution", place, new, old, doubled=False)
    if written[place + 1 :] == right[place:]:
        return Error("insertion", place, new, "", doubled=new in (before, old))
    if written[place:] == right[place + 1 :]:
        return Error("deletion", place, "", old, doubled=old in (before, right[place + 1 : place + 2]))
    if written == right[:place] + right[place : place + 2][::-1] + right[place + 2 :]:
        return Error("transposition", place, new, old, doubled=False)
    return None


def codespell(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the words of codespell with their first correction."""
    for line in path.read_text("utf-8").splitlines():
        written, _, right = line.partition("->")
        yield written, right.split(",")[0].strip()


def wikipedia(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the words of Wikipedia's list with their first correction."""
    for written, right in json.loads(path.read_text("utf-8")).items():
        yield written, right.split(",")[0].strip()


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
    real, nearest = real_words(), dict[str, list[str]]()
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
    for written, right in ((written.lower(), right.lower()) for written, right in pairs):
        if not WORD.fullmatch(right) or not written.isalpha():
            continue
        error = find_error(written, right)
        found["one error" if error else "several"] += 1
        if error is None:
            continue
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
        "Wikipedia's list": measure(wikipedia(Path(sys.argv[2]))),
        "codespell": measure(codespell(Path(sys.argv[1]))),
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
