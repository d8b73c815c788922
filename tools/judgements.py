"""Kept judgements of pairs: which places of a rule were read, which were bad, and what was decided.

A rule is accepted if at least twelve places were read, each in another text, and at most one was bad.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from salva.lexicon import Pair
from salva.lexicon.pair_checks import implies
from salva.lexicon.pairs import parse_rule

KEPT = Path(__file__).parent / "judgements/pairs.jsonl.gz"
ENOUGH, MOST_BAD = 12, 1

Verdict: TypeAlias = Literal["accepted", "rejected", "rare"]


class Place(NamedTuple):
    """A text of a corpus, and the code point at which the source begins.

    >>> Place.parse("union:1945-Truman:3@17"), str(Place("imdb", "12", 5))
    (Place(corpus='union', row='1945-Truman:3', start=17), 'imdb:12@5')
    """

    corpus: str
    row: str
    start: int

    @classmethod
    def parse(cls, text: str) -> Place:
        """Return the place that was written like this."""
        corpus, _, rest = text.partition(":")
        row, _, start = rest.rpartition("@")
        return cls(corpus, row, int(start))

    def __str__(self) -> str:
        return f"{self.corpus}:{self.row}@{self.start}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A rule as it was read, one direction; the places in order; the bad ones by number, quoted; and why."""

    rule: str
    verdict: Verdict
    places: tuple[str, ...]
    bad: dict[str, str]
    why: str = ""

    @property
    def pair(self) -> Pair:
        """What the rule says."""
        (pair,) = parse_rule(self.rule)
        return pair


class Basis(NamedTuple):
    """Why a target of a pair is believed to keep the meaning.

    `read`: the rule was accepted as it is. `narrowed`: it applies only where an accepted rule does.
    """

    kind: Literal["read", "narrowed", "none"]
    judgement: Judgement | None = None


def decide(read: int, bad: int) -> Verdict:
    """Return what follows from the number of places read and the number of bad ones.

    >>> decide(12, 1), decide(12, 2), decide(5, 0)
    ('accepted', 'rejected', 'rare')
    """
    if bad > MOST_BAD:
        return "rejected"
    return "accepted" if read >= ENOUGH else "rare"


def read_judgements(path: Path = KEPT) -> list[Judgement]:
    """Return the kept judgements."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    rows = map(json.loads, lines)
    return [Judgement(**row | {"places": tuple(row["places"])}) for row in rows]


def write_judgements(judgements: Iterable[Judgement], path: Path = KEPT) -> None:
    """Write judgements, sorted by rule; the same ones make the same file."""
    ordered = sorted(judgements, key=lambda own: own.rule)
    lines = (json.dumps(asdict(own), ensure_ascii=False) + "\n" for own in ordered)
    path.write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))


class Record:
    """Judgements by the source of their rule."""

    def __init__(self, judgements: Iterable[Judgement]) -> None:
        self._by_source: dict[tuple[str, str], list[Judgement]] = {}
        for own in judgements:
            self._by_source.setdefault((own.pair.part, own.pair.source), []).append(own)

    def basis(self, pair: Pair, target: str) -> Basis:
        """Return the judgement of one target of a pair: the one of the rule itself, or of a wider one."""
        of_source = self._by_source.get((pair.part, pair.source), [])
        accepted = [own for own in of_source if own.verdict == "accepted" and target in own.pair.targets]
        wider = [own for own in accepted if implies(pair.conditions, own.pair.conditions)]
        for own in wider:
            if implies(own.pair.conditions, pair.conditions):
                return Basis("read", own)
        return Basis("narrowed", wider[0]) if wider else Basis("none")


def state_bases(pairs: Sequence[Pair], judgements: Iterable[Judgement]) -> list[tuple[Pair, str, Basis]]:
    """Return the basis of every target of some pairs."""
    record = Record(judgements)
    return [(pair, target, record.basis(pair, target)) for pair in pairs for target in pair.targets]
