"""Several tests at once: each p-value is corrected for all tests in the family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from salva.pairs.compare import Difference
from salva.pairs.score import PairScore
from salva.stats import holm

Tested = TypeVar("Tested", PairScore, Difference)


def with_holm(scores: Sequence[Tested]) -> list[Tested]:
    """Return scores or differences with `p_holm` set, corrected over all of them."""
    corrected = holm([one.p for one in scores])
    return [replace(one, p_holm=p) for one, p in zip(scores, corrected, strict=True)]
