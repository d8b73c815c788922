"""The example model for PCFG SET: it learns lines, is saved, and Salva asks it about pairs."""

from __future__ import annotations

import random
import string
import subprocess
import sys

import pytest

from salva.twins import FUNCTIONS, interpret_lines
from tests.conftest import ROOT

pytest.importorskip("torch")
from examples.pcfg import model

LETTERS = tuple(string.ascii_uppercase)
SCRIPT = ROOT / "examples/pcfg/model.py"
ALONE = f"""
import runpy, sys
sys.modules["salva"] = None
runpy.run_path({str(SCRIPT)!r}, run_name="__main__")
"""


def one_function_lines(count):
    """Return distinct lines with strings of 2 to 5 symbols, and their values."""
    draw, lines = random.Random(0), {}
    while len(lines) < count:
        name = draw.choice(list(FUNCTIONS))
        strings = (" ".join(draw.choices(LETTERS, k=draw.randint(2, 5))) for _ in range(FUNCTIONS[name]))
        lines[f"{name} {' , '.join(strings)}"] = None
    return list(lines), interpret_lines(list(lines), alphabet=LETTERS)


@pytest.fixture(scope="module")
def quick():
    return model.train(*one_function_lines(300), size="tiny", steps=4)


def test_a_line_is_answered_alike_whatever_stands_beside_it(quick):
    lines = one_function_lines(30)[0]
    assert quick.answer(lines) == [quick.answer([line])[0] for line in lines]
    assert quick.answer([]) == []


def test_the_same_seed_gives_the_same_weights_and_a_saved_model_the_same_answers(quick, tmp_path):
    sources, targets = one_function_lines(300)
    model.train(sources, targets, size="tiny", steps=4).save(tmp_path / "a")
    quick.save(tmp_path / "b")
    first, second = ((tmp_path / name / "model.safetensors").read_bytes() for name in "ab")
    assert first == second
    assert model.load(tmp_path / "a").answer(sources[:30]) == quick.answer(sources[:30])


def test_lines_with_a_long_target_are_left_out_and_unknown_words_are_no_fault():
    made = model.train(["copy A", "copy B"], ["A", "B " * 300], size="tiny", steps=1)
    assert made.about["lines"] == 1
    assert len(made.answer(["copy dax"])) == 1


@pytest.mark.slow
def test_a_thousand_steps_are_enough_for_one_function_lines():
    """Ten functions, 26 symbols, strings of 2 to 5; 1,000 lines that were never seen."""
    sources, targets = one_function_lines(16_000)
    made = model.train(sources[1000:], targets[1000:], size="tiny", steps=1000)
    assert sum(map(str.__eq__, made.answer(sources[:1000]), targets)) > 800


@pytest.mark.slow
def test_it_is_trained_without_salva_on_what_generate_wrote_and_is_asked_about_its_pairs(
    salva, tmp_path, monkeypatch
):
    pairs = tmp_path / "data/substitutivity/primitive"
    assert salva("twins", "generate", "-o", "data", "--lines", "400", "--depth", "1-2").code == 0
    command = [sys.executable, "-c", ALONE, pairs, "-o", "model", "--size", "tiny", "--steps", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    monkeypatch.setenv("PCFG_MODEL", "model")
    monkeypatch.syspath_prepend(str(ROOT))
    model._loaded.cache_clear()
    outcome = salva("evaluate", pairs, "--model", "python:examples.pcfg.model:answer", "-o", "run")
    assert "get the same answer twice" in outcome.out, outcome.err
    assert "twin by kind" in outcome.out
