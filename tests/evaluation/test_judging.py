"""A judge: another model grades replies; its verdicts are stored, counted and measured like answers."""

from __future__ import annotations

import json
import sqlite3
import sys
from itertools import count

import pytest

from salva import Measure
from salva.errors import ModelError, UsageError
from salva.evaluation import load_run, rescore
from salva.evaluation.judging import change_options
from salva.models import ModelOptions
from salva.models.protocol import combined
from salva.questions import estimate_cost, make_questions
from salva.questions.table import JUDGE, open_questions
from salva.tasks import make_task
from tests.evaluation.running import run as run_on

TASK = {
    "prompt": "{question}",
    "edit": ["question"],
    "target": "answer",
    "answer": {
        "kind": "judge",
        "rubric": "Question: {question}\nReply: {reply}\nRight: {target}",
        "verdicts": {"yes": 1, "half": 0.5, "no": 0},
    },
}
ROWS = [
    {"question": f"Who is really number {k}, my good friend?", "answer": f"name {k} <b>"} for k in range(20)
]


def name(prompts):
    """Name the right person, unless the words changed."""
    return [
        f"He is name {prompt.split('number ')[1].split(',')[0]} <b>" if "good friend" in prompt else "Nobody"
        for prompt in prompts
    ]


class Asked:
    """A judge that says whether the target is in the reply, and counts what it is asked."""

    def __init__(self):
        self.prompts = []

    def __call__(self, prompts):
        self.prompts += prompts
        return [self.judge(prompt) for prompt in prompts]

    def judge(self, prompt):
        reply, target = prompt.split("Reply: ")[1].split("\nRight: ")
        return "Yes." if target in reply else "No."


TYPOS = {"presets": "misspellings", "severities": 1.0}


def judged(judge, model=name, answer=None, **settings):
    task = make_task("own", {**TASK, "answer": TASK["answer"] | (answer or {})})
    usual = {**TYPOS, "task": task, "noise": 4, "alone": 2}
    return run_on(ROWS, model, judge=judge, **{**usual, **settings})


def test_verdicts_decide_and_the_same_reply_is_judged_once():
    judge = Asked()
    run = judged(judge)
    (condition,) = run.results.conditions
    found = run.results.judge
    assert condition.score.accuracy_before.value == 100
    lost = condition.score.right_to_wrong
    assert found.verdicts == {"no": lost, "yes": 40 - lost}
    # The clean question is in every rubric, so the same reply to text and twin is one call.
    assert all(row["question"] in "".join(judge.prompts) for row in ROWS)
    distinct = 20 + lost
    assert len(set(judge.prompts)) == distinct
    assert len(judge.prompts) == distinct + 4 + 2
    assert (found.noise.asked, found.noise.changed, found.turned, found.unparsed) == (4, 0, 0, 0)
    assert run.timings["judge"] >= 0
    assert "0 of 4 verdicts changed when the judge was asked again" in run.summary()
    assert set(run.answers["after"].to_pylist()) <= {"judged no", *(row["answer"] for row in ROWS)}


def test_the_noise_of_the_judge_is_measured_and_shown(tmp_path):
    turns = count()

    def whimsical(prompts):
        return [("yes", "half", "no")[next(turns) % 3] for _ in prompts]

    run = judged(whimsical, noise=20, out=tmp_path / "run", answer={"right_from": 0.5})
    found = run.results.judge
    assert found.noise.asked == 20
    assert 0 < found.turned < found.noise.changed
    assert found.noise.rate.low < found.noise.rate.value < found.noise.rate.high
    assert found.turned_rate.value == 5 * found.turned
    page = (tmp_path / "run/report.html").read_text()
    assert f"it changed {found.noise.changed} of 20 verdicts" in page
    assert "Replies were judged by another model:" in page
    assert json.loads((tmp_path / "run/results.json").read_bytes())["judge"]["noise"]["asked"] == 20
    assert run.results.conditions[0].replies.score_before is not None


