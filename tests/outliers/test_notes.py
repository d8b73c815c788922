"""Sidecars: two files, one of which wins, and faults with their line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import InputError
from salva.outliers.notes import Adaptation, Notes, parse_notes, read_notes, write_notes
from tests.outliers.sets import write

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
notes = st.builds(
    Notes,
    st.sampled_from(["category", "topic", None]),
    st.sampled_from(["noun", "verb", "adjective", None]),
    st.dictionaries(text, text, max_size=3),
    st.dictionaries(text, st.lists(text, max_size=3).map(tuple), max_size=3),
    st.dictionaries(text, st.builds(Adaptation, st.sampled_from([1, 2, 3]), text), max_size=3),
)


@given(notes)
def test_what_is_written_is_read_back(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("notes") / "EN-Any.toml"
    write_notes(some, path)
    assert parse_notes(path) == some


def test_without_a_sidecar_nothing_is_noted(tmp_path):
    assert read_notes(write(tmp_path)) == Notes()


def test_the_notes_of_a_language_win_key_by_key(tmp_path):
    path = write(tmp_path)
    write(tmp_path, 'kind = "topic"\npos = "noun"\n[senses]\noil = "a"\ncar = "b"\n', "Roads/Roads.toml")
    write(tmp_path, 'kind = "category"\n[senses]\noil = "c"\n', "Roads/EN-Roads.toml")
    assert read_notes(path) == Notes("category", "noun", {"oil": "c", "car": "b"})


def test_a_waiver_is_for_words_or_for_all():
    some = Notes(waivers={"W5": ("DIY",), "L2": ("*",)})
    assert some.waives("W5", "DIY")
    assert not some.waives("W5", "IBM")
    assert not some.waives("W5", None)
    assert some.waives("L2", "boots")


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("kind = \n", 1, "broken TOML"),
        ('\nkind = "group"\n', 2, "kind is 'group'; it must be 'category' or 'topic'"),
        ('pos = "adverb"\n', 1, "pos is 'adverb'"),
        ("pos = 3\n", 1, "pos is 3"),
        ('colour = "red"\n', 1, "key 'colour' is unknown"),
        ("\n[waivers]\nW5 = [1]\n", 2, r"waivers has \[1\] for 'W5'"),
        ('senses = "oil"\n', 1, "it must be a table"),
        ("[adaptations]\ntvaroh = { case = 4 }\n", 1, "for 'tvaroh'"),
        ("[adaptations]\ntvaroh = { case = true }\n", 1, "for 'tvaroh'"),
    ],
)
def test_a_wrong_sidecar_is_refused_with_its_line(tmp_path, content, line, problem):
    path = write(tmp_path, content, "EN-Roads.toml")
    with pytest.raises(InputError, match=problem) as caught:
        parse_notes(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
