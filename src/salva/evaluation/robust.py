"""A robustness test in one line, for pytest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from salva.errors import ThresholdError
from salva.evaluation.limits import check_limits
from salva.evaluation.run import Run, evaluate


def assert_robust(
    model: Any,
    data: Any,
    *,
    max_drop: float | None = 4.0,
    min_consistency: float | None = None,
    severities: Iterable[float] = (0.5,),
    fail_if: Iterable[str] = (),
    **options: Any,
) -> Run:
    """Raise an `AssertionError` if the model drops by more than `max_drop` points under any condition.

    `min_consistency` is in percent; `fail_if` takes further rules such as "accuracy_after < 80". The other
    options are those of `evaluate`, whose run is returned.

    >>> assert_robust(lambda texts: ["pos"] * len(texts), [("good", "pos")], presets=["typos"]).results.status
    'success'
    """
    rules = list(fail_if)
    rules += [] if max_drop is None else [f"drop > {max_drop:g}"]
    rules += [] if min_consistency is None else [f"consistency < {min_consistency:g}"]
    run = evaluate(data, model=model, severities=severities, **{"blame_calls": 0, **options})
    try:
        check_limits(run.results, rules)
    except ThresholdError as error:
        raise AssertionError(f"not robust: {error}\n{run.summary()}") from None
    return run
