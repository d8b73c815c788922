"""How often answers would be the same if the twins were shuffled among the pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from salva.twins.comparators import Comparator
from salva.twins.outcomes import Outcomes
from salva.twins.results import Rule

DEALT = 1000  # most pairs on which a function is called, since it may be slow


def chance(found: Outcomes, rule: Rule, chosen: Comparator, *, seed: int) -> float | None:
    """Return how often, in percent, an answer equals the twin answer of any pair.

    Forms are counted, all against all. A user's function has to be called: on all combinations if these are
    few, otherwise on a random sample.
    """
    places = np.flatnonzero(found.measured)
    if not len(places):
        return None
    first, second = ([forms[i] for i in places] for forms in found.forms)
    if chosen.same is None:
        times = Counter(second)
        return 100 * sum(times[form] for form in first if form or rule == "any") / len(places) ** 2
    dealt = _dealt(first, second, seed)
    alike = sum(chosen.equal(a, b) for a, b in dealt if rule == "any" or (a and b))
    return 100 * alike / len(dealt)


def is_drawn(found: Outcomes, chosen: Comparator) -> bool:
    """Return whether chance is estimated from a sample of shuffled pairs instead of all combinations."""
    return chosen.same is not None and int(found.measured.sum()) ** 2 > DEALT


def _dealt(first: Sequence[str], second: Sequence[str], seed: int) -> list[tuple[str, str]]:
    if len(first) ** 2 <= DEALT:
        return [(a, b) for a in first for b in second]
    draw = np.random.Generator(np.random.Philox(seed)).integers(len(first), size=(DEALT, 2))
    return [(first[i], second[k]) for i, k in draw.tolist()]
