"""A text, its tokens and what is around them, as the plans of spelling, case, marks and spaces see it."""

from __future__ import annotations

from typing import NamedTuple

from salva.edits.chunk import Chunk, Draw
from tests.reference import rng
from tests.reference.plans import below, chosen

CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS = CAPITALS.lower()
CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"
TOUCHING = set("'-/_&@#\\=+~^%$*0123456789" + CURLY)


class Row(NamedTuple):
    """The tokens of a text with their places, which of them are blocked, and what its draws depend on."""

    text: str
    spans: list[tuple[int, int]]
    blocked: list[bool]
    key: int
    severity: float

    @property
    def words(self) -> list[str]:
        return [self.text[start:stop] for start, stop in self.spans]

    def before(self, place: int, size: int = 1) -> str:
        start = self.spans[place][0]
        return self.text[max(0, start - size) : start]

    def after(self, place: int, size: int = 1) -> str:
        stop = self.spans[place][1]
        return self.text[stop : stop + size]

    def is_joined(self, place: int) -> bool:
        before, after = self.before(place), self.after(place, 2)
        address = after[:1] == "." and after[1:].lower() in set(LETTERS)
        return before in TOUCHING or after[:1] in TOUCHING or address

    def happens(self, place: int, stage: int, rate: float) -> bool:
        return below(rng.draw(self.key, place, stage), rate)

    def is_kept(self, place: int, stage: int) -> bool:
        return self.happens(place, stage, self.severity)

    def choose(self, place: int, stage: int, items: list[str] | str) -> str:
        return chosen(self.key, place, stage, items)

    def begins_sentence(self, place: int) -> bool:
        if place == 0:
            return True
        mark = self.words[place - 1]
        if not (set(mark) & set(".!?") or mark.endswith(">")):
            return False
        if place == 1 or len(mark.encode()) > 1:
            return True
        shortened = self.words[place - 2]
        touches = self.spans[place - 2][1] == self.spans[place - 1][0]
        return not (touches and len(shortened.encode()) <= 3 and shortened[0] in CAPITALS)


def rows_of(chunk: Chunk, draw: Draw) -> list[Row]:
    """Return the rows of a chunk."""
    rows = []
    for number, text in enumerate(chunk.cuts.texts.array.to_pylist()):
        own = slice(chunk.cuts.rows[number], chunk.cuts.rows[number + 1])
        data, first = (text or "").encode(), int(chunk.cuts.texts.offsets[number])
        places = zip(chunk.cuts.starts[own].tolist(), chunk.cuts.stops[own].tolist(), strict=True)
        spans = [(len(data[: a - first].decode()), len(data[: b - first].decode())) for a, b in places]
        key = rng.row_key(data, draw.seed, draw.replicate)
        blocked = chunk.blocked[own].astype(bool).tolist()
        rows.append(Row(text or "", spans, blocked, key, draw.severity))
    return rows
