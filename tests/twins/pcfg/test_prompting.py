"""Twins for language models: the prompt shows the twins of the pairs, and answers are found in replies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from salva.errors import UsageError
from salva.models import ModelOptions
from salva.twins.pair import TwinPair
from salva.twins.pcfg.language import interpret
from salva.twins.pcfg.names import NONCE_NAMES
from salva.twins.pcfg.pairing import make_pairs
from salva.twins.pcfg.prompting import InContext, Prompt, collect_symbols, extract, prompt_for
from salva.twins.running import open_sequence_model, run
from tests.twins.test_running import PAIRS, solve


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("A1 B2", "A1 B2"),
        ("Output: A1  B2\n", "A1 B2"),
        ("First I reverse.\n\n**Answer:** `A1 B2`.", "A1 B2"),
        ("```\nA1 B2\n```", "A1 B2"),
        ("Output:\nA1 B2", "A1 B2"),
        ("Output: A1\nOutput: B2", "B2"),
        ("", ""),
    ],
)
def test_the_answer_is_found_in_a_reply(reply, answer):
    assert extract(reply) == answer


def test_a_prompt_shows_k_examples_of_every_twin_and_defines_no_twin():
    said = Prompt(collect_symbols(PAIRS), examples=3, names={"append": "dax"}).of("copy A1")
    assert said.count("Input: dax ") == said.count("Input: repeat_twin ") == 3
    assert "- append x , y: " in said
    assert "- dax" not in said
    assert said.endswith("\nInput: copy A1\nOutput:")


def test_withheld_definitions_become_examples():
    said = Prompt(collect_symbols(PAIRS), examples=2, definitions=False).preamble
    assert "Functions:" not in said
    assert said.count("Input: append ") == said.count("Input: shift ") == 2


def test_examples_are_right_and_the_same_every_time():
    first, second = (Prompt(("A1", "B2", "C3"), examples=2, seed=5).preamble for _ in range(2))
    assert first == second
    lines = first.split("Examples:\n")[1].split("\n")
    assert all(interpret(a[7:]) == b[8:] for a, b in zip(lines[::2], lines[1::2], strict=True))


def test_a_language_model_is_asked_in_context(tmp_path):
    def chat(texts):
        return [f"Sure!\nOutput: {solve([text.split('Input: ')[-1].split(chr(10))[0]])[0]}" for text in texts]

    model = InContext(open_sequence_model(chat, ModelOptions(model_id="1")), Prompt(collect_symbols(PAIRS)))
    done = run(PAIRS, model, tmp_path / "run")
    assert [group.consistency.value for group in done.score.kinds] == [0, 100]
    assert "in context (4 examples, definitions given)" in done.score.model


NONCE = make_pairs(["copy append A1 B2 , C3", "copy D4 E5"], functions=("append", "copy"), names=NONCE_NAMES)


def test_examples_are_of_the_twins_in_the_pairs_by_their_own_names():
    made = prompt_for(NONCE)
    assert (made.names, made.functions) == ({"append": "blicket", "copy": "copy_twin"}, ["append", "copy"])
    assert made.preamble.count("Input: blicket ") == made.preamble.count("Input: copy_twin ") == 4
    assert prompt_for(NONCE, NONCE_NAMES).preamble == made.preamble


def test_twins_whose_names_cannot_be_told_are_refused():
    pairs = [replace(NONCE[0], twin="x y"), replace(NONCE[0], twin="z")]
    with pytest.raises(
        UsageError, match="the name of the twin of 'append' cannot be inferred from the pairs"
    ):
        prompt_for(pairs)


@pytest.mark.parametrize(
    ("source", "kind"), [("A lorry", "lorry/truck"), ("A lorry", "copy"), ("copy A1", "")]
)
def test_in_context_refuses_pairs_that_are_not_of_the_language(source, kind):
    with pytest.raises(UsageError, match="the prompt explains PCFG SET and works only with its pairs"):
        prompt_for([TwinPair(source, f"{source}!", "", "", kind, 0)])


def test_lines_with_swap_are_explained_in_context():
    made = prompt_for(make_pairs(["copy swap A1 B2", "swap_first_last C3 D4"]))
    assert (made.names, made.symbols) == (
        {"swap_first_last": "swap_first_last_twin"},
        ("A1", "B2", "C3", "D4"),
    )
    assert "\n- swap x: the first and the last symbol of x change places" in made.preamble
    assert "\n- swap x: " not in prompt_for(PAIRS).preamble
    withheld = prompt_for(make_pairs(["swap A1 B2"]), definitions=False)
    assert withheld.preamble.count("Input: swap ") == 4
