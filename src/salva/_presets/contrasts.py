"""What the contrast presets share: their settings, and the choice of one edit per text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from salva._presets.hybrid import tagger_field
from salva._presets.settings import SpliceSettings, count, flag
from salva.edits.chunk import Chunk, Edits

_MOST = "Most edits per text; every mention of a name or a number counts as one edit."
_POLARITY = "Without effect: these edits may turn praise into blame."


def most_field() -> Any:
    """Return a field for the number of edits per text."""
    return count(1, _MOST, least=1)


@dataclass(frozen=True, kw_only=True)
class ContrastSettings(SpliceSettings):
    """The settings of presets whose edits change the meaning."""

    most: int = most_field()
    keep_polarity: bool = flag(False, _POLARITY)


@dataclass(frozen=True, kw_only=True)
class TaggedContrastSettings(ContrastSettings):
    """The settings of those that use pairs."""

    tagger: str = tagger_field()


def units_of_types(chunk: Chunk, edits: Edits) -> Any:
    """Return the same unit for equal words of a row."""
    return chunk.types.numbers[edits.tokens].astype("int64")
