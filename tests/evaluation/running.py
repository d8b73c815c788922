"""Short runs: what `evaluate` takes and fields of its options, side by side."""

from __future__ import annotations

import inspect
from typing import Any

from salva.evaluation import Run, evaluate
from tests.flat import flat

_FIRST = set(inspect.signature(evaluate).parameters) - {"data", "model", "options"}


def run(data: Any, model: Any, **settings: Any) -> Run:
    """Evaluate without measuring noise or looking for blame, unless the settings ask for it."""
    first = {name: settings.pop(name) for name in _FIRST & settings.keys()}
    return evaluate(data, model, **first, options=flat(**{"noise": 0, "blame_calls": 0, **settings}))