def test_failed_and_unparsed_verdicts_are_apart_from_wrong_ones(tmp_path):
    class Weak(Asked):
        def judge(self, prompt):
            if "number 3," in prompt:
                raise ValueError("<script>alert(3)</script>")
            return "Well, <i>perhaps</i>" if "number 4," in prompt else super().judge(prompt)

    run = judged(Weak(), errors=0.5, noise=0, out=tmp_path / "run")
    (condition,) = run.results.conditions
    score, found = condition.score, run.results.judge
    assert (score.n, score.n_unjudged, score.n_failed, score.n_unparsed) == (18, 2, 0, 0)
    assert score.accuracy_before.value == 100
    assert condition.judged.unjudged_before.value == 10
    assert (found.failed, found.unparsed) == (2, 2)
    assert "ValueError: <script>alert(3)</script>" in found.failures[0].error
    page = (tmp_path / "run/report.html").read_text()
    assert "unjudged<br>before" in page
    assert "&lt;script&gt;alert(3)" in page
    assert "<script>alert(3)" not in page
    assert load_run(tmp_path / "run").results == run.results
    with pytest.raises(ModelError, match=r"the judge: .* of .* questions failed, more than errors= allows"):
        judged(Weak(), errors=0)


def test_a_judge_that_answers_nobody_stops_the_run():
    def broken(prompts):
        raise OSError("gone")

    with pytest.raises(ModelError, match=r"the judge: .*OSError: gone"):
        judged(broken)


def ask_again(prompts):
    pytest.fail("a stored verdict was asked for again")


MODULE = """
import sys

def name(prompts):
    return ["Nobody" if "good friend" not in prompt else prompt for prompt in prompts]

def judge(prompts):
    with open({calls!r}, "a") as stream:
        stream.write("x" * len(prompts))
    return ["no" if "Nobody" in prompt else "yes" for prompt in prompts]
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Two models in a module, which keep their digests; returns how many texts were judged."""
    calls = tmp_path / "calls"
    calls.touch()
    (tmp_path / "judging_models.py").write_text(MODULE.format(calls=str(calls)))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "judging_models", raising=False)
    return lambda: len(calls.read_text())


SPECS = {"judge": "python:judging_models:judge", "model": "python:judging_models:name"}


