"""The kind judge: what a judge is asked, and what its verdicts mean."""

from __future__ import annotations

import pytest

from salva.errors import UsageError
from salva.tasks import make_task

CONTENT = {
    "prompt": "Q: {question}",
    "edit": ["question"],
    "target": "answer",
    "answer": {
        "kind": "judge",
        "rubric": "{question}\n<reply>{reply}</reply>\nRight: {target}, said {who}. {{JSON}}",
        "verdicts": {"correct": 1, "partly": 0.5, "incorrect": 0},
    },
}
ROW = {"question": "Who {reply}?", "answer": "{target} Ann; Bea", "who": "{question}"}


def judge_of(**answer):
    return make_task("own", {**CONTENT, "answer": {**CONTENT["answer"], **answer}}).answer


def scaled(low, high, **answer):
    return judge_of(verdicts={}, scale=[low, high], **answer)


def test_nothing_in_question_reply_target_or_columns_is_interpreted():
    task = make_task("own", CONTENT | {"target_separator": ";"})
    asked = task.ask_judge("{who} {{x}} %s {target}", task.expect(ROW), "Q: Who {reply} {x}?")
    assert asked.text == (
        "Q: Who {reply} {x}?\n<reply>{who} {{x}} %s {target}</reply>\n"
        "Right: {target} Ann or Bea, said {question}. {JSON}"
    )
    assert asked.options == ("correct", "partly", "incorrect")


def test_a_row_without_what_the_rubric_needs_is_not_asked_about():
    task = make_task("own", CONTENT)
    assert task.fill(ROW) is not None
    assert task.fill(ROW | {"who": None}) is None
    assert task.fill(ROW | {"answer": None}) is None
    assert set(task.kept_columns) == {"answer", "who"}


def test_a_reply_without_what_counts_is_not_judged():
    task = make_task("own", {**CONTENT, "answer": CONTENT["answer"] | {"json_field": "a"}})
    expected = task.expect(ROW)
    assert task.ask_judge("no JSON", expected, "Who?") is None
    assert "<reply>Ann</reply>" in task.ask_judge('{"a": "Ann"}', expected, "Who?").text


@pytest.mark.parametrize(
    ("judge", "text", "verdict"),
    [
        (judge_of(), "Correct.", ("correct", 1.0)),
        (judge_of(), "<think>incorrect?</think> **partly**", ("partly", 0.5)),
        (judge_of(), "The reply is incorrect", ("incorrect", 0.0)),
        (judge_of(), "It is not correct", None),
        (judge_of(), "correct or incorrect", None),
        (judge_of(), "", None),
        (judge_of(verdict_field="verdict"), '{"why": "incorrect", "verdict": "correct"}', ("correct", 1.0)),
        (judge_of(verdict_pattern=r"\[\[(\w+)\]\]"), "incorrect? [[correct]]", ("correct", 1.0)),
        (scaled(1, 5), "4", ("4", 0.75)),
        (scaled(1, 5), "Rating: 4/5", ("4", 0.75)),
        (scaled(1, 5), "I give 2 out of 5.", ("2", 0.25)),
        (scaled(1, 5), "0", None),
        (scaled(1, 5), "6", None),
        (scaled(0, 10), "7.5 / 10", ("7.5", 0.75)),
        (scaled(0, 10), "ten", None),
    ],
)
def test_a_verdict_is_read_like_any_reply(judge, text, verdict):
    assert judge.read_verdict(text) == verdict


def test_a_wrong_reply_is_never_the_right_answer_whatever_the_target_is_called():
    task = make_task("own", CONTENT)
    expected = task.expect(ROW | {"answer": "judged incorrect"})
    judge = task.answer
    assert judge.grade_verdict(judge.read_verdict("correct"), expected).answer == "judged incorrect"
    assert judge.grade_verdict(judge.read_verdict("incorrect"), expected).answer == "judged incorrect*"


def test_without_a_target_an_accepted_reply_is_right():
    content = {**CONTENT, "answer": CONTENT["answer"] | {"rubric": "Is it kind? {reply}", "right_from": 0.5}}
    del content["target"]
    task = make_task("own", content)
    expected = task.expect({"question": "x"})
    assert expected.label == "accepted"
    assert task.answer.grade_verdict(task.answer.read_verdict("partly"), expected) == ("accepted", 0.5)
    assert task.answer.is_graded


def test_a_reply_is_not_graded_without_a_verdict():
    task = make_task("own", CONTENT)
    with pytest.raises(UsageError, match="replies to this task are graded by a judge"):
        task.grade("Ann", task.expect(ROW))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"rubric": "Is it right?"}, r"needs a rubric, a text in which \{reply\} stands for the reply"),
        ({"verdicts": {}}, "needs either verdicts, each with its score, or a scale"),
        ({"scale": [1, 5]}, "needs either verdicts, each with its score, or a scale"),
        ({"verdicts": {}, "scale": [5, 1]}, "scale must be two numbers, the lowest and the highest"),
        ({"verdicts": {}, "scale": ["low", "high"]}, r"answer\.scale\[0\] = 'low' must be a number"),
        ({"verdicts": {}, "scale": [1]}, r"answer\.scale = \[1\] must be a list of 2 numbers"),
        ({"verdicts": {"good": 2, "bad": 0}}, r"answer\.verdicts\.good = 2 must be a number between 0 and 1"),
        ({"verdicts": {"good": 1}}, "two or more labels"),
        ({"verdict_pattern": "("}, "is not a regular expression"),
        ({"judge": "command:rm -rf x"}, "answer.judge is unknown"),
    ],
)
def test_a_rubric_that_cannot_work_is_refused(answer, message):
    with pytest.raises(UsageError, match=message):
        judge_of(**answer)


def test_a_rubric_with_a_target_needs_its_column():
    with pytest.raises(UsageError, match=r"the rubric has \{target\}, but the task names no target column"):
        make_task("own", {name: value for name, value in CONTENT.items() if name != "target"})
