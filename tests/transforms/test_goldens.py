"""What every version of a preset makes of the bundled reviews, for ever: a change here is a new version."""

from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest

import salva
from salva.rows import reviews
from salva.transforms import PRESETS

GOLDEN = {
    ("hybrid", 1, None): "9747b9e79bc88cfb",
    ("hybrid", 1, "splice"): "81bdec65ffff18fc",
    ("synonyms", 1, None): "80aaa20d8aef0568",
    ("synonyms", 1, "splice"): "fb30faca00febe9e",
    ("typos", 1, None): "da52c5c9801c4ccb",
    ("typos", 1, "splice"): "5de2343b2a2466d3",
    ("corrupt", 1, None): "ff7d6e6d97262b38",
    ("corrupt", 1, "splice"): "35e669e4e7727f37",
    ("hybrid", 2, None): "5c9379d61d333354",
    ("hybrid", 2, "splice"): "d817647ac0d3e24c",
    ("synonyms", 2, None): "1fdf272215a2debc",
    ("synonyms", 2, "splice"): "6d4dc7cb245e3d1b",
    ("typos", 2, None): "3b75e69f574936d0",
    ("typos", 2, "splice"): "3b75e69f574936d0",
    ("corrupt", 2, None): "a0a7acbc889bc6e7",
    ("corrupt", 2, "splice"): "eed4ac45e82349a8",
    ("natural", 1, None): "aadab9437d3fab93",
    ("contractions", 1, None): "8c6277ec480a4808",
    ("case", 1, None): "dbcec8214b0dcc1f",
    ("punctuation", 1, None): "70c00bc494cefdea",
    ("spaces", 1, None): "d756729e85abcb0d",
    ("misspellings", 1, None): "f01a53168b155136",
    ("negation", 1, None): "273ab10fa2fef33e",
    ("antonyms", 1, None): "0bb8b083ca0cd619",
    ("numbers", 1, None): "2ac97dbc4e8def33",
    ("names", 1, None): "eaddaefa37b0fa74",
}


def digest(name: str, render: str | None) -> str:
    settings = {} if render is None else {"render": render}
    twins = salva.preset(name, **settings).transform(reviews("test").column("text"), seed=20261115)
    state = hashlib.sha256()
    for column in (
        pa.chunked_array([twins.column]),
        twins.edits["start"],
        twins.edits["rule"].cast(pa.string()),
    ):
        state.update(repr(column.to_pylist()).encode())
    return state.hexdigest()[:16]


def test_every_version_of_every_preset_is_pinned():
    assert {name for name, _, _ in GOLDEN} == set(PRESETS)
    assert all((name, known.version, None) in GOLDEN for name, known in PRESETS.items())


@pytest.mark.parametrize(("name", "version", "render"), GOLDEN)
def test_results_are_what_they_were(name, version, render):
    if version == PRESETS[name].version:
        assert digest(name, render) == GOLDEN[name, version, render]
