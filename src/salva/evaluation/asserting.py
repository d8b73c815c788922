"""A test of robustness in one line, for test suites."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from salva._types import PathLike
from salva.errors import ThresholdError
from salva.evaluation.baseline import measure_changes
from salva.evaluation.evaluating import evaluate
from salva.evaluation.gate import check_names, check_run
from salva.evaluation.run import Run, load_run
from salva.questions.options import Measure, Options


def assert_robust(
    data: Any,
    model: Any,
    *,
    max_drop: float | None = 4.0,
    min_consistency: float | None = None,
    severities: float | Iterable[float] = 0.5,
    fail_if: str | Iterable[str] = (),
    baseline: PathLike | Run | None = None,
    **options: Any,
) -> Run:
    """Raise an `AssertionError` if the model drops by more than `max_drop` points under any condition.

    `min_consistency` is in percent; `fail_if` takes further rules such as "accuracy_after < 80". With an
    earlier run over the same data as `baseline`, rules such as "drop_change.low > 1" are possible. All
    other arguments are those of `evaluate`, whose run is returned. Words to blame are looked for only if
    `options` says what to measure. The error shows one flip per condition.

    >>> run = assert_robust([("good", "pos")], lambda texts: ["pos"] * len(texts))
    >>> run.results.status
    'success'
    """
    __tracebackhide__ = True  # pytest shows the line of the test instead
    rules = [fail_if] if isinstance(fail_if, str) else list(fail_if)
    rules += [] if max_drop is None else [f"drop > {max_drop:g}"]
    rules += [] if min_consistency is None else [f"consistency < {min_consistency:g}"]
    check_names(rules, baseline=baseline is not None)
    earlier = load_run(baseline) if isinstance(baseline, str | os.PathLike) else baseline
    chosen = options.pop("options", None) or Options()
    if chosen.measure == Measure():
        chosen = chosen.replace(measure={"blame_calls": 0})
    run: Run = evaluate(data, model, severities=severities, options=chosen, **options)
    checked = check_run(run, rules, None if earlier is None else measure_changes(earlier, run))
    try:
        checked.refuse_broken_limits()
    except ThresholdError as error:
        shown = [f"{one.result.name}: {line}" for one in checked.broken for line in one.show_example()]
        raise AssertionError("\n".join([f"not robust: {error}", run.summary(), *shown])) from None
    return run
