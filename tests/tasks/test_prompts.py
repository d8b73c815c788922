"""Files of prompts: each template takes the place of the task's own, and a broken one gets one line."""

from __future__ import annotations

import pytest

from salva.errors import SalvaError
from salva.tasks import read_prompts, read_task, reword

GOOD = """
[terse]
prompt = "{question}\\n{options}\\nLetter:"

[[kind.messages]]
role = "system"
content = "Be kind."

[[kind.messages]]
role = "user"
content = "{question} {options}"
"""


def write(tmp_path, text):
    path = tmp_path / "prompts.toml"
    path.write_text(text, "utf-8")
    return path


def test_prompts_take_the_place_of_the_task_s_own(tmp_path):
    task, prompts = read_task("multiple-choice"), read_prompts(write(tmp_path, GOOD))
    row = {"question": "Which {x}?", "choices": '["a", "b"]', "answer": "A"}
    texts = {name: reword(task, name, one).fill(row).prompt for name, one in prompts.items()}
    assert texts["terse"].text == "Which {x}?\nA. a\nB. b\nLetter:"
    assert [message.role for message in texts["kind"].messages] == ["system", "user"]
    assert all(prompt.options == ("A", "B") for prompt in texts.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no prompt"),
        ("terse = 'x'", "must be a table"),
        ("[terse]\nprompt = 'x'\nedit = []", "and nothing else"),
        ("['a b']\nprompt = 'x'", "the name 'a b' must be"),
        ("[terse", ":1: broken TOML"),
    ],
)
def test_a_broken_file_gets_one_line(tmp_path, text, said):
    path = write(tmp_path, text)
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
