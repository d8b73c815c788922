"""`salva tasks`: the list, the files, and a look at what a task makes of data."""

from __future__ import annotations

import json
import sys

import pytest

from salva.tasks import shipped_tasks
from tests.conftest import SHARED


def test_the_list_shows_every_task_and_its_columns(salva):
    code, out, _ = salva("tasks")
    assert code == 0
    assert all(name in out for name in shipped_tasks())
    assert [task["name"] for task in json.loads(salva("tasks", "--json").out)] == shipped_tasks()


def test_a_shown_task_is_a_file_that_works(salva, tmp_path):
    (tmp_path / "mine.toml").write_text(salva("tasks", "show", "yes-no").out)
    (tmp_path / "data.csv").write_text("question,answer\nIs 5 odd?,yes\nIs 4 odd?,no\n")
    code, out, _ = salva("tasks", "check", "mine.toml", "data.csv", "--reply", "Yes.", "--reply", "Hm")
    assert code == 0
    assert "row 1, right answer: 'yes'\nIs ⟦5⟧ odd?\n\nAnswer with yes or no only." in out
    assert out.count("reply 'Yes.': answer 'yes', score 1") == 1
    assert out.count("reply 'Yes.': answer 'yes', score 0") == 1
    assert out.count("reply 'Hm': unparsed") == 2
    rows = json.loads(salva("tasks", "check", "mine.toml", "data.csv", "--json").out)
    assert [row["targets"] for row in rows] == [["yes"], ["no"]]
    start, stop = rows[0]["editable"][0]
    assert rows[0]["text"][start:stop] == "Is 5 odd?"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("question,answr\nWhy?,yes\n", "data.csv: no column 'answer'; columns: 'question', 'answr'"),
        (
            "question,answer\nWhy?,because\n",
            "data.csv: row 1: column 'answer' has 'because', which cannot be",
        ),
        ("question,answer\n", "data.csv: no row has a value in all columns of the task: question"),
    ],
)
def test_data_that_does_not_fit_gets_one_line(salva, tmp_path, data, problem):
    (tmp_path / "data.csv").write_text(data)
    code, _, err = salva("tasks", "check", "yes-no", "data.csv")
    assert code == 3
    assert problem in err.splitlines()[-1]


BBH = """
prompt = "{input}"
edit = ["input"]
target = "target"
[options]
column = "input"
pattern = '^\\((\\w)\\) (.+)$'
[answer]
kind = "choice"
"""


def test_real_tasks_fit(salva, tmp_path):
    folder = SHARED / "data/tasks"
    if not folder.is_dir():
        pytest.skip("needs the tasks in ../shared, which are not part of the project")
    checked = salva("tasks", "check", "arithmetic", folder / "gsm8k-test.jsonl", "--rows", "1319", "--json")
    rows = json.loads(checked.out)
    assert [row["targets"][0] for row in rows[:3]] == ["18", "3", "70000"]
    assert len(rows) == 1319
    examples = json.loads((folder / "bbh-date_understanding.json").read_text())["examples"]
    (tmp_path / "bbh.jsonl").write_text("".join(json.dumps(row) + "\n" for row in examples))
    (tmp_path / "bbh.toml").write_text(BBH)
    rows = json.loads(salva("tasks", "check", "bbh.toml", "bbh.jsonl", "--rows", "250", "--json").out)
    assert [row["targets"][0] for row in rows] == [row["target"].strip("()") for row in examples]


JUDGED = """
prompt = "{question}"
edit = ["question"]
target = "answer"
[answer]
kind = "judge"
rubric = "Question: {question} Reply: {reply} Right: {target}"
verdicts = {right = 1, wrong = 0}
"""
JUDGE = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "options" in asked:
        assert asked["options"] == ["right", "wrong"]
    print(json.dumps({"id": asked["id"], "output": "right" if "Ann" in asked["text"] else "Ann or Bea"}))
"""


def test_a_judge_is_named_on_the_command_line_and_nowhere_else(salva, tmp_path):
    (tmp_path / "mine.toml").write_text(JUDGED)
    (tmp_path / "judge.py").write_text(JUDGE)
    (tmp_path / "data.csv").write_text("question,answer\n" + "Who is really there now?,Ann\n" * 3)
    code, out, _ = salva("tasks", "check", "mine.toml", "data.csv", "--reply", "Ann {target}")
    assert (code, "Reply: Ann {target} Right: Ann" in out) == (0, True)
    spec = f"command:{sys.executable} judge.py"
    asked = ("evaluate", "data.csv", "--task", "mine.toml", "--model", spec, "--severity", "1", "-o", "run")
    code, _, err = salva(*asked)
    assert (code, (tmp_path / "run").exists()) == (2, False)
    assert "the task has a rubric for a judge; name a model with --judge" in err
    code, _, err = salva(*asked, "--judge", spec, "-M", "judge.max_new_token=3")
    wrong = "no option 'judge.max_new_token' of a model; did you mean 'max_new_tokens'?"
    assert (code, wrong in err) == (2, True)
    code, _, err = salva(*asked, "-M", "judge.batch_size=2")
    assert (code, "there is no judge; name one with --judge SPEC" in err) == (2, True)
    counted = ("questions", "data.csv", "--task", "mine.toml", "--severity", "1")
    plan = json.loads(salva(*counted, "--json").out)
    assert plan["most_judge_calls"] >= plan["distinct"] > 0
    assert "the judge is asked for at most" in salva(*counted).out
    code, out, _ = salva(*asked, "--judge", spec, "-M", "judge.batch_size=2")
    assert code == 0
    assert "Replies were judged by another model: 0 of" in " ".join(out.split())
