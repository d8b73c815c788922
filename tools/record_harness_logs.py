"""Record the logs in tests/harnesses/logs: let lm-evaluation-harness and Inspect run exported suites.

Run it in an environment that has lm-eval with its extra hf, inspect-ai and Salva:

    python -m tools.record_harness_logs

The suites are those of tests/harnesses/conftest.py, the model is that of tests/language_model.py, and the
replies of Inspect's mock model are computed from the question. `versions.json` has the versions in use.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from salva.evaluation import freeze
from salva.suites import Suite, export
from salva.tasks import make_task
from tests.harnesses.conftest import CHOICE, ROWS, SHORT, USUAL
from tests.language_model import write_language_model

LOGS = Path(__file__).parents[1] / "tests/harnesses/logs"
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def record_lm_eval(suite: Suite, folder: Path, model: Path, target: Path) -> None:
    """Run the exported folder with lm-eval, and keep its samples and its results."""
    export(suite, folder / suite.manifest.name, to="lm-eval")
    command = [sys.executable, "-m", "lm_eval", "run", "--model", "hf", "--device", "cpu", "--log_samples"]
    command += ["--model_args", f"pretrained={model},dtype=float32", "--gen_kwargs", "max_gen_toks=6"]
    command += ["--include_path", str(folder / suite.manifest.name), "--tasks", suite.manifest.name]
    command += ["--output_path", str(folder / "out")]
    subprocess.run(command, env=os.environ | _OFFLINE, check=True)  # noqa: S603
    target.mkdir(parents=True, exist_ok=True)
    for path in (folder / "out").rglob("*.json*"):
        name = path.name.rpartition("_")[0] + path.suffix  # without the time
        shutil.copy(path, target / name)
    place = target / "results.json"  # without the machine and its paths
    results = json.loads(place.read_text("utf-8"))["results"]
    place.write_text(json.dumps({"results": results}, indent=1) + "\n", "utf-8")
    shutil.rmtree(folder / "out")


def reply(messages: list[Any], *_: Any) -> Any:
    """Return what the mock model replies: something, which sometimes is right."""
    from inspect_ai.model import ModelOutput, ModelUsage

    text = str(messages[-1].content)
    words = ("story", "film", "good", "I do not know.")
    output = ModelOutput.from_content("mockllm/model", words[len(text) % 4])
    # Without it, the tokens are counted with a file that would have to be downloaded.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def record_inspect(suite: Suite, folder: Path, target: Path, kind: Any) -> None:
    """Run the exported tasks with Inspect and its mock model, and keep the logs."""
    import inspect_ai
    from inspect_ai.model import get_model

    export(suite, folder / "inspect", to="inspect")
    model = get_model("mockllm/model", custom_outputs=reply)
    with contextlib.chdir(folder / "inspect"):  # it takes no absolute path
        inspect_ai.eval("salva_tasks.py", model=model, log_dir=str(folder / "log"), log_format=kind)
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted((folder / "log").glob(f"*.{kind}")):
        shutil.copy(path, target / f"{path.name.split('_')[1]}{path.suffix}")


def main() -> None:
    """Record everything."""
    shutil.rmtree(LOGS, ignore_errors=True)
    usual: dict[str, Any] = USUAL
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        choices = freeze(ROWS, folder / "choices", task=make_task("films", CHOICE), name="films", **usual)
        replies = freeze(SHORT, folder / "replies", task="short-answer", name="short", **usual)
        model = write_language_model(folder / "model")
        for suite in (choices, replies):
            record_lm_eval(suite, folder, model, LOGS / "lm-eval" / suite.manifest.name)
        for kind in ("eval", "json"):
            record_inspect(replies, folder / kind, LOGS / "inspect" / kind, kind)
    versions = {name: importlib.metadata.version(name) for name in ("lm-eval", "inspect-ai")}
    (LOGS / "versions.json").write_text(json.dumps(versions, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
