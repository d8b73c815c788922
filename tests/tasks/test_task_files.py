"""Task files and files of prompts: those that ship can be used, and faults get one line."""

from __future__ import annotations

import json

import pytest

from salva.errors import InputError, SalvaError, UsageError
from salva.tasks import KINDS, make_task, read_prompts, read_task, restore_task, reword, shipped_tasks

CONTENTS = [
    {
        "messages": [{"role": "system", "content": "{a}"}, {"role": "user", "content": "{q}"}],
        "edit": ["q"],
        "target": "t",
        "target_separator": ";",
        "protect_patterns": ["x+"],
        "answer": {"kind": "text", "right_from": 0.5},
        "contrast": {"aim": "answer", "opposites": {"yes": "no"}},
    },
    {
        "prompt": "{q}{options}",
        "edit": ["q"],
        "target": "t",
        "options": {"column": "o", "count_from": 0},
        "answer": {"kind": "choice", "json_field": "answer"},
    },
    {"prompt": "{q}", "edit": ["q"], "answer": {"kind": "judge", "rubric": "{reply}", "scale": [1, 5]}},
    {"prompt": "{q} {labels}", "edit": ["q"], "answer": {"kind": "label", "labels": ["b", "a"]}},
]
GOOD = """
prompt = "{question}"
edit = ["question"]
target = "answer"
[answer]
kind = "number"
"""


def test_these_tasks_ship():
    names = ["arithmetic", "multiple-choice", "nli", "sentiment", "short-answer", "topic", "yes-no"]
    assert shipped_tasks() == names
    assert all(read_task(name).about for name in names)


@pytest.mark.parametrize(
    "content", [*map(dict, CONTENTS), *(read_task(name).content for name in shipped_tasks())]
)
def test_a_task_is_made_again_from_its_content_and_from_json(content):
    task = make_task("own", content)
    stored = json.loads(json.dumps(task.as_dict()))
    assert restore_task(stored) == task == make_task("own", task.content)
    assert restore_task(stored).as_dict() == stored
    assert restore_task(stored).digest == task.digest


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("prompt", "promt"), "key 'promt' is unknown; did you mean 'prompt'?"),
        (('"{question}"', "5"), "prompt = 5 must be a text"),
        (('"{question}"', '"{question"'), "the brace at '{question' belongs to no field"),
        (('"{question}"', '"{question} {question}"'), "the edited column 'question' is 2 times"),
        (('["question"]', '["answer"]'), "the edited column 'answer' is not in the prompt"),
        (('["question"]', "[]"), "edit names no column"),
        (('["question"]', "[5]"), "edit[0] = 5 must be a text"),
        (('target = "answer"', 'target = "question"'), "the target column 'question' is in the prompt"),
        (('"number"', '"nmber"'), f"answer.kind = 'nmber' must be one of {', '.join(KINDS)}"),
        (('"number"', '"number"\ntolerance = "a"'), "answer.tolerance = 'a' must be a number of at least 0"),
        (('"number"', '"number"\ntolerance = -1'), "answer.tolerance = -1 must be a number of at least 0"),
        (('"number"', '"number"\ncompare = "f1"'), "answer.compare is unknown; choose from reply_pattern"),
        (('"number"', '"text"\ncompare = "f2"'), "answer.compare = 'f2' must be one of exact, normalised"),
        (('"number"', '["number"]'), "answer.kind = ['number'] must be one of"),
        (('"number"', '"number"\nreply_pattern = "("'), "reply_pattern: '(' is not a regular expression"),
        (('"number"', '"number"\nreply_pattern = "a(?R)"'), r"reply_pattern: 'a(?R)' calls a group"),
        (('"number"', '"choice"'), "a task has [options] if and only if the kind of its answer is choice"),
        (('"number"', '"label"'), "a label task needs two or more labels"),
        (('"number"', '"label"\nlabels = {a = ["x"], b = ["x"]}'), "the name 'x' belongs to two labels"),
        (('"number"', '"python"'), "a python task needs function = "),
        (('"number"', '"choice"\n[options]\nnames = "numbers"'), "options need either columns"),
        (('"number"', '"choice"\n[options]\ncolumns = ["question"]'), "the column 'question' has options"),
        (('"number"', '"number"\n[contrast]\naim = "x"'), "contrast.aim = 'x' must be one of anywhere"),
        (('"number"', '"number"\n[contrast]\nopposites = {a = "a"}'), "'a' must have exactly one other name"),
        (("[answer]", 'protect = ["digits"]\n[answer]'), "protect: 'digits' is unknown; choose from options"),
        (('prompt = "{question}"', '[[messages]]\nrole = "system"'), "the last message must have"),
        (("[answer]", "[answer"), "broken TOML"),
    ],
)  # fmt: skip
def test_a_faulty_file_gets_one_line(tmp_path, change, problem):
    path = tmp_path / "own.toml"
    text = GOOD.replace(*change)
    if "[[messages]]" in text:
        rest = text.replace('[[messages]]\nrole = "system"\n', "")
        text = rest + '\n[[messages]]\nrole = "system"\ncontent = "{question}"\n'
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_task(path)
    assert str(error.value).startswith(f"{path}:")
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_task_gets_a_suggestion():
    with pytest.raises(UsageError, match="there is no task 'arithmetics'; did you mean 'arithmetic'"):
        read_task("arithmetics")


