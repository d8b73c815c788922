"""Vectors are read from every format, and only the words that are asked for are kept."""

from __future__ import annotations

import gzip
import importlib.util
import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import MissingExtraError, UsageError
from salva.outliers.vectors.arrays import GLOVE
from salva.outliers.vectors.formats import open_vectors
from salva.outliers.vectors.lookup import Lookup
from salva.outliers.vectors.selection import Selection
from salva.outliers.vectors.text import read_text
from tests.outliers.vector_files import FORMATS, VECTORS, WORDS, lines, write, write_npy, write_vocabulary


def cosines(vectors=VECTORS) -> np.ndarray:
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units @ units.T


@pytest.fixture
def plain(tmp_path):
    """A GloVe file, opened for some words."""
    path = write(tmp_path / "v.txt", lines())
    return lambda words, **options: open_vectors(path, words, **options)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_cosines(tmp_path, name):
    vectors = open_vectors(FORMATS[name](tmp_path), [*WORDS, "absent"])
    assert np.allclose(vectors.matrix(WORDS), cosines(), atol=1e-12)
    assert not vectors.known("absent")
    assert (vectors.info.rows, vectors.info.dimension) == (5, 4)


def test_text_and_binary_have_the_same_digest(tmp_path):
    text, binary = (open_vectors(FORMATS[name](tmp_path), WORDS) for name in ("glove", "binary"))
    assert text.info.digest == binary.info.digest
    assert open_vectors(FORMATS["glove"](tmp_path), WORDS[:3]).info.digest != text.info.digest


def test_a_word_is_found_exactly_first_then_in_lower_case(plain):
    vectors = plain(["Tea", "Zürich", "zürich"])
    assert [vectors.known(word) for word in ("Tea", "Zürich", "zürich")] == [True, True, False]
    assert vectors.info.found == {"lower": 1, "exact": 1}


def test_a_multiword_term_is_the_mean_of_its_known_parts(plain):
    vectors = plain(["tea", "milk_coffee", "tea_absent", "absent_too"])
    mean = (VECTORS[1] + VECTORS[2]) / 2
    expected = mean @ VECTORS[0] / np.linalg.norm(mean) / np.linalg.norm(VECTORS[0])
    assert vectors.matrix(["tea", "milk_coffee"])[0, 1] == pytest.approx(expected)
    assert vectors.matrix(["tea", "tea_absent"])[0, 1] == pytest.approx(1)
    assert not vectors.known("absent_too")


@pytest.mark.parametrize(
    ("chain", "word", "known"),
    [
        ("exact", "Tea", False),
        ("exact,lower", "milk_tea", False),
        ("exact,hyphen", "milk_tea", False),
        ("exact,elision", "l'tea", True),
        ("exact,elision", "dell’tea", True),
        ("exact,elision", "x'tea", False),
        ("exact,elision,parts", "absent_d'tea", True),
        ("exact,suffix:ee", "coff", True),
        ("lower,suffix:ee", "COFF", True),
    ],
)
def test_the_look_up_does_what_its_steps_say(plain, chain, word, known):
    assert plain([word], chain=chain).known(word) is known


def test_a_hyphen_stands_for_an_underscore_when_asked(tmp_path):
    path = write(tmp_path / "v.txt", lines(words=["peanut-butter", *WORDS[1:]]))
    assert not open_vectors(path, ["peanut_butter"], chain="exact").known("peanut_butter")
    assert open_vectors(path, ["peanut_butter"], chain="exact,hyphen").known("peanut_butter")


@pytest.mark.parametrize(("words", "capitals"), [(["dog", "cat"], False), (["dog", "Cat"], True)])
def test_a_vocabulary_has_capitals_or_not(tmp_path, words, capitals):
    path = write(tmp_path / "v.txt", lines(words=words, vectors=VECTORS[:2]))
    assert open_vectors(path, ["dog"]).info.capitals is capitals


def test_part_of_speech_suffixes_are_found_when_named(tmp_path):
    path = write(tmp_path / "v.txt", lines(words=["dog_NOUN", "dog_VERB"], vectors=VECTORS[:2]))
    assert not open_vectors(path, ["dog"]).known("dog")
    assert open_vectors(path, ["Dog"], chain="exact,lower,suffix:_NOUN").known("Dog")


@pytest.mark.parametrize("chain", ["exact,loewr", "", "suffix:"])
def test_a_mistyped_step_is_refused(plain, chain):
    with pytest.raises(UsageError, match="exact, lower, capital, upper, hyphen, elision, parts, suffix:TEXT"):
        plain(["tea"], chain=chain)


