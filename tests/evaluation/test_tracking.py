"""Numbers to trackers: a run never fails for them."""

from __future__ import annotations

import pytest

from salva.errors import UsageError
from salva.evaluation import evaluate, log_run
from salva.evaluation.tracking import tracked_numbers
from tests.evaluation.keywords import classify

ROWS = [("A great film", "positive"), ("A dull film", "negative")] * 5


@pytest.fixture
def run(tmp_path):
    return evaluate(ROWS, classify, presets=["typos"], severities=[0.5], out=tmp_path / "run")


def test_names_are_flat(run):
    names = tracked_numbers(run)
    assert names["typos/0.5/accuracy_before"] == 100
    assert "typos/render/drop_low" in names


@pytest.mark.slow
def test_mlflow_gets_numbers_parameters_and_the_page(run, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "ml").as_uri())
    mlflow.set_tracking_uri((tmp_path / "ml").as_uri())
    log_run(run, "mlflow")
    (logged,) = mlflow.search_runs(output_format="list")
    assert logged.data.metrics["typos/0.5/accuracy_before"] == 100
    assert logged.data.params["rows"] == "10"
    assert list((tmp_path / "ml").rglob("report.html"))


@pytest.mark.slow
def test_a_tracker_that_fails_is_a_warning(run, monkeypatch, caplog):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setattr(mlflow, "start_run", lambda **_: 1 / 0)
    log_run(run, "mlflow")
    assert "nothing was logged to mlflow: division by zero" in caplog.text


def test_an_unknown_tracker_is_refused(run):
    with pytest.raises(UsageError, match="tracker 'tensorboard' is unknown; choose from mlflow, wandb"):
        log_run(run, "tensorboard")
