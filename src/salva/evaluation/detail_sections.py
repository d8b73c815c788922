"""The sections of the report on classes, slices and confidence: flat rows, some of all if there are many."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from salva.evaluation.results import Results

MOST_ROWS = 400  # per table


def show_classes(results: Results) -> dict[str, Any] | None:
    """Return recall and precision by class, and which classes are confused; None for older runs."""
    scores, confused = list(class_rows(results)), list(confusion_rows(results))
    if not results.classes:
        return None
    shown = {"scores": scores[:MOST_ROWS], "confused": confused[:MOST_ROWS]}
    return {**shown, "all_scores": len(scores), "all_confused": len(confused)}


def show_slices(results: Results) -> dict[str, Any] | None:
    """Return the drop of every slice; None if there is none."""
    rows = list(slice_rows(results))
    return {"rows": rows[:MOST_ROWS], "all": len(rows)} if rows else None


def show_axes(results: Results) -> dict[str, Any] | None:
    """Return every axis with its variants and numbers, and robust accuracy."""
    if not results.axes and results.robust is None:
        return None
    variants = [one for one in results.conditions if one.variant is not None and one.preset is None]
    return {
        "axes": [
            (one, [own for own in variants if own.axis == one.axis][:MOST_ROWS]) for one in results.axes
        ],
        "robust": results.robust,
    }


def show_entities(results: Results) -> dict[str, Any] | None:
    """Return the entities of every label under every condition; None if the answers are not spans."""
    rows = results.entities[:MOST_ROWS]
    return {"rows": rows, "all": len(results.entities)} if rows else None


def axis_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the numbers of every axis, those of presets last."""
    scores = {one.axis: one.score for one in results.axes}
    for name, score in {**scores, **({"presets": results.robust} if results.robust else {})}.items():
        found = {field.name: getattr(score, field.name) for field in dataclasses.fields(score)}
        found["accuracies"] = list(found["accuracies"])
        yield {"axis": name, **found}


def class_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield every class under every condition."""
    for one in results.by_class:
        for score in one.classes:
            yield {"condition": one.condition, "score": score}


def confusion_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield every pair of a label and a wrong answer under every condition."""
    for one in results.by_class:
        for found in one.confusions:
            if found.label != found.answer:
                yield {"condition": one.condition, "confusion": found}


def slice_rows(results: Results) -> Iterator[dict[str, Any]]:
    """Yield every slice under every condition."""
    for slicing in results.slices:
        by = "characters" if slicing.column is None else slicing.column
        for some in slicing.slices:
            for score in some.scores:
                yield {"by": by, "slice": some.name, "rows": some.rows, "score": score}
