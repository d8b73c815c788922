"""The frozen Unicode tables say of every character what Python and `regex` say."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
import regex

from salva._kernels import constants as bits
from salva.lexicon.shipped import read_tables
from salva.text.words import load_characters
from tests.text.conftest import CHANGED
from tools.build_characters import UNSPACED_SCRIPTS


def flags() -> np.ndarray:
    table = load_characters()
    return np.asarray(table.flags).reshape(-1, 256)[np.asarray(table.pages)].ravel()


# Known both to this Python and to the frozen table.
KNOWN = [chr(point) for point in np.flatnonzero(flags() & bits.ASSIGNED)]
ASSIGNED = [c for c in KNOWN if unicodedata.category(c) != "Cn" and c not in CHANGED]


def test_one_version_is_frozen():
    assert read_tables("characters.arrow")["unicode"].to_pylist() == ["15.1.0"]


def test_every_character_that_python_knows_is_what_python_says():
    found = flags()
    tests = {
        bits.SPACE: str.isspace,
        bits.WORD: lambda c: c.isalnum() or c == "_",
        bits.DECIMAL: str.isdecimal,
        bits.DIGIT: str.isdigit,
        bits.UPPER: str.isupper,
        bits.LOWER: str.islower,
        bits.ALPHA: str.isalpha,
        bits.TITLE: lambda c: unicodedata.category(c) == "Lt",
    }
    for bit, test in tests.items():
        assert [c for c in ASSIGNED if bool(found[ord(c)] & bit) != bool(test(c))] == []


@pytest.mark.slow
def test_every_character_that_python_knows_is_what_regex_says():
    found = flags()
    for bit, pattern in (
        (bits.NLTK_SPACE, r"\s"),
        (bits.NLTK_WORD, r"\w"),
        (bits.DECIMAL, r"\d"),
        (bits.CASED, r"\p{Cased}"),
        (bits.CASE_IGNORABLE, r"\p{Case_Ignorable}"),
        (bits.JOINING, r"\p{GCB=Extend}|\p{GCB=SpacingMark}|\p{GCB=ZWJ}|\p{GCB=V}|\p{GCB=T}"),
        (bits.LEADING, r"\p{GCB=Prepend}|\p{GCB=L}"),
        (bits.UNSPACED, "|".join(rf"\p{{scx={name}}}" for name in UNSPACED_SCRIPTS)),
    ):
        matches = regex.compile(pattern).match
        assert [c for c in ASSIGNED if bool(found[ord(c)] & bit) != bool(matches(c))] == []


def test_changes_of_case_are_python_s():
    tables = read_tables("characters.arrow")
    for name in ("lower", "upper", "title"):
        points, strings = tables[f"{name}_points"].to_pylist(), tables[f"{name}_strings"].to_pylist()
        changed = dict(zip(map(chr, points), strings, strict=True))
        assert points == sorted(points)
        assert [c for c in ASSIGNED if changed.get(c, c) != getattr(c, name)()] == []
        assert max(len(new.encode()) / len(old.encode()) for old, new in changed.items()) <= 3
