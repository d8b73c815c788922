"""A thesaurus is read as a stream of pairs; what it does not say is 0."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from salva.errors import InputError
from salva.outliers import WordSet
from salva.outliers.scoring import score
from salva.outliers.vectors.thesaurus import open_thesaurus
from tests.outliers.vector_files import write

LINES = "tea\tcoffee\t0.5\ncoffee\ttea\t0.25\ntea\tmilk\t0.125\nmilk\tcow\t0.75\n"
INLIERS = tuple("abcdefgh")


@pytest.fixture
def thesaurus(tmp_path):
    def made(text: str | bytes, words):
        return open_thesaurus(write(tmp_path / "t.tsv", text), words)

    return made


def test_pairs_have_a_direction_and_missing_ones_are_zero(thesaurus):
    found = thesaurus(LINES, ["tea", "coffee", "milk"])
    expected = [[0, 0.5, 0.125], [0.25, 0, 0], [0, 0, 0]]
    assert np.array_equal(found.matrix(["tea", "coffee", "milk"]), expected)


def test_a_word_is_known_from_either_side_and_in_lower_case(thesaurus):
    found = thesaurus(LINES, ["cow", "Tea", "absent", "milk_tea"])
    assert [found.known(word) for word in ("cow", "Tea", "absent", "milk_tea")] == [True, True, False, False]
    assert found.info.found == {"exact": 1, "lower": 1}


@pytest.mark.parametrize(
    "text",
    [
        "word\tneighbour\tscore\n" + LINES,
        LINES.rstrip("\n"),
        LINES.replace("\n", "\r\n"),
        "\ufeff" + LINES,
        gzip.compress(LINES.encode(), mtime=0),
    ],
    ids=["names of columns", "no final newline", "crlf", "bom", "gzip"],
)
def test_small_differences_of_the_file_do_not_matter(thesaurus, text):
    assert thesaurus(text, ["tea", "coffee"]).matrix(["tea", "coffee"]).tolist() == [[0, 0.5], [0.25, 0]]


def test_the_first_of_equal_pairs_counts(thesaurus):
    found = thesaurus(LINES + "tea\tcoffee\t0.9\n", ["tea", "coffee"])
    assert found.matrix(["tea", "coffee"])[0, 1] == 0.5
    assert found.info.duplicates == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"t\.tsv: has no lines"),
        (LINES + "tea\tcoffee\n", r"t\.tsv:5: 2 cells, not word, neighbour and score"),
        (LINES + "tea coffee 0.5\n", r"t\.tsv:5: 1 cell, "),
        (LINES + "a\tb\t0.5\textra\n", r"t\.tsv:5: 4 cells"),
        (LINES + "\tb\t0.5\n", r"t\.tsv:5: an empty word"),
        (LINES + "a\tb\tnan\n", r"t\.tsv:5: score 'nan' must be a finite number"),
        (LINES + "a\tb\t0,5\n", r"t\.tsv:5: score '0,5' must be a finite number"),
        (LINES + "tea\ttea2\t\n", r"t\.tsv:5: score '' must be a finite number"),
        (LINES + "tea\tmilk\t1e999\n", r"t\.tsv:5: score '1e999' must be a finite number"),
        (LINES + "a" * 99_999, r"t\.tsv:5: a line of more than 8,292 bytes"),
        (gzip.compress(LINES.encode(), mtime=0)[:-9], r"t\.tsv: is cut off or damaged"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(thesaurus, text, message):
    with pytest.raises(InputError, match=message):
        thesaurus(text, ["tea", "milk"])


def test_a_score_looks_both_ways(thesaurus):
    """Only the outlier's own list is empty; its neighbours' lists name it less than they name each other."""
    pairs = [(a, b, 1.0) for a in INLIERS for b in INLIERS if a != b] + [(a, "1", 0.5) for a in INLIERS]
    pairs += [(a, "2", 1.0) for a in INLIERS] + [("2", a, 1.5) for a in INLIERS]
    text = "".join(f"{one}\t{other}\t{value}\n" for one, other, value in pairs)
    words = WordSet("Letters", "EN", INLIERS, ("1", "2", "3", "4", "5", "6", "7", "8"))
    result = score(thesaurus(text, words.words), [words], min_coverage=0)
    assert [one.op for one in result.exercises] == [8, 0, 0, 0, 0, 0, 0, 0]
    assert result.source.kind == "thesaurus"
