"""Salva: swap the words, keep the meaning, and see whether a model's answer stays right.

Names are loaded on first use, to keep `import salva` light.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

from salva._version import __version__

if TYPE_CHECKING:
    from salva._progress import Progress
    from salva.errors import (
        InputError,
        MissingExtraError,
        ModelError,
        SalvaError,
        StorageError,
        ThresholdError,
        UsageError,
    )
    from salva.evaluation import assert_robust, compare, evaluate, load_run, rescore
    from salva.models import ModelOptions
    from salva.questions import Conditions, Data, Limits, Measure, Options, make_questions
    from salva.transforms import (
        CorruptionWeights,
        TextCorruptor,
        preset,
        presets,
        revert_file,
        transform_file,
    )

__all__ = [
    "Conditions",
    "CorruptionWeights",
    "Data",
    "InputError",
    "Limits",
    "Measure",
    "MissingExtraError",
    "ModelError",
    "ModelOptions",
    "Options",
    "Progress",
    "SalvaError",
    "StorageError",
    "TextCorruptor",
    "ThresholdError",
    "UsageError",
    "__version__",
    "assert_robust",
    "compare",
    "evaluate",
    "load_run",
    "make_questions",
    "preset",
    "presets",
    "rescore",
    "revert_file",
    "transform_file",
]

# Rooms that are imported by name; they are here too once somebody asks for them.
_ROOMS = (
    *("audit", "compat", "errors", "evaluation", "lexicon", "models", "numbers", "outliers", "questions"),
    *("rows", "tasks", "text", "transforms", "twins"),
)
_VERBS = {
    "salva._progress": ("Progress",),
    "salva.evaluation": ("assert_robust", "compare", "evaluate", "load_run", "rescore"),
    "salva.models": ("ModelOptions",),
    "salva.questions": ("Conditions", "Data", "Limits", "Measure", "Options", "make_questions"),
    "salva.transforms": (
        "CorruptionWeights",
        "TextCorruptor",
        "preset",
        "presets",
        "revert_file",
        "transform_file",
    ),
}
_HOMES = {name: "salva.errors" for name in __all__ if name.endswith("Error")}
_HOMES |= {name: home for home, names in _VERBS.items() for name in names}

logging.getLogger("salva").addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"salva.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'salva' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
