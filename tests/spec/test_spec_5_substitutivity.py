"""Spec 5 (substitutivity), sentence by sentence: its sample, its steps, its folders and its format."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from salva.twins import (
    FUNCTIONS,
    generate,
    interpret,
    interpret_lines,
    make_conditions,
    make_pairs,
    parse,
    read_pairs,
    write_pairs,
)
from salva.twins.pcfg.conditions import CONDITIONS
from salva.twins.pcfg.names import TWINNED
from tests.conftest import SHARED
from tests.evaluation.running import run

SAMPLE = "swap_first_last append Q7 O3 P1 Y19 , G9 T14 U6 T9"
TWIN = "swap_first_last append_twin Q7 O3 P1 Y19 , G9 T14 U6 T9"
TARGET = "T9 O3 P1 Y19 G9 T14 U6 Q7"
FILES = ("train.src", "train.tgt", "test.src", "test.tgt", "test_twin.src", "test_twin.tgt")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A corpus in the regular format, and the Substitutivity data folder made from it."""
    folder = tmp_path_factory.mktemp("made")
    generate(folder / "pcfgset", lines=3000)
    make_conditions(folder / "substitutivity", folder / "pcfgset")
    return folder


@pytest.fixture(scope="module")
def data(made) -> Path:
    return made / "substitutivity"


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def functions_of(line: str) -> list[str]:
    return [token for token in line.split() if token.removesuffix("_twin") in FUNCTIONS]


def twins_of(line: str) -> list[str]:
    return [token for token in line.split() if token.endswith("_twin")]


def test_the_four_functions_have_synonyms_with_the_same_interpretation(document):
    """For functions swap, repeat, append and remove_second … the same interpretation functions."""
    assert "For functions `swap`, `repeat`, `append` and `remove_second`" in document(5)
    assert TWINNED == ("swap_first_last", "repeat", "append", "remove_second")
    for line in ("{} A1 B1 C1 D1", "{} A1 B1 C1 , D1 E1"):
        for name in TWINNED:
            if FUNCTIONS[name] == line.count(",") + 1:
                assert interpret(line.format(f"{name}_twin")) == interpret(line.format(name))


def test_synonyms_are_introduced_during_training(data):
    """We artificially introduce synonyms during training."""
    for name in CONDITIONS:
        seen = Counter(twin for line in lines_of(data / name / "train.src") for twin in twins_of(line))
        assert set(seen) == {f"{function}_twin" for function in TWINNED}


def test_in_one_condition_synonyms_are_equally_distributed(data):
    """What happens when synonyms are equally distributed in the input sequences."""
    train = lines_of(data / "equally_distributed/train.src")
    lines = Counter(token for line in train for token in set(line.split()))
    assert all(0 <= lines[name] - lines[f"{name}_twin"] <= 1 for name in TWINNED)


def test_in_the_other_one_of_the_synonyms_occurs_in_primitive_contexts_alone(data):
    """The case in which one of the synonyms only occurs in primitive contexts."""
    lines = [line for line in lines_of(data / "primitive/train.src") if twins_of(line)]
    assert lines
    assert all(functions_of(line) == twins_of(line) == [line.split()[0]] for line in lines)


def test_the_conditions_differ_in_training_data_alone(data):
    """Two conditions that differ in the syntactic distribution of the synonyms in the training data."""
    one, two = (data / name for name in CONDITIONS)
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in FILES[2:])
    assert (one / "train.src").read_bytes() != (two / "train.src").read_bytes()


def test_the_folder_contains_two_subfolders_with_these_files(data, document):
    """The Substitutivity data folder contains two subfolders, including the following files."""
    assert {path.name for path in data.iterdir()} == set(CONDITIONS) == {"primitive", "equally_distributed"}
    for name in CONDITIONS:
        assert set(FILES) <= {path.name for path in (data / name).iterdir()}
        assert f"The `{name}` folder" in document(5)
    assert all(f"`{name}`" in document(5) for name in FILES)


