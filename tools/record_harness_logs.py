"""Record the logs in tests/harnesses/logs: let lm-evaluation-harness and Inspect run exported suites.

    make .venv-harnesses/stamp
    .venv/bin/python -m tools.record_harness_logs

The suites are those of tests/harnesses/conftest.py, the model is that of tests/language_model.py, and the
replies of Inspect's mock model are computed from the question. `versions.json` has the versions in use.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from salva.questions import Suite, export
from tests.harnesses.conftest import PYTHON, make_choices, make_replies
from tests.harnesses.running import run_inspect, run_lm_eval, run_python
from tests.language_model import write_language_model

LOGS = Path(__file__).parents[1] / "tests/harnesses/logs"
_VERSIONS = """
import importlib.metadata, json
print(json.dumps({name: importlib.metadata.version(name) for name in ("lm-eval", "inspect-ai")}, indent=1))
"""


def record_lm_eval(suite: Suite, folder: Path, model: Path, target: Path) -> None:
    """Run the exported folder with lm-eval, and keep its samples and its results."""
    target.mkdir(parents=True, exist_ok=True)
    for path in run_lm_eval(PYTHON, [suite], folder, model).rglob("*.json*"):
        name = path.name.rpartition("_")[0] + path.suffix  # without the time
        shutil.copy(path, target / name)
    place = target / "results.json"  # without the machine and its paths
    results = json.loads(place.read_text("utf-8"))["results"]
    place.write_text(json.dumps({"results": results}, indent=1) + "\n", "utf-8")


def record_inspect(suite: Suite, folder: Path, target: Path, kind: str) -> None:
    """Run the exported tasks with Inspect and its mock model, and keep the logs."""
    export(suite, folder, to="inspect")
    target.mkdir(parents=True, exist_ok=True)
    for path in run_inspect(PYTHON, "salva_tasks.py", folder, kind=kind):
        shutil.copy(path, target / f"{path.name.split('_')[1]}{path.suffix}")


def main() -> None:
    """Record everything."""
    shutil.rmtree(LOGS, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        choices, replies = make_choices(folder / "choices"), make_replies(folder / "replies")
        model = write_language_model(folder / "model")
        for suite in (choices, replies):
            home = folder / f"lm-eval-{suite.name}"
            record_lm_eval(suite, home, model, LOGS / "lm-eval" / suite.name)
        for kind in ("eval", "json"):
            record_inspect(replies, folder / kind, LOGS / "inspect" / kind, kind)
        versions = run_python(PYTHON, "-c", _VERSIONS, folder=folder)
    (LOGS / "versions.json").write_text(versions, "utf-8")


if __name__ == "__main__":
    main()
