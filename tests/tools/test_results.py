"""The experiments of docs/results: steps that are skipped and resumed, numbers that come from runs alone."""

from __future__ import annotations

import json
import shutil
import sys

import pytest

import salva
from salva.rows import reviews
from tests.conftest import ROOT
from tools.results.pages import CHOOSING, PAGES, fill_guide, make_pages
from tools.results.recording import RECORDED, record_all
from tools.results.running import run_steps
from tools.results.steps import Plan, Step, list_steps
from tools.results.tables import Recorded


def python(program: str, *arguments) -> tuple[str, ...]:
    return (sys.executable, "-c", program, *map(str, arguments))


WRITE = "import sys; open(sys.argv[1], 'a').write('x')"


def test_the_pages_and_the_guide_are_what_was_recorded():
    held = Recorded(RECORDED)
    for name, content in make_pages(held).items():
        assert (PAGES / name).read_text("utf-8") == content, f"{name}: run python -m tools.results write"
    text = CHOOSING.read_text("utf-8")
    assert fill_guide(text, held) == text, "run python -m tools.results write"


def test_there_is_no_page_without_a_recorded_run(tmp_path):
    assert make_pages(Recorded(tmp_path)) == {}


def test_every_step_needs_only_what_is_given_or_made_before(tmp_path):
    plan = Plan(tmp_path / "data", tmp_path / "work", tmp_path / "inputs")
    made: set[object] = set()
    steps = list_steps(plan)
    for step in steps:
        assert [path for path in step.needs if plan.work in path.parents and path not in made] == []
        made.add(step.makes)
    assert len({step.slug for step in steps}) == len(made) == len(steps)


def test_a_step_that_is_done_is_not_run_again(tmp_path, capsys):
    step = Step("one", python(WRITE, tmp_path / "a"), tmp_path / "a")
    assert run_steps([step], tmp_path) == []
    assert run_steps([step], tmp_path) == []
    assert (tmp_path / "a").read_text() == "x"
    assert "1 of 1 steps are done" in capsys.readouterr().out


def test_a_step_waits_for_what_it_needs_and_its_command_is_kept(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    steps = [
        Step("second", python(WRITE, second), second, (first,)),
        Step("first", python(WRITE, first), first, places=((tmp_path, "WORK"),)),
    ]
    assert run_steps(steps, tmp_path, jobs=2) == []
    held = json.loads((tmp_path / "commands/first.json").read_text())
    assert "WORK/a" in held["command"]
    assert str(tmp_path) not in held["command"]


def test_a_step_that_fails_or_lacks_something_is_named(tmp_path, capsys):
    failing = Step("failing", python("raise SystemExit(7)"), tmp_path / "a")
    lacking = Step("lacking", python(WRITE, tmp_path / "b"), tmp_path / "b", (tmp_path / "none",))
    assert run_steps([failing, lacking], tmp_path) == [failing, lacking]
    shown = capsys.readouterr().out
    assert "failing: failed with 7" in shown
    assert f"not run: lacking, which needs {tmp_path / 'none'}" in shown


def test_output_appears_only_when_it_is_whole(tmp_path):
    out = tmp_path / "out.json"
    step = Step("one", python("print('{'); raise SystemExit(1)"), out, output=out)
    assert run_steps([step], tmp_path) == [step]
    assert not out.exists()


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    rows, presets = reviews("test").slice(0, 30), ["natural", "misspellings", "documents"]
    run = folder / "runs/encoder/all"
    salva.evaluate(rows, "builtin:reviews", presets=presets, severities=[1.0], out=run)
    shutil.copytree(run, folder / "runs/encoder-natural/all")
    return folder


@pytest.fixture(scope="module")
def recorded(work):
    assert len(list(record_all(work, work / "recorded"))) == 3
    return Recorded(work / "recorded")


def test_a_recorded_run_has_its_signature_and_no_text(recorded):
    run = recorded["encoder-all"]
    assert run["signature"].startswith("data:")
    texts = reviews("test").slice(0, 30)["text"].to_pylist()
    assert not any(text[:60] in json.dumps(run) for text in texts)


def test_pages_show_the_numbers_of_the_runs(recorded):
    files = make_pages(recorded)
    drop = recorded.condition("encoder", "typos@1")["drop"]
    assert f"{drop[0]:.1f} [{drop[1]:.1f}, {drop[2]:.1f}]" in files["meaning.md"]
    assert recorded["encoder-all"]["signature"] in files["runs.md"]
    assert "<svg" in files["encoder-drops.svg"]
    assert "How much of the published drops is left" in files["README.md"]
    assert "natural" in files["training.md"]


def test_models_with_equal_answers_do_not_differ(recorded):
    held = recorded["compare-encoder-natural"]
    assert held["changed_clean"] == [0, 0]
    assert all(value[0] == 0 for value in held["differences"].values())


@pytest.mark.usefixtures("recorded")
def test_a_run_is_recorded_again_only_if_it_is_newer(work):
    again = [path.name for path in record_all(work, work / "recorded")]
    assert again == ["compare-encoder-natural.json"]


def test_the_examples_say_how_to_get_every_input():
    text = (ROOT / "examples/README.md").read_text("utf-8")
    plan = Plan(ROOT / "data", ROOT / "work", ROOT / "inputs")
    needed = {path.name for step in list_steps(plan) for path in step.needs if path.parent == plan.inputs}
    assert [name for name in needed if name not in text] == []
