"""Repairs: what is safe is done whole, words stay, and the result passes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from salva.outliers import check, fix, read_set
from salva.outliers.checks.format import mend
from salva.outliers.drafts import Draft, strip_word
from tests.outliers.sets import INLIERS, OUTLIERS, TEXT, replaced, write


@pytest.mark.parametrize(
    ("content", "change"),
    [
        ("\ufeff" + TEXT, "removed the byte-order mark"),
        (TEXT.replace("\n", "\r\n"), "converted line ends to LF"),
        (TEXT.replace("\n", "\r"), "converted line ends to LF"),
        (TEXT[:-1], "added the final newline"),
        (replaced("bus", "\tbus \u00a0\u200b"), "removed white space (1 line)"),
        (TEXT.replace("\n\n", "\n \n"), "removed white space (1 line)"),
        (TEXT.replace("\n\n", "\n\n\n"), "removed empty lines (1 line)"),
        ("\n" + TEXT + "\n", "removed empty lines (2 lines)"),
    ],
)
def test_what_is_safe_is_repaired_and_said(tmp_path, content, change):
    path = write(tmp_path, content)
    assert [(one.path, one.changes) for one in fix(tmp_path)] == [(str(path), (change,))]
    assert path.read_text() == TEXT
    assert check(path) == fix(path) == []


def test_words_are_composed(tmp_path):
    path = write(tmp_path, replaced("bus", "cafe\u0301"))
    assert fix(path)[0].changes == ("normalised words to NFC (1 line)",)
    assert read_set(path).inliers[1] == "caf\u00e9"


@pytest.mark.parametrize("content", [TEXT, replaced("bus", "school bus"), replaced("bus", "Bus"), b"\xff\n"])
def test_a_good_file_and_a_wrong_word_are_left_alone(tmp_path, content):
    path = write(tmp_path, content)
    before = path.stat()
    assert fix(tmp_path) == []
    assert path.stat() == before


@pytest.mark.parametrize("sign", ["\t{:02}\t", "{:02}\t", "{}. ", "{:2}) "])
def test_numbers_pasted_from_the_guidelines_are_taken_away(tmp_path, sign):
    halves = [
        "".join(f"{sign.format(i)}{word}\n" for i, word in enumerate(half, 1)) for half in (INLIERS, OUTLIERS)
    ]
    path = write(tmp_path, "\n".join(halves))
    assert {one.code for one in check(path)} <= {"F5", "F13"}
    assert "removed numbers (16 lines)" in fix(path)[0].changes
    assert path.read_text() == TEXT


def test_pasted_lists_with_no_empty_line_between_are_parted(tmp_path):
    path = write(tmp_path, "".join(f"{i % 8 + 1:02}\t{word}\n" for i, word in enumerate(INLIERS + OUTLIERS)))
    assert fix(path)[0].changes == ("removed numbers (16 lines)", "separated inliers from outliers")
    assert path.read_text() == TEXT


def test_a_number_in_one_line_alone_is_left_to_the_author(tmp_path):
    path = write(tmp_path, replaced("bus", "4 seasons"))
    assert fix(path) == []
    assert {one.code for one in check(path)} == {"L6", "W3", "W4"}


def test_all_of_it_at_once(tmp_path):
    words = [f" {word}\u00a0" for word in [*INLIERS, "", *OUTLIERS]]
    path = write(tmp_path, "\ufeff" + "\r\n".join(words))
    assert len(fix(path)[0].changes) == 4
    assert path.read_text() == TEXT


@example("\n\r")
@given(st.text(st.sampled_from("ab\u0301 \u00a0\u200b\t\r\n\ufeff_"), max_size=60))
def test_no_word_is_changed_and_a_second_repair_finds_nothing(text):
    first = Draft.of("EN-Any.txt", text.encode(), topic="Any", language="EN")
    content, changes = mend(first)
    second = Draft.of("EN-Any.txt", content, topic="Any", language="EN")
    assert second.words == first.words
    assert list(second.words) == [unicodedata.normalize("NFC", strip_word(e.text)) for e in first.entries]
    assert mend(second) == (content, ())
    assert bool(changes) == (content != text.encode())