def test_primitive_training_is_the_regular_data_with_extra_primitives(made):
    """1a: the regular PCFG SET data, but with extra primitives added for synonyms."""
    base, train = (
        lines_of(made / name) for name in ("pcfgset/train.src", "substitutivity/primitive/train.src")
    )
    assert train[: len(base)] == base
    assert Counter(line.split()[0] for line in train[len(base) :]) == {f"{n}_twin": 83 for n in TWINNED}


def test_equally_distributed_training_is_the_regular_data_adapted(made):
    """2a: the regular PCFG SET data adapted to include synonyms."""
    base = lines_of(made / "pcfgset/train.src")
    train = lines_of(made / "substitutivity/equally_distributed/train.src")
    assert [line.replace("_twin", "") for line in train] == base
    assert train != base


@pytest.mark.parametrize("name", CONDITIONS)
def test_test_lines_contain_a_function_that_is_coupled_to_a_synonym(data, name):
    """1b, 2b: lines that contain at least one function that was coupled to a synonym."""
    assert all(set(functions_of(line)) & set(TWINNED) for line in lines_of(data / name / "test.src"))
    assert not any(map(twins_of, lines_of(data / name / "test.src")))


@pytest.mark.parametrize("name", CONDITIONS)
def test_affected_functions_are_replaced_with_their_synonym(data, name):
    """1c, 2c, and: FUNCTION becomes FUNCTION_twin; every line contains one function that is replaced."""
    both = zip(lines_of(data / name / "test.src"), lines_of(data / name / "test_twin.src"), strict=True)
    for line, twin in both:
        (replaced,) = set(twins_of(twin))
        function = replaced.removesuffix("_twin")
        assert function in TWINNED
        assert re.sub(rf"\b{function}\b", replaced, line) == twin


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_data_format_equals_the_regular_format(made, name):
    """The data format equals the regular PCFG SET format: tokens and single spaces, a target a line."""
    for folder in (made / "pcfgset", made / "substitutivity" / name):
        for path in folder.glob("*.src"):
            assert all(parse(line) for line in lines_of(path))
            assert interpret_lines(lines_of(path)) == lines_of(path.with_suffix(".tgt"))
            assert not re.search(r"  | $|^ ", path.read_text(), re.MULTILINE)


def test_the_sample_is_a_pair_with_one_target(document):
    """The sample, and what it means."""
    assert f"{SAMPLE}\n{TWIN}\n" in document(5)
    pair = next(pair for pair in make_pairs([SAMPLE]) if pair.kind == "append")
    assert (pair.source, pair.twin) == (SAMPLE, TWIN)
    assert pair.target == pair.twin_target == interpret(SAMPLE) == interpret(TWIN) == TARGET


def test_the_sample_is_line_10_of_the_official_files():
    """The sample above (line 10 from test.src and line 10 from test_twin.src)."""
    folder = SHARED / "data/pcfgset/substitutivity/primitive"
    if not folder.is_dir():
        pytest.skip("needs the official files in ../shared, which are not part of the project")
    pair = read_pairs(folder)[9]
    assert (pair.source, pair.twin, pair.target, pair.kind) == (SAMPLE, TWIN, TARGET, "append")


@pytest.mark.parametrize(
    ("answer", "twin_answer", "consistent", "accurate"),
    [
        (TARGET, TARGET, True, True),
        ("A1", "A1", True, False),
        (TARGET, "A1", False, False),
        ("A1", TARGET, False, False),
        ("A1", "B1", False, False),
        ("", "", True, False),
    ],
)
def test_the_three_steps(tmp_path, answer, twin_answer, consistent, accurate):
    """Equal outputs are consistent irrespective of accuracy; accurate when both equal the target."""
    write_pairs(tmp_path / "pairs", [pair for pair in make_pairs([SAMPLE]) if pair.kind == "append"])
    known = {SAMPLE: answer, TWIN: twin_answer}
    (twin,) = run(tmp_path / "pairs", lambda texts: [known[text] for text in texts]).results.conditions
    assert twin.score.consistency.value == 100 * consistent
    assert twin.score.both_right.value == 100 * accurate
