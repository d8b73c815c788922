"""Files of pairs in the settings of `natural`: they replace, extend or reduce what is shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

import salva
from salva.errors import InputError, UsageError

TEXT = "The kitten liked a movie."


@pytest.fixture
def mine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text, name="mine.txt"):
        Path(name).write_text(text, "utf-8")
        return name

    return write


def rewritten(pairs, text=TEXT, **settings):
    return salva.preset("natural", pairs=pairs, **settings).transform(text).transformed


def test_a_file_replaces_the_shipped_pairs_or_extends_them(mine):
    name = mine("n kitten > puppy\nn movie > show\n")
    assert rewritten("builtin") == "The kitten liked a film."
    assert rewritten(name) == "The puppy liked a show."
    assert rewritten([name, "builtin"]) == "The puppy liked a show."
    assert rewritten(["builtin", name]) == "The puppy liked a film."
    assert rewritten(["none", Path(name)]) == "The puppy liked a show."


def test_a_file_removes_shipped_pairs(mine):
    assert rewritten([mine("- n movie > film"), "builtin"]) == TEXT


def test_one_name_in_a_list_is_that_name(mine):
    assert salva.preset("natural", pairs=["builtin"]).settings.pairs == "builtin"


def test_the_command_line_takes_a_list(salva, mine, tmp_path):
    mine("n kitten > puppy")
    (tmp_path / "in.txt").write_text(f"{TEXT}\n")
    options = ["--preset", "natural", "--set", 'pairs=["mine.txt", "builtin"]']
    assert salva("transform", "in.txt", "-o", "out.txt", *options).code == 0
    assert (tmp_path / "out.txt").read_text() == "The puppy liked a film.\n"


def test_the_digest_covers_every_file(mine):
    def resources():
        natural = salva.preset("natural", pairs=["one.txt", "builtin", "two.txt"])
        return natural.as_dict()["resources"]

    mine("n a > b", "one.txt"), mine("n c > d", "two.txt")
    before = resources()
    assert before.keys() == {"pairs"}
    mine("n c > e", "two.txt")
    assert resources() != before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n a > b\nn a b\n", r"mine.txt:2: 'n a b' must be a part of speech"),
        ("\nn kitten > puppy | tag NNX", r"mine.txt:2: A condition names a tag"),
        ("a good > bad", r"mine.txt:1: A pair turns praise into blame"),
        ("- n kitten > puppy", r"mine.txt:1: no file after this one has n kitten > puppy"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(mine, text, message):
    with pytest.raises(InputError, match=message):
        rewritten([mine(text), "builtin"])


def test_opposite_polarity_is_allowed_on_request(mine):
    name = mine("a good > bad")
    assert rewritten(name, "A good day.", keep_polarity=False) == "A bad day."


@pytest.mark.parametrize("value", [[], [""], 3, None, {"mine.txt"}, ["builtin", 3]])
def test_what_names_no_file_is_refused(value):
    with pytest.raises(UsageError, match="must be 'builtin', 'none', the name of a file, or a list of these"):
        salva.preset("natural", pairs=value)
