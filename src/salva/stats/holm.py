"""Many tests at once: Holm's correction (1979), which bounds the probability of even one false alarm."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return every p-value corrected for all of them; None means no test, stays None and does not count.

    >>> holm([0.01, None, 0.03])
    [0.02, None, 0.03]
    """
    corrected: list[float | None] = list(p_values)
    tests = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    greatest = 0.0
    for rank, (p, place) in enumerate(tests):
        greatest = max(greatest, min(1.0, p * (len(tests) - rank)))
        corrected[place] = greatest
    return corrected
