"""The two conditions: the counts and properties of the official ones, from one base."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from salva._files import digest
from salva.errors import InputError, UsageError
from salva.twins import generate, interpret_lines, make_conditions, read_pairs
from salva.twins.pcfg.conditions import string_arguments
from salva.twins.pcfg.names import NONCE_NAMES, TWINNED, occurrences, twin_names

pytestmark = pytest.mark.slow

FILES = ["test.src", "test.tgt", "test_twin.src", "test_twin.tgt", "train.src", "train.tgt"]
TWINS = {name: f"{name}_twin" for name in TWINNED}


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A full corpus, and both conditions made from it."""
    folder = tmp_path_factory.mktemp("conditions")
    generate(folder / "pcfgset", seed=1)
    make_conditions(folder / "substitutivity", folder / "pcfgset", seed=1)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    generate(folder / "pcfgset", lines=2000)
    return folder / "pcfgset"


def test_line_counts_are_the_official_ones(full):
    home = full / "substitutivity"
    assert (
        len(lines_of(home / "primitive/train.src")) == len(lines_of(home / "primitive/train.tgt")) == 82_954
    )
    assert len(lines_of(home / "equally_distributed/train.src")) == 82_622
    assert all(len(lines_of(path)) == 10_000 for path in home.rglob("test*.*"))


def test_folders_and_files_are_named_as_in_the_document(full):
    home = full / "substitutivity"
    assert sorted(path.name for path in home.iterdir()) == ["equally_distributed", "primitive"]
    for folder in home.iterdir():
        assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", *FILES]


def test_primitive_is_the_base_and_four_blocks_of_one_function_lines(full):
    base, train = (
        lines_of(full / name) for name in ("pcfgset/train.src", "substitutivity/primitive/train.src")
    )
    assert train[:82_622] == base
    assert [line.split()[0] for line in train[82_622:]] == [TWINS[f] for f in TWINNED for _ in range(83)]
    assert all(sum(token in TWINS.values() for token in line.split()) == 1 for line in train[82_622:])
    added = interpret_lines(train)[82_622:]
    lengths = [{len(value.split()) for value in added[i : i + 83]} for i in range(0, 332, 83)]
    assert lengths == [{2, 3, 4, 5}, {4, 6, 8, 10}, set(range(4, 11)) & lengths[2], {2, 3, 4, 5}]


def test_what_primitive_adds_is_new(full):
    train = lines_of(full / "substitutivity/primitive/train.tgt")
    assert set(train[:82_622]).isdisjoint(train[82_622:])
    assert len(set(train[82_622:])) == 332
    sources = lines_of(full / "substitutivity/primitive/train.src")[82_622:]
    rest = [line for name in ("train", "dev", "test") for line in lines_of(full / f"pcfgset/{name}.src")]
    added = list(string_arguments([line.replace("_twin", "") for line in sources]))
    assert len(set(added)) == len(added) == 83 * 6
    assert set(added).isdisjoint(string_arguments(rest))


def test_equally_distributed_has_the_targets_of_the_base_line_for_line(full):
    home = full / "substitutivity/equally_distributed"
    assert (home / "train.tgt").read_bytes() == (full / "pcfgset/train.tgt").read_bytes()
    assert interpret_lines(lines_of(home / "train.src")) == lines_of(home / "train.tgt")
    plain = [line.replace("_twin", "") for line in lines_of(home / "train.src")]
    assert plain == lines_of(full / "pcfgset/train.src")


def test_equally_distributed_replaces_half_of_the_lines_whole(full):
    train = lines_of(full / "substitutivity/equally_distributed/train.src")
    for name, twin in TWINS.items():
        plain = {row for row, line in enumerate(train) if occurrences(line, name)}
        twins = {row for row, line in enumerate(train) if occurrences(line, twin)}
        assert plain.isdisjoint(twins)
        assert 0 <= len(plain) - len(twins) <= 1
        assert 0.185 < len(twins) / len(train) < 0.205  # the paper: approximately 19 %


def test_both_conditions_have_the_same_pairs_with_equal_targets(full):
    one, two = (full / "substitutivity" / name for name in ("primitive", "equally_distributed"))
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in FILES[:4])
    assert (one / "test.tgt").read_bytes() == (one / "test_twin.tgt").read_bytes()
    assert Counter(pair.kind for pair in read_pairs(one)) == dict.fromkeys(TWINNED, 2500)
    assert set(lines_of(one / "test.src")) <= set(lines_of(full / "pcfgset/test.src"))


def test_every_file_ends_with_a_line_end_and_is_in_the_manifest(full):
    for folder in (full / "substitutivity").iterdir():
        notes = json.loads((folder / "manifest.json").read_text())
        assert sorted(notes["files"]) == FILES
        for name, note in notes["files"].items():
            assert (folder / name).read_bytes().endswith(b"\n")
            assert note["digest"] == digest(folder / name)


