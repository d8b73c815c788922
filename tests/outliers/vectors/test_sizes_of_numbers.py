"""Numbers of any size that floats have: vectors score as their direction does, or are refused in one line."""

from __future__ import annotations

import numpy as np
import pytest

from salva.errors import InputError
from salva.outliers.scoring import score
from salva.outliers.vectors.formats import open_vectors
from salva.outliers.vectors.similarities import Vectors
from salva.outliers.vectors.thesaurus import open_thesaurus
from tests.outliers.letters import INLIERS, LETTERS, OUTLIERS, vectors_of
from tests.outliers.vector_files import lines, records, write, write_npy, write_safetensors, write_vocabulary

WORDS = [part for word in LETTERS.words for part in word.split("_")]
TURNED = vectors_of(angles={"b": 1.2, "p": 0.9})
DIRECTIONS = np.array([TURNED.unit(word) for word in LETTERS.words for _ in word.split("_")])
PLAIN = "a 1 0\nb 0 1\n"


def in_text(folder, array):
    return write(folder / "v.txt", lines(words=WORDS, vectors=array))


def in_npy(folder, array):
    path = write_npy(folder / "v.npy", array)
    write_vocabulary(folder / "v.vocab", WORDS)
    return path


def in_safetensors(folder, array):
    path = write_safetensors(folder / "v.safetensors", array)
    write_vocabulary(folder / "v.vocab", WORDS)
    return path


@pytest.mark.parametrize("size", [1e-290, 1e-170, 1e-20, 1e20, 1e200, 1e307])
@pytest.mark.parametrize("write_in", [in_text, in_npy, in_safetensors])
def test_vectors_score_as_their_direction_does(tmp_path, write_in, size):
    """1e-170 had a length of 0 and 1e200 an infinite one: a traceback, or cosines of 0."""
    found = score(write_in(tmp_path, DIRECTIONS * size), [LETTERS])
    plain = score(write_in(tmp_path, DIRECTIONS), [LETTERS])
    assert found.figures == plain.figures
    assert 0 < found.figures.hits < 8
    assert [one.beaten_by for one in found.exercises] == [one.beaten_by for one in plain.exercises]


def test_sizes_may_differ_from_word_to_word(tmp_path):
    sizes = 10.0 ** np.linspace(-290, 300, len(WORDS))[:, np.newaxis]
    sizes[[7, 8, 16, 17]] = 1  # parts of terms, whose mean is that of the raw vectors
    found = score(in_text(tmp_path, DIRECTIONS * sizes), [LETTERS])
    assert found.figures == score(in_text(tmp_path, DIRECTIONS), [LETTERS]).figures


def test_the_mean_of_huge_parts_is_their_mean(tmp_path):
    path = write(tmp_path / "v.txt", "ice 1.7e308 0\ncream 0 1.7e308\nx 1 1\n")
    vectors = open_vectors(path, ["ice_cream", "x"])
    assert vectors.matrix(["ice_cream", "x"])[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("numbers", ["1e-320 2e-320", "1e-400 2e-400", "0 -3e-301"])
def test_numbers_too_small_for_a_direction_are_refused(tmp_path, numbers):
    """Floats of this size have lost their digits: 1e-400 is read as 0."""
    path = write(tmp_path / "v.txt", f"{PLAIN}c {numbers}\n")
    with pytest.raises(InputError) as caught:
        open_vectors(path, ["a", "b", "c"])
    expected = f"{path}:3: the numbers of 'c' are too small, all below 1e-300; scale the vectors"
    assert str(caught.value) == expected


def test_a_small_number_beside_a_usual_one_is_fine(tmp_path):
    path = write(tmp_path / "v.txt", f"{PLAIN}c 1e-400 2\nd 0 0e-9\n")
    vectors = open_vectors(path, ["b", "c", "d"])
    assert vectors.matrix(["b", "c"])[0, 1] == 1
    assert (vectors.known("d"), vectors.info.zeros) == (False, 1)


@pytest.mark.parametrize(("number", "problem"), [("1e4000", "not finite"), ("1e-4000", "too small")])
def test_floats_that_are_longer_than_ours_are_refused(tmp_path, number, problem):
    array = np.ones((len(WORDS), 2), np.longdouble)
    array[0] = np.longdouble(number)
    if not np.isfinite(array).all() or not array.all():
        pytest.skip("needs a longdouble of more than 64 bits")
    with pytest.raises(InputError, match=rf"v\.npy: row 1: .*{problem}"):
        open_vectors(in_npy(tmp_path, array), WORDS)


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_a_binary_file_with_numbers_that_no_vector_has_is_refused(tmp_path, size):
    content = f"{len(WORDS)} 2\n".encode() + records(words=WORDS, vectors=DIRECTIONS * size)
    with pytest.raises(InputError, match=r"v\.bin: record 1: numbers such as .*; the numbers may not be"):
        open_vectors(write(tmp_path / "v.bin", content), WORDS)


def test_given_vectors_have_to_be_finite():
    with pytest.raises(InputError, match="number 2 of 'a' is inf, not finite"):
        Vectors("made", {"a": np.array([1.0, np.inf])}, ["a"])


def pairs(size: float) -> str:
    """All inliers alike, but for `a`, which is less like them than the outlier p is, and q as much."""
    like = {"a": 0.25, "p": 0.5, "q": 0.25} | dict.fromkeys(OUTLIERS[2:], 0.01)
    rows = [(one, two, like.get(one, 1.0)) for one in LETTERS.words for two in INLIERS if one != two]
    return "".join(f"{one}\t{two}\t{value * size!r}\n" for one, two, value in rows)


@pytest.mark.parametrize("size", [1e-290, 1e-170, 1e-12, 1e12, 1e200, 1e299])
@pytest.mark.parametrize("policy", ["default", "hamod"])
def test_a_thesaurus_scores_alike_whatever_its_unit(tmp_path, size, policy):
    """Scores of 1e-12 were all ties, and sums of 1e308 infinite."""
    usual, other = (
        score(open_thesaurus(write(tmp_path / "t.tsv", pairs(unit)), LETTERS.words), [LETTERS], policy=policy)
        for unit in (1.0, size)
    )
    assert other.figures == usual.figures
    assert [one.beaten_by for one in other.exercises] == [one.beaten_by for one in usual.exercises]


@pytest.mark.parametrize("cell", ["1e308", "-2e300", "1e-320", "1e-400"])
def test_a_score_that_cannot_be_added_up_is_refused(tmp_path, cell):
    path = write(tmp_path / "t.tsv", f"a\tb\t1\nb\ta\t{cell}\n")
    with pytest.raises(InputError) as caught:
        open_thesaurus(path, ["a", "b"])
    assert str(caught.value) == f"{path}:2: score {cell!r} must be 0 or of a size from 1e-300 to 1e300"


def test_what_a_thesaurus_says_of_a_word_and_itself_does_not_count(tmp_path):
    """Nor does it make the other scores look like ties."""
    text = pairs(1.0) + "a\ta\t1e12\n"
    found = score(open_thesaurus(write(tmp_path / "t.tsv", text), LETTERS.words), [LETTERS])
    plain = score(open_thesaurus(write(tmp_path / "t.tsv", pairs(1.0)), LETTERS.words), [LETTERS])
    assert found.figures == plain.figures