def test_the_vocabulary_may_lie_elsewhere(tmp_path):
    path = write_npy(tmp_path / "v.npy")
    (tmp_path / "v.vocab").unlink()
    other = write_vocabulary(tmp_path / "words.tsv")
    assert open_vectors(path, WORDS, vocabulary=other).known("tea")


def test_words_with_spaces_do_not_stop_the_reader(tmp_path):
    path = write(tmp_path / "v.txt", lines() + ". . . 1 2 3 4\nat name@domain.com 1 2 3 4\n")
    info = open_vectors(path, ["tea"]).info
    assert (info.rows, info.spaced) == (7, 2)


def naive(text: str, wanted: set[str]) -> dict[str, list[float]]:
    """The slow twin: every line cut at its spaces."""
    found: dict[str, list[float]] = {}
    for line in text.splitlines():
        word, *numbers = line.split(" ")
        if word in wanted:
            found.setdefault(word, [float(number) for number in numbers])
    return found


LETTERS = st.text("abcé漢Z_-'0.", min_size=1, max_size=6)


@given(st.lists(LETTERS, min_size=1, max_size=40), st.sets(LETTERS, max_size=10))
def test_the_fast_reader_agrees_with_its_slow_twin(tmp_path_factory, words, asked):
    numbers = np.arange(3 * len(words)).reshape(-1, 3) / 4 - 5
    text = lines(words=words, vectors=numbers)
    path = write(tmp_path_factory.getbasetemp() / "twin.txt", text)
    selection = Selection(asked | set(words[:2]))
    read_text(path, selection)
    found = {form: vector.tolist() for form, vector in selection.vectors.items()}
    assert found == naive(text, asked | set(words[:2]))


def test_many_blocks_are_joined_without_a_seam(tmp_path):
    random.seed(0)
    words = [f"{'w' * random.randint(1, 60)}{i}" for i in range(20_000)]
    numbers = np.random.default_rng(0).normal(size=(len(words), 8))
    path = write(tmp_path / "v.txt", lines(words=words, vectors=numbers))
    chosen = words[::997]
    vectors = open_vectors(path, chosen)
    assert np.allclose(vectors.matrix(chosen), cosines(numbers[::997]))


@pytest.mark.parametrize("packed", [False, True])
def test_memory_does_not_grow_with_the_file(tmp_path, packed):
    numbers = " ".join(["0.123456"] * 300)
    text = "".join(f"word{i} {numbers}\n" for i in range(8_000)).encode()  # 21 MB
    path = write(tmp_path / "v.txt", gzip.compress(text, 1) if packed else text)
    tracemalloc.start()
    try:
        open_vectors(path, ["word7"])
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.heavy
def test_the_glove_package_is_read_and_not_imported():
    import sys

    vectors = open_vectors("glove", ["king", "queen", "cabbage"])
    close, far = vectors.matrix(["king", "queen", "cabbage"])[0, 1:]
    assert close > 0.7 > 0.3 > far
    assert GLOVE not in sys.modules


def test_without_the_glove_package_its_extra_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'salva\[glove\]'"):
        open_vectors("glove", ["tea"])


def test_needed_forms_are_those_of_every_step():
    assert Lookup(("exact", "lower", "parts")).needed(["Ice_Cream"]) == {
        "Ice_Cream",
        "ice_cream",
        "Ice",
        "ice",
        "Cream",
        "cream",
    }


@pytest.mark.parametrize(
    ("word", "step", "forms"),
    [
        ("tea", "capital", ["Tea"]),
        ("ice_cream", "capital", ["Ice_cream", "Ice_Cream"]),
        ("mcDonald", "capital", ["McDonald"]),
        ("diy", "upper", ["DIY"]),
        ("ice_cream", "upper", ["ICE_CREAM"]),
    ],
)
def test_capitalised_vocabularies_are_looked_up(word, step, forms):
    assert [candidate.parts[0][0] for candidate in Lookup((step,)).candidates(word)] == forms


def test_parts_of_a_term_are_capitalised_too(tmp_path):
    path = write(tmp_path / "v.txt", "Ice 1 0\nCream 0 1\nDIY 1 1\n")
    vectors = open_vectors(path, ["ice_cream", "Diy"], chain="exact,capital,upper,parts")
    assert vectors.info.found == {"parts": 1, "upper": 1}
    assert vectors.matrix(["ice_cream", "Diy"])[0, 1] == pytest.approx(1)
