"""Log a run to MLflow or Weights & Biases on request; a failure there is only a warning."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from salva.errors import MissingExtraError, UsageError, extra
from salva.evaluation.results import CONTRAST_COLUMNS
from salva.evaluation.run import Run
from salva.evaluation.tables import COLUMNS

logger = logging.getLogger("salva")


def tracked_numbers(run: Run) -> dict[str, float]:
    """Return the numbers under flat names such as `typos/0.5/drop`."""
    return {
        f"{condition.name.replace('@', '/').replace('#', '/')}/{name}": value
        for columns, results in ((COLUMNS, run.results.conditions), (CONTRAST_COLUMNS, run.results.contrasts))
        for condition in results
        for column in columns
        if column.statistic is not None and not column.is_text
        for name, value in column.plain_values(condition).items()
        if value is not None
    }


def log_run(run: Run, tracker: str) -> None:
    """Send numbers, settings and the report to a tracker; never fail for what happens there."""
    check_tracker(tracker)
    try:
        TRACKERS[tracker](run)
    except Exception as error:  # noqa: BLE001  (a finished run must survive a server that is down)
        logger.warning("nothing was logged to %s: %s", tracker, error)


def check_tracker(tracker: str) -> None:
    """Refuse a tracker that is unknown or not installed: a run may take hours."""
    if tracker not in TRACKERS:
        raise UsageError(f"tracker {tracker!r} is unknown; choose from {', '.join(TRACKERS)}")
    with extra(tracker):
        if find_spec(tracker) is None:
            raise MissingExtraError(tracker, extra=tracker)


def _parameters(run: Run) -> dict[str, Any]:
    results = run.results
    return {
        "model": results.model.name,
        "data": results.data.name,
        "rows": results.data.rows,
        "seed": results.settings["seed"],
        "signature": results.signature,
    }


def _mlflow(run: Run) -> None:
    with extra("mlflow"):
        import mlflow
    with mlflow.start_run(run_name=f"salva {run.results.data.name}", nested=mlflow.active_run() is not None):
        mlflow.log_params(_parameters(run))
        mlflow.log_metrics({name.replace("@", "_"): value for name, value in tracked_numbers(run).items()})
        if run.folder is not None:
            mlflow.log_artifact(str(run.folder / "report.html"))


def _wandb(run: Run) -> None:
    with extra("wandb"):
        import wandb
    with wandb.init(project="salva", config=_parameters(run)) as logged:
        logged.log(tracked_numbers(run))
        if run.folder is not None:
            logged.log({"report": wandb.Html((run.folder / "report.html").read_text("utf-8"))})


TRACKERS: dict[str, Callable[[Run], None]] = {"mlflow": _mlflow, "wandb": _wandb}