PROMPTS = """
[terse]
prompt = "{question}\\n{options}\\nLetter:"

[[kind.messages]]
role = "system"
content = "Be kind."

[[kind.messages]]
role = "user"
content = "{question} {options}"
"""


def write_prompts(tmp_path, text):
    path = tmp_path / "prompts.toml"
    path.write_text(text, "utf-8")
    return path


def test_prompts_take_the_place_of_the_task_s_own(tmp_path):
    task, prompts = read_task("multiple-choice"), read_prompts(write_prompts(tmp_path, PROMPTS))
    row = {"question": "Which {x}?", "choices": '["a", "b"]', "answer": "A"}
    texts = {name: reword(task, name, one).fill(row).prompt for name, one in prompts.items()}
    assert texts["terse"].text == "Which {x}?\nA. a\nB. b\nLetter:"
    assert [message.role for message in texts["kind"].messages] == ["system", "user"]
    assert all(prompt.options == ("A", "B") for prompt in texts.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no prompt"),
        ("terse = 'x'", "terse = 'x' must be a table"),
        ("[terse]\nprompt = 'x'\nedit = []", "terse.edit is unknown; choose from prompt, messages"),
        ("[terse]\nprompt = 5", "terse.prompt = 5 must be a text"),
        ("[[terse.messages]]\nrole = 'user'", "terse.messages[0].content is missing"),
        (
            "[[terse.messages]]\nrole = 'me'\ncontent = ''",
            "terse.messages[0].role = 'me' must be one of system",
        ),
        ("['a b']\nprompt = 'x'", "the name 'a b' must be"),
        ("[terse", ":1: broken TOML"),
    ],
)
def test_a_broken_file_of_prompts_gets_one_line(tmp_path, text, said):
    path = write_prompts(tmp_path, text)
    with pytest.raises(SalvaError) as caught:
        read_prompts(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ({"prompt": "{question} {answer}"}, "gives the answer away"),
        ({"prompt": "no question"}, "the edited column 'question' is not in the prompt"),
        ({"prompt": 5}, "must be a text"),
        ({}, "needs either a prompt or messages"),
        ({"prompt": "{question", "messages": []}, "needs either a prompt or messages"),
    ],
)
def test_a_prompt_that_does_not_fit_the_task_is_named(template, said):
    with pytest.raises(SalvaError, match="prompt 'terse' does not fit the task 'multiple-choice'") as caught:
        reword(read_task("multiple-choice"), "terse", template)
    assert said in str(caught.value)
