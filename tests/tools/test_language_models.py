"""The data and tasks of `benchmarks/language_models`: rows made from small files, and prompts that fit."""

from __future__ import annotations

import importlib
import json

import pytest

from salva.tasks import read_prompts, read_task, reword
from tests.conftest import ROOT

HERE = ROOT / "benchmarks/language_models"
TASKS = sorted(path.stem for path in (HERE / "tasks").glob("*.toml"))
COPA = """<copa-corpus><item id="1" asks-for="cause" most-plausible-alternative="2">
<p>The man fell.</p><a1>I saw him.</a1><a2>The floor was wet.</a2></item></copa-corpus>"""
TRUTHFULQA = '\ufeffQuestion,Best Answer,Incorrect Answers\n"Who, then?",Nobody,Somebody; Everybody;\n'
SNARKS = ["Which?\nOptions:\n(A) So nice\n(B) So bad", "Which?\nOptions:\n(A) The NB"]


@pytest.fixture
def prepare(monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    return importlib.import_module("prepare")


@pytest.mark.parametrize("name", TASKS)
def test_every_task_has_four_other_prompts(name):
    task, prompts = read_task(HERE / f"tasks/{name}.toml"), read_prompts(HERE / f"prompts/{name}.toml")
    assert len(prompts) == 4
    assert len({reword(task, key, prompt).digest for key, prompt in prompts.items()} | {task.digest}) == 5


def test_a_premise_and_its_alternatives_are_one_sentence(prepare, tmp_path):
    (tmp_path / "balanced-copa-dev-all.xml").write_text(COPA)
    [row] = prepare.copa(tmp_path)
    question = read_task(HERE / "tasks/copa.toml").fill({key: str(value) for key, value in row.items()})
    assert question.prompt.text == "The man fell because"
    assert question.prompt.options == ("I saw him.", "the floor was wet.")
    assert row["answer"] == 2


def test_the_best_answer_is_among_the_incorrect_ones(prepare, tmp_path):
    (tmp_path / "truthfulqa.csv").write_text(TRUTHFULQA, "utf-8")
    [row] = prepare.truthfulqa(tmp_path)
    assert sorted(row["choices"]) == ["Everybody", "Nobody", "Somebody"]
    assert row["choices"][row["answer"] - 1] == "Nobody"


def test_an_item_with_one_statement_is_left_out(prepare, tmp_path):
    examples = [{"input": text, "target": "(A)"} for text in SNARKS]
    (tmp_path / "bbh-snarks.json").write_text(json.dumps({"examples": examples}))
    [row] = prepare.snarks(tmp_path)
    assert (row["first"], row["second"], row["answer"]) == ("So nice", "So bad", "A")


def test_the_page_has_the_figures_of_the_runs(prepare):
    page = importlib.import_module("page")
    figures = json.loads(page.FIGURES.read_text("utf-8"))
    assert page.PAGE.read_text("utf-8") == page.page(figures, page.COMPARISON.read_text("utf-8"))