def test_occurrences_may_be_halved_instead_of_lines(small, tmp_path):
    made = make_conditions(tmp_path, small, conditions=["equally_distributed"], replace="occurrence")
    train = lines_of(tmp_path / "equally_distributed/train.src")
    for name, twin in TWINS.items():
        plain, twins = (sum(occurrences(line, word) for line in train) for word in (name, twin))
        assert 0 <= plain - twins <= 1
    assert any(occurrences(line, "append") and occurrences(line, "append_twin") for line in train)
    assert interpret_lines(train) == lines_of(small / "train.tgt")
    assert made[0].train_lines == 1700


@pytest.mark.parametrize("dose", [0, 1, 16])
def test_the_dose_is_a_setting(small, tmp_path, dose):
    (made,) = make_conditions(tmp_path, small, conditions=["primitive"], dose=dose)
    assert (made.added_lines, made.train_lines) == (4 * dose, 1700 + 4 * dose)
    assert [made.lines_with[twin] for twin in TWINS.values()] == [dose] * 4


def test_a_smaller_dose_is_the_beginning_of_a_larger_one(small, tmp_path):
    for dose in (2, 5):
        make_conditions(tmp_path / str(dose), small, conditions=["primitive"], dose=dose)
    few, many = (lines_of(tmp_path / f"{dose}/primitive/train.src")[1700:] for dose in (2, 5))
    assert few[:2] == many[:2]


def test_names_may_be_nonce(small, tmp_path):
    make_conditions(tmp_path, small, names=NONCE_NAMES, dose=3)
    train = lines_of(tmp_path / "primitive/train.src")
    assert [line.split()[0] for line in train[1700:]] == [NONCE_NAMES[f] for f in TWINNED for _ in range(3)]
    assert "_twin" not in (tmp_path / "equally_distributed/train.src").read_text()
    pairs = read_pairs(tmp_path / "equally_distributed")
    assert {pair.kind for pair in pairs} == set(TWINNED)


def test_the_same_seed_gives_the_same_bytes(small, tmp_path):
    one, two, other = (
        make_conditions(tmp_path / str(i), small, seed=seed) for i, seed in enumerate([5, 5, 6])
    )
    assert [condition.files for condition in one] == [condition.files for condition in two]
    assert one[0].files != other[0].files


def test_an_alphabet_of_ones_own_is_remembered(tmp_path):
    symbols = [f"w{letter}" for letter in "abcdefghijklmnop"]
    generate(tmp_path / "pcfgset", lines=200, depth=(1, 3), alphabet=symbols)
    make_conditions(tmp_path / "out", tmp_path, dose=2)
    assert {pair.kind for pair in read_pairs(tmp_path / "out/primitive")} == set(TWINNED)


def corpus_of(folder: Path, **contents: str) -> Path:
    for name, text in contents.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("contents", "problem"),
    [
        ({"test_src": "copy A1"}, r"train.src: no such file"),
        ({"train_src": "copy A1"}, r"test.src: no such file"),
        (
            {"train_src": "copy A1\nappend_twin A1 , B1"},
            r"train.src:2: already contains the twin 'append_twin'",
        ),
        ({"train_src": "copy A1\ncpy B1"}, r"train.src:2: token 1 .*did you mean 'copy'"),
        (
            {"train_src": "copy A1", "train_tgt": "B1"},
            r"train.tgt:1: the target is 'B1', but line 1 of train.src means 'A1'",
        ),
        ({"train_src": "copy A1", "train_tgt": "A1\nB1"}, r"train.src:1: ends after line 1"),
        ({"train_src": ""}, r"train.src: is empty"),
        ({"train_src": "copy A1", "test_src": "copy B1"}, r"no line has any of append"),
        (
            {"train_src": "repeat A1", "test_src": "repeat B1"},
            r"2 symbols cannot make enough new strings for",
        ),
    ],
)
def test_a_base_that_cannot_be_is_refused_with_its_line(tmp_path, contents, problem):
    base = corpus_of(tmp_path, **contents)
    with pytest.raises(InputError, match=problem):
        make_conditions(tmp_path / "out", base)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "options", [{"conditions": ["primitiv"]}, {"dose": -1}, {"dose": 1.5}, {"replace": "word"}, {"seed": -1}]
)
def test_options_that_cannot_be_are_refused(small, tmp_path, options):
    with pytest.raises(UsageError):
        make_conditions(tmp_path, small, **options)


def test_twins_of_all_functions_have_names():
    assert all(twin_names()[name] == twin for name, twin in TWINS.items())
