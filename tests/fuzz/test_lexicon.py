"""Settings and lists that a user writes: presets in TOML, groups, pairs, keyboards, thesauri, taggers."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from hypothesis import example
from hypothesis import strategies as st

import salva
from salva.cli.data_options import PresetOptions
from salva.errors import SalvaError
from salva.lexicon.checking import check_file
from salva.text import Tagger
from salva.transforms import as_toml, preset
from tests.fuzz.strategies import damaged, fuzz, one_line_errors, texts

TEXT = ["The acting in this movie was really great, and I don't love the film's story"]
FILES = {
    "preset.toml": [as_toml(salva.preset(name)).encode() for name in ("typos", "hybrid", "natural+corrupt")],
    "groups.toml": [
        b'[[group]]\nkind = "film"\nwords = ["movie", "film"]\n[[group]]\nwords = ["great", "fine"]\n'
    ],
    "keyboard.toml": ['a = "sq"\ns = "ad"\n"ä" = "ö"\n'.encode()],
    "pairs.txt": [b"n movie > film | next! theater,night; prev! home\nv begin = start\nx in order to > to\n"],
    "thesaurus.txt": ["movie\tfilm\tpicture\nstory\tplot\nstraße\tWeg\n".encode()],
    "vocabulary.txt": ["movies\nacting\nstraße\nmovie\n".encode()],
}
TOKENS = [
    b"[[group]]\n",
    b"words = ",
    b'"',
    b"[]",
    b"{}",
    b"1979-05-27",
    b"0x1F",
    b"inf",
    b"'''",
    b" > ",
    b" | ",
    b"x ",
    b"true",
]


def settings_for(path: Path) -> dict[str, dict]:
    """Return the presets that read a file, with the setting that names it."""
    named = {
        "groups.toml": {"hybrid": {"groups": path}},
        "keyboard.toml": {"typos": {"keyboard": path}, "hybrid": {"keyboard": path}},
        "pairs.txt": {"natural": {"pairs": path}},
        "thesaurus.txt": {"corrupt": {"thesaurus": path, "typo_weight": 0.0}},
        "vocabulary.txt": {"corrupt": {"vocabulary": path}},
    }
    return named.get(path.name, {})


def check(path: Path) -> None:
    """Make the presets that a file describes, and use them."""
    if path.name == "preset.toml":
        with one_line_errors():
            salva.preset(path).transform(TEXT, severity=1.0)
    if path.name in ("groups.toml", "pairs.txt"):
        with one_line_errors():
            assert all(len(finding.message.splitlines()) == 1 for finding in check_file(path).findings)
    for name, own in settings_for(path).items():
        with one_line_errors():
            twins = salva.preset(name, render="splice", **own).transform(TEXT, severity=1.0)
            assert twins.revert() == TEXT


@fuzz(name=st.sampled_from(list(FILES)), data=st.data())
def test_a_damaged_file_makes_a_preset_or_is_refused(tmp_path_factory, name, data):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data.draw(damaged(FILES[name], TOKENS)))
    check(path)


@fuzz(
    lines=st.lists(st.lists(texts, min_size=1, max_size=3), max_size=4),
    name=st.sampled_from(["thesaurus.txt", "vocabulary.txt"]),
)
def test_any_words_are_replacements_or_are_refused(tmp_path_factory, lines, name):
    path = tmp_path_factory.getbasetemp() / name
    path.write_text("".join("\t".join(["movie", *cells]) + "\n" for cells in lines), "utf-8", newline="")
    check(path)


NAMES = [
    "prob",
    "keyboard",
    "typo_per_word",
    "protect_words",
    "protect_patterns",
    "exclude",
    "render",
    "",
    "é",
]
VALUES = [
    *("1", "0.5", "-1", "nan", "inf", "1e400", "9" * 400, "9" * 5000, "true", '"x"', "x", "[]", "['a', 1]"),
    *("{}", "{a = 'sq'}", "1979-05-27", "'''", "1\nvalue = 2", "[" * 5000, "['(a+)+$']", "['[']", "", "0x1F"),
]


@example(name="prob", value="9" * 5000)
@fuzz(name=st.sampled_from(NAMES), value=st.sampled_from(VALUES) | texts)
def test_a_setting_on_the_command_line_is_taken_or_refused(name, value):
    with contextlib.suppress(SalvaError):
        transform = preset("typos", **PresetOptions(settings=(f"{name}={value}",)).parse_settings())
        transform.transform(TEXT, severity=1.0)


WEIGHTS = {
    "bias": {"NN": 0.5, "VB": -1.25},
    "i word film": {"NN": 1.0},
    "i-1 tag+i word NN film": {"VB": 2.0},
}
TAGGER = {
    "weights": [json.dumps(WEIGHTS).encode()],
    "tagdict": [b'{"the": "DT", "film": "NN"}'],
    "classes": [b'["NN", "VB", "DT"]'],
}


@fuzz(part=st.sampled_from(list(TAGGER)), data=st.data())
def test_a_damaged_tagger_tags_or_is_refused(tmp_path_factory, part, data):
    folder = tmp_path_factory.getbasetemp() / "tagger"
    folder.mkdir(exist_ok=True)
    for name, [content] in TAGGER.items():
        drawn = data.draw(damaged([content], [b"1e9", b"0.0001", b'"NN"'])) if name == part else content
        (folder / f"a.{name}.json").write_bytes(drawn)
    with one_line_errors():
        assert len(Tagger.load(folder).tag("the film was fine")) == 4
