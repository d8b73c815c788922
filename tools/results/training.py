"""The page about training with twins: what it does to drops, and what it costs on clean texts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from salva.pages import Chart
from tools.results.steps import AUGMENTED, DOCUMENTS, MEANING, TWIN_SEED
from tools.results.tables import NAMES, Interval, Recorded, shown, table


def page(recorded: Recorded) -> Iterator[str | Chart]:
    """Yield a table per way of training."""
    subjects = list_subjects(recorded)
    if not subjects:
        return
    yield (
        "The same encoder, trained in the same way on as many texts, but every second review is replaced "
        f"with its twin, made with seed {TWIN_SEED}; the evaluation has seed 0. *Change* is how much more "
        "the model drops than the plain encoder on the same reviews: below 0, the drop shrinks. If the "
        "answers of both models were kept, its interval is paired; otherwise it is that of two independent "
        "drops, which is wider."
    )
    yield (
        "Each model was trained once. Intervals are over reviews: they do not contain how much two trainings "
        "differ."
    )
    for name in subjects:
        plain, twins = (recorded[f"{subject}-all"] for subject in ("encoder", name))
        cost = difference(plain["clean"], twins["clean"])
        yield f"## {NAMES[name][0].upper()}{NAMES[name][1:]}"
        yield (
            f"Clean reviews: {shown(plain['clean'])} % right for the plain encoder, {shown(twins['clean'])} "
            f"% with twins, a difference of {shown(cost, 2)} points."
        )
        columns = ["preset, at severity 1", "drop, plain", "drop, with twins", "change"]
        rows = []
        for preset, change in changes(recorded, name).items():
            drops = [recorded.condition(one, f"{preset}@1")["drop"] for one in ("encoder", name)]
            rows.append([f"`{preset}`", *map(shown, drops), shown(change)])
        yield table(columns, rows)


def list_subjects(recorded: Recorded) -> list[str]:
    """Return the models that can be compared with the plain encoder."""
    return recorded.subjects(among=AUGMENTED) if "encoder-all" in recorded else []


def changes(recorded: Recorded, name: str) -> dict[str, Interval]:
    """Return how much more a model drops than the plain encoder, by preset at severity 1."""
    held = recorded[f"compare-{name}"]["differences"] if f"compare-{name}" in recorded else {}
    found: dict[str, Interval] = {}
    for preset in (*MEANING, *DOCUMENTS):
        plain, twins = (recorded.condition(subject, f"{preset}@1") for subject in ("encoder", name))
        if plain and twins:
            paired = held.get(f"{preset}@1")
            found[preset] = paired[:3] if paired else difference(plain["drop"], twins["drop"])
    return found


def difference(first: Interval, second: Interval) -> Interval:
    """Return the second number minus the first, with the interval of independent ones.

    >>> difference([3.0, 1.0, 5.0], [1.0, 1.0, 1.0])
    [-2.0, -4.0, 0.0]
    """
    (a, a_low, a_high), (b, b_low, b_high) = (
        [float(one or 0) for one in interval] for interval in (first, second)
    )
    value = b - a
    below, above = math.hypot(b - b_low, a_high - a), math.hypot(b_high - b, a - a_low)
    return [value, value - below, value + above]
