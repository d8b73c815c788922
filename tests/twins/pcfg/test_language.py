"""The language: trees and back, and faults with their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.twins import FUNCTIONS, LineError, interpret, interpret_lines, measures, parse, print_tree
from salva.twins.pcfg.language import MOST_DEPTH, Call, define_language
from salva.twins.pcfg.names import TWINNED, twin_names

symbols = st.builds(
    "{}{}".format, st.sampled_from("ABYZaz"), st.sampled_from([0, 1, 9, 12, 20, 123, 45678, 123456789])
)
strings = st.lists(symbols, min_size=1, max_size=5).map(" ".join)


def calls(arguments):
    names = st.sampled_from([*FUNCTIONS, *(f"{name}_twin" for name in FUNCTIONS)])
    return names.flatmap(
        lambda name: st.lists(
            arguments, min_size=(size := FUNCTIONS[name.removesuffix("_twin")]), max_size=size
        ).map(lambda parts: f"{name} {' , '.join(parts)}")
    )


lines = calls(st.recursive(strings, calls, max_leaves=12))


@given(lines)
def test_a_line_prints_back_to_itself(line):
    assert print_tree(parse(line)) == line


@pytest.mark.slow
def test_every_official_line_prints_back_to_itself(pcfgset):
    for path in sorted(pcfgset.rglob("*.src")):
        assert [line for line in path.read_text().splitlines() if print_tree(parse(line)) != line] == []


def test_a_tree_is_calls_and_strings():
    tree = parse("remove_second_twin echo A1 B2 , C3")
    assert tree == Call("remove_second_twin", (Call("echo", (("A1", "B2"),)), ("C3",)))


def test_white_space_is_normalised():
    assert print_tree(parse("\tappend  A1 ,\u00a0B2 \n")) == "append A1 , B2"


def test_measures_count_commas_and_twins():
    assert measures("prepend copy_twin A1 B1 , C1 D1") == (2, 7, 2)
    assert measures("echo A1") == (1, 2, 1)


@pytest.mark.parametrize(
    ("line", "token", "column", "problem"),
    [
        ("apend A1 , B1", 1, 1, "'apend' is not a function or a symbol; did you mean 'append'"),
        ("copy  reverze A1", 2, 7, "'reverze' is not a function .* did you mean 'reverse'"),
        ("copy A1 V19remove_first", 3, 9, "did you mean 'remove_first'"),
        (
            "copy A1 ?",
            3,
            9,
            r"'\?' is not a function or a symbol; a symbol is a letter followed by digits, such as A1",
        ),
        (
            "append ( A1 , B1 )",
            2,
            8,
            "'\\(' is not part of the language; leave out brackets, which are not needed",
        ),
        ("copy A1 ]", 3, 9, "'\\]' is not part of the language; leave out brackets"),
        ("append A1, B1", 2, 8, "'A1,' is not a function or a symbol; put a space before the comma"),
        ("copy AA1", 2, 6, "'AA1' is not a function or a symbol; a symbol is a letter followed by digits"),
        ("copy A1234567890", 2, 6, "'A1234567890' is not a function or a symbol"),
        ("copy A", 2, 6, "'A' is not a function or a symbol"),
        ("", 1, 1, "the line is empty; a line must begin with a function"),
        ("A1 B2", 1, 1, "a line must begin with a function, not with 'A1'"),
        (", A1", 1, 1, "a line must begin with a function, not with ','"),
        ("copy", 2, 5, "expected the first argument of 'copy', found the end of the line"),
        ("append A1 ,", 4, 12, "expected the second argument of 'append', found the end of the line"),
        ("append , A1", 2, 8, "expected the first argument of 'append', found ','"),
        ("append A1", 3, 10, "expected ',' before the second argument of 'append', found the end"),
        ("copy A1 , B1", 3, 9, "',' comes after the end; 'copy' has all its arguments"),
        ("append copy A1 copy B1", 4, 16, "'copy' is inside a string; separate arguments with ','"),
    ],
)
def test_a_fault_names_its_token_and_column(line, token, column, problem):
    with pytest.raises(LineError, match=rf"^token {token} \(column {column}\): .*{problem}") as fault:
        parse(line)
    assert (fault.value.token, fault.value.column) == (token, column)


def test_a_line_nested_too_deep_is_a_fault_not_a_crash():
    assert measures("copy " * MOST_DEPTH + "A1").depth == MOST_DEPTH
    with pytest.raises(LineError, match="nested deeper than 100 functions"):
        parse("copy " * 100_000 + "A1")


def test_twins_may_have_other_names():
    assert parse("dax A1 , B1", twins={"append": "dax"}).function == "dax"
    with pytest.raises(LineError, match="'append_twin' is not a function"):
        parse("append_twin A1 , B1", twins={"append": "dax"})


def test_symbols_may_be_given():
    assert parse("copy é x", alphabet=["é", "x"]).arguments == (("é", "x"),)
    with pytest.raises(LineError, match="'A1' is not a function or a symbol"):
        parse("copy A1", alphabet=["é", "x"])


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ({"apend": "dax"}, "'apend' is not a function; did you mean 'append'"),
        ({"append": "da x"}, "'da x' cannot be the twin of 'append'; write one word"),
        ({"append": ""}, "cannot be the twin"),
        ({"append": ","}, "cannot be the twin"),
        ({"append": "copy"}, "another function has that name"),
        ({"append": "dax", "copy": "dax"}, "another function has that name"),
        ({"append": "A1"}, "'A1' is both a function and a symbol"),
        ({"append": "swap"}, "another function has that name"),
        ({"append": "swap_twin"}, "another function has that name"),
        (
            {"swap": "dax", "swap_first_last": "wug"},
            "'swap' and 'swap_first_last' are the same function; name one",
        ),
        ({"(": "dax"}, r"'\(' is not a function; expected one of copy, reverse"),
    ],
)
def test_names_that_cannot_be_are_refused(names, problem):
    with pytest.raises(UsageError, match=problem):
        define_language(names)


@pytest.mark.parametrize("symbol", ["copy", "append_twin", ",", "a b", ""])
def test_symbols_that_cannot_be_are_refused(symbol):
    with pytest.raises(UsageError, match="symbol"):
        define_language(None, ["x", symbol])


def test_ten_functions_have_twins_and_four_are_twinned():
    assert list(twin_names()) == list(FUNCTIONS)
    assert len(FUNCTIONS) == 10
    assert set(TWINNED) < set(FUNCTIONS)


@pytest.mark.parametrize("line", ["copy {}", "{}", "copy A1 {}", "copy A1 , {}", "copy repeat {} A1"])
def test_a_message_is_short_however_long_the_token_is(line):
    with pytest.raises(LineError) as refused:
        parse(line.format("x" * 10**6))
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("line", ["swap {}", "swap_twin {}", "copy swap repeat_twin {}"])
def test_swap_is_understood_as_swap_first_last(line):
    one, same = line.format("A1 B2"), line.replace("swap", "swap_first_last").format("A1 B2")
    assert interpret(one) == interpret(same)
    assert interpret_lines([one] * 99) == interpret_lines([same] * 99)
    assert measures(one) == measures(same)
    assert print_tree(parse(one)) == one


def test_the_twin_of_swap_may_have_another_name():
    assert interpret("dax A1 B2", twins={"swap": "dax"}) == "B2 A1"
    assert twin_names({"swap": "dax"}) == twin_names({"swap_first_last": "dax"})
    with pytest.raises(LineError, match="'swap_twin' is not a function"):
        interpret("swap_twin A1 B2", twins={"swap": "dax"})
