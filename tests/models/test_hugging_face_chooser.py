"""`hf:` models that choose the most likely option: by the slow twin's numbers, in a chat, and in a run."""

from __future__ import annotations

import json

import pytest

from salva import evaluate
from salva.errors import UsageError
from salva.models import Message, ModelOptions, Prompt, open_generator
from salva.models.protocol import LIKELIHOOD, PER_CHARACTER
from tests.flat import flat
from tests.language_model import WORDS, write_language_model
from tests.reference.likelihood import load, log_probability

pytest.importorskip("transformers")
OPTIONS = ("film", "an old error and the tale", "picture .")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_language_model(tmp_path_factory.mktemp("model"))


def chooser(folder, way=LIKELIHOOD, **options):
    return open_generator(f"hf:{folder}", ModelOptions(choose_by=way, device="cpu", **options))


def asked(text, options=OPTIONS):
    return Prompt((Message("user", text),), options)


@pytest.mark.parametrize("way", [LIKELIHOOD, PER_CHARACTER])
@pytest.mark.parametrize(
    "prompt", ["[BEGIN] I saw the", "[BEGIN] it was nice and ", "[BEGIN] the story began"]
)
def test_the_most_likely_option_is_chosen(folder, way, prompt):
    text = prompt.removeprefix("[BEGIN] ").strip()
    scores = {option: log_probability(folder, f"{text} {option}") for option in OPTIONS}
    before = log_probability(folder, text)
    sizes = {option: len(option) if way == PER_CHARACTER else 1 for option in OPTIONS}
    best = max(OPTIONS, key=lambda option: (scores[option] - before) / sizes[option])
    answers = chooser(folder, way).predict([asked(prompt)])
    assert answers.labels == [best]
    assert 1 / len(OPTIONS) <= answers.probabilities[0] <= 1


def test_a_prompt_without_options_fails_with_the_reason(folder):
    answers = chooser(folder).predict([asked("I saw the", ()), asked("I saw the"), "plain"])
    assert [label is None for label in answers.labels] == [True, False, True]
    assert answers.errors[0] == "there are no options to compare; choose by the reply"


def test_a_chat_is_written_in_the_template_of_the_tokenizer(folder, tmp_path):
    model, tokenizer = load(folder)
    model.save_pretrained(tmp_path)
    tokenizer.chat_template = "{% for m in messages %}it was {{ m.content }} {% endfor %}the "
    tokenizer.save_pretrained(tmp_path)
    chat, plain = chooser(tmp_path), chooser(tmp_path, chat_template=False)
    assert chat.predict([asked("nice")]) == chooser(folder).predict([asked("it was nice the")])
    assert plain.predict([asked("nice")]) == chooser(folder).predict([asked("nice")])
    assert plain.digest != chat.digest


def test_the_way_to_choose_is_part_of_the_digest(folder):
    assert chooser(folder).digest != chooser(folder, PER_CHARACTER).digest
    with pytest.raises(UsageError, match="choose_by='best' is unknown; choose from reply, likelihood, "):
        ModelOptions(choose_by="best")


TASK = """
prompt = "{question}"
edit = ["question"]
target = "answer"
[options]
column = "choices"
reply = "text"
[answer]
kind = "choice"
"""


def test_a_run_asks_a_model_to_choose(folder, tmp_path):
    (tmp_path / "task.toml").write_text(TASK)
    rows = [
        {"question": f"I saw the {word}", "choices": json.dumps(OPTIONS), "answer": OPTIONS[k % 3]}
        for k, word in enumerate(WORDS[2:14])
    ]
    options = flat(choose_by=LIKELIHOOD, device="cpu", noise=0)
    run = evaluate(
        rows,
        f"hf:{folder}",
        task=tmp_path / "task.toml",
        presets="typos",
        severities=1.0,
        out=tmp_path / "run",
        options=options,
    )
    assert run.results.conditions[-1].score.n == 12
    assert set(run.answers["before"].to_pylist()) <= {"A", "B", "C"}
