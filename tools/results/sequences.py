"""The page about PCFG SET: consistency of the example model, per condition, function and seed."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

from salva.pages import Chart
from tools.results.steps import CONDITIONS
from tools.results.tables import Recorded, shown, table

# Hupkes et al. (2020), tables 4 and 5; per function from the traces that they published.
PAPER = {
    "primitive": {"LSTMS2S": 0.60, "ConvS2S": 0.58, "Transformer": 0.90},
    "equally_distributed": {"LSTMS2S": 0.80, "ConvS2S": 0.95, "Transformer": 0.98},
}
FUNCTIONS = {
    "primitive": {"swap_first_last": 0.904, "repeat": 0.859, "append": 0.867, "remove_second": 0.954},
    "equally_distributed": {
        "swap_first_last": 0.978,
        "repeat": 0.973,
        "append": 0.973,
        "remove_second": 0.986,
    },
}
COLUMNS = ("accuracy", "twin_accuracy", "both_right", "consistency", "among_incorrect")


def page(recorded: Recorded) -> Iterator[str | Chart]:
    """Yield one table per condition."""
    runs = recorded.matching("sequence-")
    if not runs:
        return
    first = next(iter(runs.values()))["training"]
    size = next(iter(runs.values()))["settings"]["size"]
    yield (
        f"The [example model](../twins.md#an-example-model), size `{size}` "
        f"({first['parameters'] / 1e6:.1f} million weights), trained on {first['lines']:,} lines of a "
        f"generated corpus, on {first['device']}. All models were trained on one GPU at the same time. The "
        "paper's models have 44 million weights and the official corpus, so only the order of magnitude "
        "compares. Percentages, with intervals over sources; the last column is the consistency of the "
        "paper's Transformer."
    )
    if any(run["about"]["command"].startswith("salva twins train") for run in runs.values()):
        yield (
            "These figures were made by `salva twins train`, which the example and `salva evaluate` have "
            "replaced since: a network of the same shape, trained for a given time and not for a number "
            "of steps."
        )
    for condition in CONDITIONS:
        seeds = {name.rpartition("-")[2]: run for name, run in runs.items() if name.startswith(condition)}
        if seeds:
            yield f"## {condition.replace('_', ' ').capitalize()}"
            yield _trained(seeds)
            yield table(
                ["pairs", "seed", *(name.replace("_", " ") for name in COLUMNS), "paper"],
                _rows(condition, seeds),
            )
            printed = ", ".join(f"{name} {100 * value:.0f}" for name, value in PAPER[condition].items())
            mean = statistics.fmean(run["scores"]["all"]["consistency"][0] for run in seeds.values())
            yield f"Mean consistency over seeds: {mean:.1f}. Published consistency, %: {printed}."


def _trained(seeds: dict[str, Any]) -> str:
    told = [
        f"seed {seed}: {run['training']['steps']:,} steps, {run['training']['epochs']:.0f} epochs, "
        f"{run['training']['seconds']:.0f} s"
        for seed, run in seeds.items()
    ]
    return f"Training: {'; '.join(told)}."


def _rows(condition: str, seeds: dict[str, Any]) -> Iterator[list[str]]:
    for name in ("all", *FUNCTIONS[condition]):
        paper = PAPER[condition]["Transformer"] if name == "all" else FUNCTIONS[condition][name]
        for place, (seed, run) in enumerate(seeds.items()):
            if name in run["scores"]:
                cells = [shown(run["scores"][name].get(column)) for column in COLUMNS]
                label = "" if place else name if name == "all" else f"`{name}`"
                yield [label, seed, *cells, "" if place else f"{100 * paper:.1f}"]
