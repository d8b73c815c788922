"""Corpora: sizes, distributions, strings that never repeat, and the same bytes as the slow twin."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from salva._files import digest
from salva.errors import InputError, UsageError
from salva.twins import FUNCTIONS, generate, generate_lines, interpret_lines, measures
from salva.twins.pcfg.conditions import string_arguments
from salva.twins.pcfg.generator import LINES, SPLITS, split_sizes, total_variation
from salva.twins.pcfg.sampling import (
    SYMBOLS,
    bounded,
    derive_key,
    divide,
    draw,
    make_symbols,
    official,
)
from tests.reference import pcfg_generator as slow
from tests.reference import rng

SIZES = {"train": 82_622, "dev": 4_860, "test": 9_721}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return generate(tmp_path_factory.mktemp("generated") / "pcfgset", seed=3)


@cache
def lines_of(folder: str, name: str) -> list[str]:
    return (Path(folder) / name).read_text().splitlines()


def test_a_full_corpus_has_the_official_sizes(corpus):
    assert corpus.lines == split_sizes(LINES) == SIZES
    assert {name: len(lines_of(corpus.folder, f"{name}.src")) for name in SPLITS} == SIZES


def test_it_is_within_every_tolerance(corpus):
    assert len(corpus.distances) == 15
    assert [distance for distance in corpus.distances if not distance.within] == []
    assert corpus.within_tolerances


def test_the_distances_are_those_of_the_lines(corpus):
    lines, values = lines_of(corpus.folder, "dev.src"), lines_of(corpus.folder, "dev.tgt")
    reported = {one.measure: one.distance for one in corpus.distances if one.split == "dev"}
    known = official().histograms
    assert reported["output_length"] == total_variation(
        Counter(len(value.split()) for value in values), known["output_length"]
    )
    assert reported["depth"] == total_variation(
        Counter(measures(line).depth for line in lines), known["depth"]
    )


@pytest.mark.parametrize("name", SPLITS)
def test_every_line_has_its_target(corpus, name):
    assert interpret_lines(lines_of(corpus.folder, f"{name}.src")) == lines_of(corpus.folder, f"{name}.tgt")


def test_no_string_argument_and_no_line_comes_twice_in_any_split(corpus):
    lines = [line for name in SPLITS for line in lines_of(corpus.folder, f"{name}.src")]
    strings = list(string_arguments(lines))
    assert len(set(strings)) == len(strings) == corpus.strings
    assert len(set(lines)) == LINES


def test_functions_symbols_and_sizes_are_spread_as_officially(corpus):
    tokens = Counter(token for line in lines_of(corpus.folder, "train.src") for token in line.split())
    functions = sum(tokens[name] for name in FUNCTIONS)
    assert all(0.095 < tokens[name] / functions < 0.105 for name in FUNCTIONS)
    assert set(tokens) - {*FUNCTIONS, ","} == set(make_symbols(SYMBOLS))
    unary = sum(tokens[name] for name, size in FUNCTIONS.items() if size == 1)
    assert abs(unary / functions - 0.603) < 0.015
    sizes = Counter(len(string.split()) for string in string_arguments(lines_of(corpus.folder, "train.src")))
    shares = [sizes[size] / sizes.total() for size in (2, 3, 4, 5)]
    assert shares == pytest.approx([0.159, 0.297, 0.276, 0.268], abs=0.015)


def test_the_manifest_has_settings_report_and_true_digests(corpus):
    manifest = json.loads((Path(corpus.folder) / "manifest.json").read_text())
    assert manifest["settings"]["lines"] == LINES
    assert manifest["within_tolerances"] is True
    assert len(manifest["files"]) == 6
    for name, note in manifest["files"].items():
        assert note["digest"] == digest(f"{corpus.folder}/{name}")


def test_the_official_sets_are_as_far_apart_as_the_tolerances_say(pcfgset):
    values = interpret_lines((pcfgset / "pcfgset/dev.src").read_text().splitlines())
    lengths = Counter(len(value.split()) for value in values)
    far = total_variation(lengths, official().histograms["output_length"])
    assert far == pytest.approx(official().tolerance["output_length"])
    assert sum(official().cells.values()) == 9_721


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path):
    one, two, other = (
        generate(tmp_path / str(i), lines=400, seed=seed).files for i, seed in enumerate([0, 0, 1])
    )
    assert one == two
    assert one != other


def test_these_lines_never_change():
    assert generate_lines(3, seed=0, depth=(1, 2), alphabet=26) == GOLDEN


GOLDEN = [
    "remove_first Z1 U1 Z1 B1 G1 , N1 N1 X1",
    "swap_first_last L1 B1 K1 T1 A1",
    "reverse C1 N1 U1",
]


def test_draws_are_those_of_the_slow_generator_one_by_one_and_at_once():
    keys = [rng.row_key(b"twins example", seed, 0) for seed in (0, 7, 2**64 - 1)]
    assert [derive_key(seed, "twins example") for seed in (0, 7, 2**64 - 1)] == keys
    for number, stage in ((0, 0), (1, 10), (2**40, 3)):
        expected = [rng.draw(key, number, stage) for key in keys]
        assert [draw(key, number, stage) for key in keys] == expected
        at_once = draw(np.array(keys, np.uint64), np.full(3, number, np.uint64), stage)
        assert at_once.tolist() == expected
        assert bounded(at_once, 520).tolist() == [rng.bounded(bits, 520) for bits in expected]


def recipe_of(alphabet: int, seed: int = 0) -> slow.Recipe:
    return slow.Recipe(make_symbols(alphabet), dict(official().strings), seed)


@pytest.mark.parametrize(("alphabet", "seed"), [(26, 0), (7, 2**64 - 1)])
def test_free_lines_are_those_of_the_slow_twin(alphabet, seed):
    cells = {(depth, length): 0 for depth in range(1, 4) for length in range(2, 21)}
    expected = slow.all_lines(recipe_of(alphabet, seed), {(1, 2): 60}, cells)
    found = generate_lines(60, seed=seed, depth=(1, 3), length=(2, 20), alphabet=alphabet)
    assert found == [line.source for line in expected]


def test_a_corpus_is_that_of_the_slow_twin(tmp_path):
    cells = {name: divide(size, official().cells) for name, size in split_sizes(300).items()}
    wanted = {cell: sum(part[cell] for part in cells.values()) for cell in official().cells}
    lines = slow.all_lines(recipe_of(SYMBOLS), wanted, {cell: i for i, cell in enumerate(wanted)})
    parts = slow.split(recipe_of(SYMBOLS), lines, [list(part.values()) for part in cells.values()])
    generate(tmp_path / "made", lines=300)
    for name, part in zip(SPLITS, parts, strict=True):
        assert (tmp_path / f"made/{name}.src").read_text().splitlines() == [line.source for line in part]
        assert (tmp_path / f"made/{name}.tgt").read_text().splitlines() == [line.target for line in part]


def test_free_mode_keeps_to_depth_length_and_alphabet():
    lines = generate_lines(500, depth=(2, 3), length=(6, 9), alphabet=["x", "y", "z", "é", "w"])
    found = [measures(line, alphabet=["x", "y", "z", "é", "w"]) for line in lines]
    assert {one.depth for one in found} == {2, 3}
    assert {one.length for one in found} == {6, 7, 8, 9}
    assert len(set(string_arguments(lines))) == len(list(string_arguments(lines)))


def test_free_mode_reports_no_distances(tmp_path):
    corpus = generate(tmp_path / "free", lines=100, depth=1, alphabet=26)
    assert (corpus.distances, corpus.within_tolerances) == ((), None)
    assert corpus.lines == {"train": 85, "dev": 5, "test": 10}


def test_sizes_of_string_arguments_may_be_weighted():
    lines = generate_lines(50, depth=1, string_sizes={3: 1, 6: 1})
    assert {len(string.split()) for string in string_arguments(lines)} == {3, 6}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"depth": 0}, "depth=0 must be between 1 and 100"),
        ({"depth": (3, 2)}, "smaller number first"),
        ({"length": 5000}, "length=5000 must be between"),
        ({"alphabet": 1}, "alphabet=1 must be a whole number from 2"),
        ({"alphabet": ["x", "x"]}, "two or more distinct symbols"),
        ({"alphabet": ["copy", "x"]}, "'copy' is both a function and a symbol"),
        ({"seed": -1}, "seed=-1 must be a whole number"),
        ({"seed": 1.5}, "seed=1.5 must be a whole number"),
        ({"string_sizes": {0: 1}}, "string size=0 must be"),
        ({"string_sizes": {2: 0}}, "no size of strings"),
    ],
)
def test_what_cannot_be_is_refused(options, problem):
    with pytest.raises(UsageError, match=problem):
        generate_lines(5, **options)


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"depth": 90, "length": 91}, "ask for fewer lines, or for more depths and lengths"),
        ({"depth": 1, "alphabet": 2}, "2 symbols cannot make enough strings; use more symbols"),
    ],
)
def test_lines_that_are_not_to_be_found_are_refused_with_a_remedy(monkeypatch, options, remedy):
    monkeypatch.setattr("salva.twins.pcfg.sampling._LEAST_TRIES", 1 << 17)
    monkeypatch.setattr("salva.twins.pcfg.sampling._TRIES_A_LINE", 1)
    with pytest.raises(UsageError, match=rf"found [\d,]+ of 5,000 lines .*; {remedy}"):
        generate_lines(5000, **options)


def test_a_folder_that_stands_is_kept_unless_told(tmp_path):
    (tmp_path / "made").mkdir()
    (tmp_path / "made/train.src").write_text("mine")
    with pytest.raises(InputError, match="made: exists; pass overwrite=True"):
        generate(tmp_path / "made", lines=20)
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    generate(tmp_path / "made", lines=20, overwrite=True)
    assert (tmp_path / "made/train.src").read_text() != "mine"


@pytest.mark.parametrize(
    "wrong", [{"depth": "1"}, {"depth": (1,)}, {"length": (1, "2")}, {"alphabet": 1.5}, {"seed": None}]
)
def test_what_is_no_setting_is_refused_in_one_line(wrong):
    with pytest.raises(UsageError, match=f"{next(iter(wrong))}="):
        generate_lines(3, **wrong)
