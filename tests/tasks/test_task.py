"""Rows become questions; what must not change is found in them."""

from __future__ import annotations

import pytest

from salva.errors import InputError
from salva.tasks import make_task, read_task


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


def test_options_come_from_columns_a_list_a_separator_or_a_pattern(task):
    answer = {"kind": "choice"}
    several = task(options={"columns": ["a", "b"]}, answer=answer, prompt="{question}\n{options}")
    row = {"question": "Why?", "a": "x", "b": "y", "answer": "Y"}
    assert several.fill(row).prompt.text == "Why?\nA. x\nB. y"
    assert several.fill(row).prompt.options == ("A", "B")
    assert several.find_key(row).targets == ("B",)
    listed = task(options={"column": "o", "count_from": 0, "reply": "text"}, answer=answer)
    row = {"question": "Why?", "o": '["x", 5]', "answer": "1"}
    assert listed.find_key(row)[:2] == (("B",), {"A": "x", "B": "5"})
    assert listed.fill(row).prompt.options == ("x", "5")
    parted = task(options={"column": "o", "separator": ";", "names": "numbers"}, answer=answer)
    assert parted.find_key(row | {"o": "x; y;", "answer": "2"})[:2] == (("2",), {"1": "x", "2": "y"})
    inside = task(options={"column": "question", "pattern": r"^\((\w)\) (.+)$"}, answer=answer)
    row = {"question": "Which is big?\n(A) a mouse\n(B) an ant", "answer": "(B)"}
    assert inside.find_key(row)[:2] == (("B",), {"A": "a mouse", "B": "an ant"})
    assert shown(inside, "question", row) == ["(A) a mouse", "(B) an ant"]
    with pytest.raises(InputError, match="column 'answer' has 'Z', which cannot be an answer"):
        several.find_key({"question": "", "a": "x", "b": "y", "answer": "Z"})
    with pytest.raises(InputError, match="column 'o' is not a JSON list of options: 'x'; set a separator"):
        listed.find_key({"o": "x", "answer": "0"})
    with pytest.raises(InputError, match=r"column 'answer' has '9999.*, which cannot be an answer"):
        listed.find_key({"o": '["x"]', "answer": "9" * 5000})


def test_targets_may_be_several_or_a_part_of_a_solution(task):
    several = task(target_separator=";")
    assert several.find_key({"answer": "the UK; Britain;"}).targets == ("uk", "britain")
    arithmetic = read_task("arithmetic")
    for value in ("She has 5.\n#### 1,018", "1018", " 1,018.0\n"):
        assert arithmetic.find_key({"answer": value}).targets == ("1018",)
    with pytest.raises(InputError, match="column 'answer' has 'none', which cannot be an answer"):
        arithmetic.find_key({"answer": "none"})
    assert arithmetic.find_key({"answer": None}).targets == ()


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
