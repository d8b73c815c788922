"""A run for others to read: the metadata of a Hugging Face model card, and one line to cite."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from salva._show import number_of
from salva.evaluation.results import Results
from salva.numbers import Estimate


def write_citation(results: Results) -> str:
    """Return everything that the numbers of a run depend on, in one line: versions, digests and seed."""
    presets = ", ".join(f"{one.preset} v{one.version}" for one in results.presets)
    about = f"{results.model.name} on {results.data.name} ({number_of(results.data.rows, 'row')})"
    line = f"Salva {results.salva}: {about}; {presets}; {results.signature}"
    return "".join(character if character.isprintable() else " " for character in line) + "\n"


def write_model_card(results: Results) -> str:
    """Return the `model-index` of a run as the front matter of a model card (README.md)."""
    task = "text-generation" if results.settings.get("task") else "text-classification"
    entry = {
        "name": results.model.name,
        "results": [
            {
                "task": {"type": task},
                "dataset": {"type": results.data.name, "name": results.data.name},
                "metrics": list(_list_metrics(results)),
            }
        ],
    }
    lines = _as_yaml({"model-index": [entry]}, "")
    return "\n".join(["---", f"# {write_citation(results).strip()}", *lines, "---", ""])


EXPORTS: dict[str, Callable[[Results], str]] = {"model-card": write_model_card, "citation": write_citation}


def _list_metrics(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the accuracy of the clean texts, then the accuracy, drop and consistency of every condition.

    They are in percent or points, with their 95 % intervals; what was not measurable is left out.
    """
    clean = next((one.score.accuracy_before for one in results.conditions if one.score.n), Estimate())
    found: list[tuple[str, str, Estimate, dict[str, Any]]] = [
        ("accuracy", "accuracy of the clean texts", clean, {})
    ]
    for one in results.conditions:
        score, about = one.score, {"condition": one.name, "family": one.family}
        found += [
            ("accuracy", f"accuracy, {one.name}", score.accuracy_after, about),
            ("accuracy_drop", f"drop in points, {one.name}", score.drop, about),
            ("consistency", f"same answers, {one.name}", score.consistency, about),
        ]
    for kind, name, value, about in found:
        if value.value is not None:
            ends = {end: getattr(value, end) for end in ("low", "high") if getattr(value, end) is not None}
            yield {"type": kind, "name": name, "value": value.value, "args": {**about, **ends}}


def _as_yaml(value: Any, indent: str) -> Iterator[str]:
    """Yield the lines of a mapping: mappings, lists of mappings, texts and numbers."""
    for key, own in value.items():
        if isinstance(own, dict) and own:
            yield f"{indent}{key}:"
            yield from _as_yaml(own, f"{indent}  ")
        elif isinstance(own, list):
            yield f"{indent}{key}:"
            for item in own:
                first, *rest = _as_yaml(item, f"{indent}  ")
                yield from [f"{indent}- {first.lstrip()}", *rest]
        else:
            yield f"{indent}{key}: {_scalar(own)}"


def _scalar(value: Any) -> str:
    """Return a text or a number as YAML: texts in quotes, what cannot be printed as escapes."""
    if not isinstance(value, str):
        return json.dumps(round(value, 4) if isinstance(value, float) else value)
    text = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in text)
