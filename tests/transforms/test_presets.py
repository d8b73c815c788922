"""Transforms that are described as plain values, and made again from them."""

from __future__ import annotations

import json

import pytest

from salva.errors import InputError
from salva.transforms import preset, presets, restore

OTHERS = [
    preset("hybrid", keyboard={"a": "sq"}, groups=[["movie", "film"], ["a", "b"]]),
    preset("corrupt", thesaurus={"film": ["movie"]}).fit(["Better movies, better moves"]),
]


def described(transform):
    return json.loads(json.dumps(transform.as_dict()))


@pytest.mark.parametrize("transform", [*map(preset, presets()), *OTHERS], ids=lambda one: one.name)
def test_a_transform_is_made_again_from_its_description(transform):
    again = restore(described(transform))
    assert again == transform
    assert again.digest == transform.digest


def test_another_version_is_refused():
    with pytest.raises(InputError, match="preset typos was version 0 and is now"):
        restore(described(preset("typos")) | {"version": 0})


def test_a_file_that_has_changed_is_refused(tmp_path):
    (tmp_path / "words.txt").write_text("film\nmovie\n")
    about = described(preset("corrupt", vocabulary=str(tmp_path / "words.txt")))
    assert restore(about).name == "corrupt"
    (tmp_path / "words.txt").write_text("film\n")
    with pytest.raises(InputError, match="preset corrupt: the files of vocabulary have changed since"):
        restore(about)


def test_settings_that_are_missing_are_refused():
    about = described(preset("typos"))
    del about["settings"]["prob"]
    with pytest.raises(InputError, match="preset typos has other settings now than it had"):
        restore(about)
