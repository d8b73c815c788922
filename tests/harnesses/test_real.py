"""The real harnesses run exported suites offline, and their accuracies are Salva's item by item.

They are in an environment of their own, `.venv-harnesses`, which `make test-all` makes.
"""

from __future__ import annotations

import json

import pytest

import salva
from salva.harnesses import read_log, read_samples
from salva.questions import export
from salva.tasks import make_task, read_task
from tests.flat import flat
from tests.harnesses.conftest import CHOICE
from tests.harnesses.running import run_inspect, run_lm_eval
from tests.harnesses.test_logs import PARTS, grades
from tests.language_model import write_language_model

pytestmark = pytest.mark.slow


def own_scores(log):
    return {reply.salva: reply.score == 1 for reply in log}


@pytest.fixture(scope="module")
def language_model(python, tmp_path_factory):
    return write_language_model(tmp_path_factory.mktemp("model") / "model")


@pytest.fixture(scope="module")
def lm_eval_logs(python, choices, replies, language_model, tmp_path_factory):
    """The logs of lm-eval over both suites."""
    return run_lm_eval(python, [choices, replies], tmp_path_factory.mktemp("lm-eval"), language_model)


def find_samples(logs, suite):
    """Return the samples of every condition of a suite."""
    return [list(read_samples(next(logs.rglob(f"samples_{suite.name}_{part}_*.jsonl")))) for part in PARTS]


def test_the_accuracy_of_lm_eval_is_salvas_item_by_item(lm_eval_logs, choices, replies):
    for suite, task in ((choices, make_task("films", CHOICE)), (replies, read_task("short-answer"))):
        for part, log in enumerate(find_samples(lm_eval_logs, suite)):
            assert grades(suite, part, log, task) == own_scores(log)


def test_a_run_over_the_logs_has_the_accuracies_and_answers_of_lm_eval(
    lm_eval_logs, choices, language_model, tmp_path
):
    for path in lm_eval_logs.rglob("samples_films_*.jsonl"):
        (tmp_path / path.name).symlink_to(path)
    read = salva.evaluate(choices.path, f"log:{tmp_path}")
    own = json.loads(next(lm_eval_logs.rglob("results_*.json")).read_text("utf-8"))["results"]
    for condition, part in zip(read.results.conditions, PARTS[1:], strict=True):
        assert condition.score.accuracy_before.value == pytest.approx(100 * own["films_clean"]["acc,none"])
        assert condition.score.accuracy_after.value == pytest.approx(100 * own[f"films_{part}"]["acc,none"])
    options = flat(choose_by="likelihood")
    asked = salva.evaluate(choices.path, f"hf:{language_model}", options=options)
    assert asked.answers.equals(read.answers)


@pytest.fixture(scope="module")
def exported_logs(python, replies, tmp_path_factory):
    """The logs of Inspect over an exported suite, one per condition."""
    folder = tmp_path_factory.mktemp("inspect") / "tasks"
    export(replies, folder, to="inspect")
    return run_inspect(python, "salva_tasks.py", folder, kind="eval")


def test_the_accuracy_of_inspect_is_salvas_item_by_item(exported_logs, replies):
    assert len(exported_logs) == len(PARTS)
    for part, name in enumerate(PARTS):
        [path] = [path for path in exported_logs if f"_short-{name.replace('_', '-')}_" in path.name]
        log = list(read_log(path))
        right = grades(replies, part, log, read_task("short-answer"))
        assert right == own_scores(log)
        assert len(set(right.values())) == 2


def test_inspect_asks_a_suite_by_its_folder(python, exported_logs, replies, tmp_path):
    own = {"suite": str(replies.path)}
    given = [own, own | {"condition": "contractions@1"}]
    logs = run_inspect(python, "salva/suite", tmp_path, kind="json", arguments=given)
    [path] = [path for path in logs if "_short_" in path.name]
    [one] = [path for path in logs if "_short-contractions-1_" in path.name]
    assert {reply.salva for reply in read_log(one)} == {reply.salva for reply in read_log(exported_logs[1])}
    found = {reply.salva: reply for reply in read_log(path)}
    assert found == {reply.salva: reply for log in exported_logs for reply in read_log(log)}
    [scored] = json.loads(path.read_text("utf-8"))["results"]["scores"]
    run = salva.evaluate(replies.path, f"log:{path}")
    before = {one.score.accuracy_before.value for one in run.results.conditions}
    after = {one.name: one.score.accuracy_after.value for one in run.results.conditions}
    own = {name: 100 * metric["value"] for name, metric in scored["metrics"].items() if name != "stderr"}
    assert own == pytest.approx({"clean": before.pop(), **after})
