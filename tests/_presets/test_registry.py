"""A preset is one object: once it is registered, everything else takes it from the registry."""

from __future__ import annotations

import dataclasses

import pytest

import salva
from salva._presets import PRESETS
from salva._presets.typos import TYPOS
from salva.text.tokens import TOKENIZERS
from salva.transforms import as_toml


@pytest.fixture
def mine(monkeypatch):
    preset = dataclasses.replace(TYPOS, name="mine", tokenizer="word", severity=0.5)
    monkeypatch.setitem(PRESETS, "mine", preset)
    return salva.preset("mine", prob=1.0)


def test_a_registered_preset_is_listed_and_made_by_name(mine, tmp_path):
    assert salva.presets()[-1] == "mine"
    assert (mine.name, mine.severity) == ("mine", 0.5)
    (tmp_path / "mine.toml").write_text(as_toml(mine), "utf-8")
    assert salva.preset(tmp_path / "mine.toml") == mine


def test_a_preset_is_cut_by_the_tokenizer_that_it_names(mine):
    text = "good-looking"
    edits = mine.transform(text, seed=1, severity=1.0).edits
    assert set(edits["old"].to_pylist()) <= {"good", "looking"}
    assert salva.preset("typos", prob=1.0).transform(text, seed=1).edits["old"].to_pylist() == [text]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_a_preset_names_a_tokenizer_and_says_what_it_does(preset):
    assert preset.tokenizer in TOKENIZERS
    assert PRESETS[preset.name] is preset
    assert preset.about.endswith(".")
