"""Planners are made once for equal settings, and again if the settings differ or name a file."""

from __future__ import annotations

import pytest

import salva

SHARED = ("natural", "contractions", "misspellings", "case", "negation", "antonyms")


@pytest.mark.parametrize("name", SHARED)
def test_transforms_with_equal_settings_have_one_planner(name):
    planner = salva.preset(name).planner
    assert salva.preset(name).planner is planner
    assert salva.preset(name, protect=False, protect_words=["film"]).planner is planner


def test_a_composition_has_the_planners_of_its_parts():
    parts = salva.preset("natural+case").planner.parts
    assert [part.planner for part in parts] == [salva.preset(name).planner for name in ("natural", "case")]


def test_another_setting_gets_another_planner():
    text = "I don't like the film"
    assert salva.preset("natural").transform(text, severity=1.0).edits.num_rows > 0
    other = salva.preset("natural", pairs="none", contractions="none", spellings="none")
    assert other.transform(text, severity=1.0).transformed == text


def test_a_file_that_has_changed_is_read_again(tmp_path):
    path = tmp_path / "pairs.txt"

    def twin(line: str) -> str:
        path.write_text(line)
        return salva.preset("natural", pairs=str(path)).transform("a blue car", severity=1.0).transformed

    assert twin("a blue > azure\n") == "an azure car"
    assert twin("a blue > green\n") == "a green car"
