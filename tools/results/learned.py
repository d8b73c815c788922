"""What the results say about choosing a preset: sentences with recorded numbers, for guide and first page."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from tools.results.reviews import LIMIT
from tools.results.steps import DOCUMENTS, MEANING
from tools.results.tables import NAMES, PLAIN, Recorded, shown, verdict
from tools.results.training import changes, difference, list_subjects


def findings(recorded: Recorded) -> Iterator[str]:
    """Yield one paragraph per finding that the recorded runs allow."""
    parts = [*_families(recorded), *_renders(recorded), *_models(recorded), *_training(recorded)]
    if parts:
        yield "\n".join(f"- {part}" for part in parts)


def _families(recorded: Recorded) -> Iterator[str]:
    if not recorded.subjects(among=("encoder",)):
        return
    kept, corrupted = (_list(recorded, names) for names in (MEANING, DOCUMENTS))
    effective = [name for name in (*MEANING, *DOCUMENTS) if _is_effective(recorded, name)]
    told = ", ".join(f"`{name}`" for name in effective) or "none"
    yield (
        f"**What a drop means.** On a fine-tuned encoder, presets that keep the meaning cost {kept}; "
        f"corruptions cost {corrupted}. Over the limit of {LIMIT:g} points: {told}. Look at "
        "both families, and at validity, before you call a model fragile."
    )


def _list(recorded: Recorded, names: tuple[str, ...]) -> str:
    found = [(name, recorded.condition("encoder", f"{name}@1")) for name in names]
    values = [one["drop"][0] for _, one in found if one]
    return f"{min(values):.1f} to {max(values):.1f} points"


def _is_effective(recorded: Recorded, name: str) -> bool:
    one = recorded.condition("encoder", f"{name}@1")
    return bool(one) and verdict(one) != "no"


def _renders(recorded: Recorded) -> Iterator[str]:
    largest = {}
    for name in recorded.subjects(among=PLAIN):
        found = [recorded.condition(name, f"{preset}/render") for preset in DOCUMENTS]
        largest[NAMES[name]] = max((abs(one["drop"][0]) for one in found if one), default=0.0)
    if largest:
        told = ", ".join(f"{value:.1f} points ({name})" for name, value in largest.items())
        yield (
            "**Renders.** Putting a text back together with other spaces, without an edit, changes "
            f"accuracy by at most {told}. A model that reads words whole loses by spaces alone, "
            "so look at `PRESET/render`, or set `render` to `splice`."
        )


def _models(recorded: Recorded) -> Iterator[str]:
    subjects = recorded.subjects(among=PLAIN)
    if len(subjects) < 2:
        return
    drops = {
        name: statistics.fmean(recorded.condition(name, f"{preset}@1")["drop"][0] for preset in DOCUMENTS)
        for name in subjects
    }
    ranked = sorted(drops, key=lambda name: drops[name])
    told = ", ".join(f"{NAMES[name]} {drops[name]:.1f}" for name in ranked)
    clean = ", ".join(f"{NAMES[name]} {recorded[f'{name}-all']['clean'][0]:.1f} %" for name in ranked)
    yield f"**Models.** Mean drop over the four corruptions, in points: {told}. Clean accuracy: {clean}."


def _training(recorded: Recorded) -> Iterator[str]:
    for name in list_subjects(recorded):
        found = changes(recorded, name)
        kept, corrupted = (
            statistics.fmean(found[preset][0] or 0.0 for preset in presets if preset in found)
            for presets in (MEANING, DOCUMENTS)
        )
        clean = difference(recorded["encoder-all"]["clean"], recorded[f"{name}-all"]["clean"])
        yield (
            f"**Training with twins** ({NAMES[name]}): the drop changes by {kept:+.1f} points on average "
            f"under presets that keep the meaning and by {corrupted:+.1f} under corruptions; clean accuracy "
            f"changes by {shown(clean)} points."
        )