def test_a_resumed_run_has_the_same_bytes_and_asks_for_no_verdict_twice(tmp_path, models):
    given = {**SPECS, "blame_calls": 8}
    whole = judged(**given, out=tmp_path / "whole")
    needed = models()
    with pytest.raises(UsageError, match="needs more calls than calls=70 allows"):
        judged(**given, out=tmp_path / "part", calls=70)
    assert needed < models() < 2 * needed
    judged(**given, out=tmp_path / "part", resume=True)
    assert models() == 2 * needed
    assert json.loads((tmp_path / "whole/timings.json").read_bytes())["verdicts_asked"] == needed
    for file in ("results.json", "report.html", "answers.parquet", "run.json"):
        assert (tmp_path / "part" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file
    judged(**given, out=tmp_path / "part", resume=True)
    assert models() == 2 * needed
    assert json.loads((tmp_path / "whole/run.json").read_bytes())["judge"]["name"] == SPECS["judge"]
    assert "|judge:" in whole.results.signature


def test_every_question_to_the_judge_is_in_the_table_with_its_verdict(tmp_path):
    judge = Asked()
    run = judged(judge, blame_calls=8, out=tmp_path / "run")
    home = tmp_path / "run/questions"
    parts = [path.stem for path in sorted(home.glob("judge-*.parquet"))]
    assert [name.split("-")[1] for name in parts] == ["again", "blame", "made", "repeated"]
    rows = open_questions(home, parts).to_arrow().to_pylist()
    assert {row["parts"][0] for row in rows} == set(judge.prompts)
    made = [row for row in rows if row["purpose"] == JUDGE and row["condition"] == "clean"]
    assert {row["id"] for row in made} == {str(k) for k in range(20)}
    digest = combined("judge", run.results.judge.digest)
    with sqlite3.connect(tmp_path / "run/answers.db") as database:
        logged = dict(database.execute("SELECT key, reply FROM log WHERE model = ?", [digest]))
    assert {row["key"] for row in rows} == logged.keys()
    assert {logged[row["key"]] for row in made} == {"Yes."}


def test_a_model_may_judge_its_own_replies():
    rows = [{"question": f"Say {k}", "answer": "yes"} for k in range(4)]
    task = {"prompt": "Yes? {question}", "edit": ["question"], "target": "answer"}
    task["answer"] = {"kind": "judge", "rubric": "{reply}", "verdicts": {"yes": 1, "no": 0}}
    asked = []

    def echo(prompts):
        asked.extend(prompts)
        return ["Yes? Say 1" if "Say" in prompt else "no" for prompt in prompts]

    run = run_on(rows, echo, judge=echo, task=make_task("own", task), **TYPOS)
    # A question to the judge is not a question to the model, though it has the same words.
    assert asked.count("Yes? Say 1") == 2
    assert run.results.judge.verdicts == {"yes": 8}
    assert run.results.conditions[0].score.accuracy_before.value == 100


def test_the_judge_is_told_the_new_right_answer_of_a_contrast():
    rows = [{"question": f"Was the film number {k} good?", "answer": "it was"} for k in range(4)]
    task = {"prompt": "{question}", "edit": ["question"], "target": "answer"}
    task["answer"] = {"kind": "judge", "rubric": "{reply} = {target}", "verdicts": {"yes": 1, "no": 0}}
    task["contrast"] = {"opposites": {"it was": "it was not"}}

    def model(prompts):
        return ["it was" if "good" in prompt else "it was not" for prompt in prompts]

    def judge(prompts):
        return ["yes" if len(set(prompt.split(" = "))) == 1 else "no" for prompt in prompts]

    run = run_on(rows, model, judge=judge, task=make_task("own", task), **TYPOS | {"presets": "antonyms"})
    score = run.results.contrasts[0].score
    assert (score.n, score.sensitivity.value, score.on_target.value) == (4, 100, 100)
    assert run.results.judge.verdicts == {"no": 4, "yes": 4}  # as answers to the clean question


def test_replies_that_are_all_unparsed_are_not_judged():
    with pytest.raises(ModelError, match="no reply of the model has an answer; the first: 'Nobody'"):
        judged(ask_again, lambda prompts: ["Nobody"] * len(prompts), answer={"json_field": "name"})


def test_verdicts_are_scored_again_without_judge_and_model(tmp_path, models):
    run = judged(**SPECS, out=tmp_path / "run")
    needed = models()
    again = rescore(tmp_path / "run")
    assert again.results == run.results
    other = {**TASK, "answer": TASK["answer"] | {"verdicts": {"yes": 0, "half": 0.5, "no": 1}}}
    turned = rescore(tmp_path / "run", task=make_task("own", other))
    assert turned.results.conditions[0].score.accuracy_before.value == 0
    assert models() == needed
    rubric = make_task("own", {**TASK, "answer": TASK["answer"] | {"rubric": "Is {reply} right?"}})
    with pytest.raises(UsageError, match="the run has no verdicts for this rubric; ask the judge with salva"):
        rescore(tmp_path / "run", task=rubric)


def test_another_judge_or_rubric_can_judge_the_replies_of_a_run(tmp_path, models):
    judged(**SPECS, out=tmp_path / "run")
    calls = {"out": tmp_path / "run", "resume": True, "model": SPECS["model"]}

    def strict(prompts):
        return ["no"] * len(prompts)

    run = judged(strict, calls=60, **calls)  # those of the judge alone
    assert run.results.conditions[0].score.accuracy_before.value == 0
    needed = models()
    judged(SPECS["judge"], answer={"rubric": "{reply}"}, **calls)
    assert models() > needed
    needed = models()
    judged(SPECS["judge"], **calls)
    assert models() == needed


def test_a_judge_is_needed_if_and_only_if_the_task_has_a_rubric():
    with pytest.raises(UsageError, match="the task has a rubric for a judge; name a model with judge="):
        judged(None)
    with pytest.raises(UsageError, match="judge= is for tasks of the kind judge; leave it out"):
        judged(ask_again, task="short-answer")
    with pytest.raises(UsageError, match="model 'builtin:reviews' does not write text"):
        judged("builtin:reviews")


def test_the_calls_of_the_judge_are_counted_before_they_are_made():
    measure = {"noise": 4, "alone": 2, "flips": 1, "blame_calls": 2}
    cost = estimate_cost(make_questions(ROWS, task=make_task("own", TASK), **TYPOS), Measure(**measure))
    judge = Asked()
    assert cost.most_judge_calls == cost.distinct + (4 + 2) + 2 + (4 + 2)
    judged(judge, calls=cost.most_calls + cost.most_judge_calls, **measure)
    assert len(judge.prompts) <= cost.most_judge_calls


def test_the_fields_of_the_models_requests_are_not_the_judges():
    options = ModelOptions(request={"reasoning_effort": "low"}, retries=2)
    own = change_options(options, {})
    assert (own.request, own.retries) == ({}, 2)
    assert change_options(options, {"request": {"seed": 1}}).request == {"seed": 1}
