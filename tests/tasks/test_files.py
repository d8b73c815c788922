"""Task files: those that ship can be used, and faults get one line."""

from __future__ import annotations

import pytest

from salva.errors import InputError, UsageError
from salva.tasks import make_task, read_task, shipped_tasks
from salva.tasks.files import KINDS

GOOD = """
prompt = "{question}"
edit = ["question"]
target = "answer"
[answer]
kind = "number"
"""


def test_these_tasks_ship_and_can_be_made_again_from_their_content():
    names = ["arithmetic", "multiple-choice", "nli", "sentiment", "short-answer", "topic", "yes-no"]
    assert shipped_tasks() == names
    for name in names:
        task = read_task(name)
        assert task.about
        assert make_task(name, task.content) == task


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("prompt", "promt"), "key 'promt' is unknown; did you mean 'prompt'?"),
        (('"{question}"', "5"), "prompt = 5 must be a text"),
        (('"{question}"', '"{question"'), "the brace at '{question' belongs to no field"),
        (('"{question}"', '"{question} {question}"'), "the edited column 'question' is 2 times"),
        (('["question"]', '["answer"]'), "the edited column 'answer' is not in the prompt"),
        (('["question"]', "[]"), "edit names no column"),
        (('["question"]', "[5]"), "edit = [5] must be a list of texts"),
        (('target = "answer"', 'target = "question"'), "the target column 'question' is in the prompt"),
        (('"number"', '"nmber"'), f"answer.kind = 'nmber' must be one of {', '.join(KINDS)}"),
        (('"number"', '"number"\ntolerance = "a"'), "answer.tolerance = 'a' must be a number"),
        (('"number"', '"number"\ntolerance = -1'), "tolerance=-1 must be between 0 and"),
        (('"number"', '"number"\ncompare = "f1"'), "answer.compare is unknown"),
        (('"number"', '"number"\nreply_pattern = "("'), "reply_pattern: '(' is not a regular expression"),
        (('"number"', '"number"\nreply_pattern = "a(?R)"'), r"reply_pattern: 'a(?R)' calls a group"),
        (('"number"', '"choice"'), "a task has [options] if and only if the kind of its answer is choice"),
        (('"number"', '"label"'), "a label task needs two or more labels"),
        (('"number"', '"label"\nlabels = {a = ["x"], b = ["x"]}'), "the name 'x' belongs to two labels"),
        (('"number"', '"python"'), "a python task needs function = "),
        (('"number"', '"choice"\n[options]\nnames = "x"'), "options need either columns"),
        (('"number"', '"choice"\n[options]\ncolumns = ["question"]'), "the column 'question' has options"),
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
