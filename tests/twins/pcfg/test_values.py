"""What lines mean: the table of spec 5, the official files, and lines that are odd or huge."""

from __future__ import annotations

import pytest

from salva.errors import InputError
from salva.twins import FUNCTIONS, interpret, interpret_lines, measures
from salva.twins.pcfg.language import MOST_SYMBOLS, OPERATIONS

MEANINGS = {
    "copy A1 B1 C1 D1": "A1 B1 C1 D1",
    "reverse A1 B1 C1 D1": "D1 C1 B1 A1",
    "shift A1 B1 C1 D1": "B1 C1 D1 A1",
    "swap_first_last A1 B1 C1 D1": "D1 B1 C1 A1",
    "repeat A1 B1": "A1 B1 A1 B1",
    "echo A1 B1": "A1 B1 B1",
    "append A1 B1 , C1": "A1 B1 C1",
    "prepend A1 B1 , C1": "C1 A1 B1",
    "remove_first A1 B1 , C1": "C1",
    "remove_second A1 B1 , C1": "A1 B1",
    "swap_first_last A1": "A1",
}


@pytest.mark.parametrize(("line", "value"), MEANINGS.items())
def test_functions_mean_what_the_table_says_one_by_one_and_at_once(line, value):
    twin = line.replace(" ", "_twin ", 1)
    assert interpret(line) == interpret(twin) == value
    assert interpret_lines([line, twin]) == [value, value]


@pytest.mark.parametrize("name", ["pcfgset/dev", "pcfgset/test"])
def test_every_official_line_has_its_target(pcfgset, name):
    sources, targets = ((pcfgset / f"{name}{end}").read_text().splitlines() for end in (".src", ".tgt"))
    assert interpret_lines(sources) == targets


def test_every_official_pair_has_its_target(pcfgset):
    found = sorted((pcfgset / "substitutivity").rglob("*.src"))
    assert len(found) == 4
    for path in found:
        lines = path.read_text().splitlines()
        assert len(lines) == 10_000
        assert interpret_lines(lines) == path.with_suffix(".tgt").read_text().splitlines()


def test_a_fault_names_its_line_and_its_file():
    some = ["copy A1"] * 9000 + ["copy A1 ,"]
    with pytest.raises(InputError, match=r"^line 9001: token 3 \(column 9\): ',' comes after the end"):
        interpret_lines(some)
    with pytest.raises(InputError, match=r"^test.src:9001: token 3"):
        interpret_lines(some, source="test.src")


@pytest.mark.parametrize("line", [None, 3, "copy \ud800"])
def test_what_is_no_line_is_refused(line):
    with pytest.raises(InputError, match=r"^line 1: "):
        interpret_lines([line, "echo A1"])


def test_untidy_lines_among_tidy_ones_are_read():
    untidy = ["echo  A1", " copy B1", "copy\tC1\r", "copy D1\nE1"]
    assert interpret_lines(untidy) == ["A1 A1", "B1", "C1", "D1 E1"]
    assert [measures(line).length for line in untidy] == [2, 2, 2, 3]


@pytest.mark.parametrize("dropped", ["remove_first {} , B1", "remove_second B1 , {}"])
def test_a_huge_argument_that_is_dropped_costs_nothing(dropped):
    huge = dropped.format("repeat " * 90 + "A1")
    assert interpret(huge) == "B1"
    assert interpret_lines([huge, f"copy append {huge} , C1"]) == ["B1", "B1 C1"]


def test_a_huge_value_is_refused_before_it_is_made():
    line = "repeat " * 60 + "A1"
    with pytest.raises(
        InputError, match=r"the value has 1,152,921,504,606,846,976 symbols, more than 1,000,000"
    ):
        interpret(line)
    with pytest.raises(InputError, match="line 1: token 1"):
        interpret_lines([line])


def test_large_values_are_made_whole():
    line = "repeat " * 19 + "A1"
    assert interpret_lines([line, "echo B1"]) == [" ".join(["A1"] * 2**19), "B1 B1"]
    assert MOST_SYMBOLS > 2**19


def test_twins_and_symbols_of_ones_own():
    options = {"twins": {"append": "dax"}, "alphabet": ["é", "ab", "c"]}
    assert interpret("dax é , ab c", **options) == "é ab c"
    assert interpret_lines(["dax é , ab c"] * 2, **options) == ["é ab c"] * 2
    with pytest.raises(
        InputError, match="'A1' is not a function or a symbol; the symbols are 'ab', 'c', 'é'"
    ):
        interpret_lines(["copy c", "copy A1"], **options)


def test_no_lines_have_no_values():
    assert interpret_lines([]) == []


def test_every_function_of_the_language_has_an_operation():
    assert list(FUNCTIONS) == list(OPERATIONS)
