"""Rows become questions; what must not change is found in them."""

from __future__ import annotations

import json

import pytest

from salva.errors import InputError, UsageError
from salva.tasks import Expected, Template, make_task, read_task


def shown(task, column, row):
    return [row[column][start:stop] for start, stop in task.protected(column, row)]


def test_messages_keep_their_roles_and_values_have_places():
    content = {
        "messages": [
            {"role": "system", "content": "Answer in {language}."},
            {"role": "user", "content": "Q: {question}"},
        ],
        "edit": ["question"],
        "answer": {"kind": "text"},
    }
    own = make_task("own", content)
    prompt, starts = own.fill({"language": "{question}", "question": "Why?"})
    assert [tuple(message) for message in prompt.messages] == [
        ("system", "Answer in {question}."),
        ("user", "Q: Why?"),
    ]
    assert prompt.text == "[system]\nAnswer in {question}.\n\n[user]\nQ: Why?"
    assert prompt.text[starts["question"] :] == "Why?"
    assert prompt.text[starts["language"] :].startswith("{question}.")
    assert own.kept_columns == ("language",)
    assert own.fill({"language": None, "question": "Why?"}) is None


def test_targets_may_be_several_or_a_part_of_a_solution(task):
    several = task(target_separator=";")
    assert several.expect({"answer": "the UK; Britain;"}).targets == ("uk", "britain")
    arithmetic = read_task("arithmetic")
    for value in ("She has 5.\n#### 1,018", "1018", " 1,018.0\n"):
        assert arithmetic.expect({"answer": value}).targets == ("1018",)
    with pytest.raises(InputError, match="column 'answer' has 'none', which cannot be an answer"):
        arithmetic.expect({"answer": "none"})
    assert arithmetic.expect({"answer": None}).targets == ()


def through_json(expected):
    plain = json.loads(json.dumps(expected._asdict()))
    return Expected(**plain | {"targets": tuple(plain["targets"])})


def test_a_reply_is_graded_by_plain_values_that_can_be_stored(task):
    row = {"question": "Why?", "a": "x", "b": "y", "answer": "Y", "by": "Ann"}
    choice = task(options={"columns": ["a", "b"]}, answer={"kind": "choice"}, prompt="{question}{options}")
    stored = through_json(choice.expect(row).reorder((1, 0)))
    assert choice.grade("A", stored) == ("B", 1.0)
    judge = {"kind": "judge", "rubric": "{question} {reply} {target} {by}", "verdicts": {"yes": 1, "no": 0}}
    judged = task(answer=judge)
    assert judged.ask_judge("Because", through_json(judged.expect(row)), "Why?").text == "Why? Because Y Ann"


def test_options_answers_numbers_code_and_placeholders_are_protected(task):
    own = task(protect_patterns=["Anna"])
    value = "Anna paid $3.50 for twenty `pens` in New York, {name}; new  york? ___ <b> [MASK] twentyish"
    row = {"question": value, "answer": "new york"}
    assert shown(own, "question", row) == [
        "Anna", "3.50", "twenty", "`pens`", "New York", "{name}", "new  york", "___", "<b>", "[MASK]",
    ]  # fmt: skip
    assert shown(task(protect=[]), "question", row) == []
    nli = read_task("nli")
    row = {"premise": "A true story.", "hypothesis": "It is false", "label": "0"}
    assert shown(nli, "premise", row) == ["true"]
    assert shown(nli, "hypothesis", row) == ["false"]


def test_a_contrast_expects_the_opposite_or_the_edited_answer(task):
    labels = {"kind": "label", "labels": ["yes", "no", "maybe"]}
    own = task(answer=labels, contrast={"opposites": {"yes": "no"}}, protect_patterns=["Rome"])
    row = {"question": "Has Rome 3 rivers?", "answer": "yes"}
    assert own.expect_opposite(row).targets == ("no",)
    assert own.expect_opposite(row | {"answer": "no"}).targets == ("yes",)
    assert own.expect_opposite(row | {"answer": "maybe"}) is None
    assert own.expect_opposite(row | {"answer": None}) is None
    assert own.contrast_protected("question", row) == [(4, 8)]  # the number may change
    extract = task(contrast={"aim": "answer"}, target_separator=";")
    row = {"question": "Ann paid 30 euros, Bea 40.", "answer": "30 euros;none"}
    assert extract.contrast_protected("question", row) == [(0, 9), (17, 26)]
    assert extract.expect_edited("question", row, [(9, 11, "50")]).targets == ("50 euros",)
    assert extract.expect_edited("question", row, [(23, 25, "50")]) is None


def test_nothing_in_a_value_is_interpreted():
    template = Template.of("{a} and {b}, {{a}}")
    assert template.fill({"a": "{b} {0} %s \\1", "b": "{a}"}) == (
        "{b} {0} %s \\1 and {a}, {a}",
        {"a": 0, "b": 18},
    )
    with pytest.raises(UsageError, match=r"the brace at '{ x' belongs to no field"):
        Template.of("{a} { x")
