"""Numbers in digits and in words have the same values, whatever else is in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.lexicon.negatives import find_negations
from salva.lexicon.numerals import find_numerals, is_numeral


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("five hundred thousand and twenty-one", "500021"),
        ("two thousand three hundred", "2300"),
        ("1.5 million", "1500000"),
        ("two dozen, a dozen", "24 12"),
        ("in 1990 two hundred people", "1990 200"),
        ("two three twenty twenty", "2 3 20 20"),
        ("the twenty-first, the 21st, the fifth", "21 21 5"),
        ("1,2,3 and 1.2.3", "1 2 3 1 2 3"),
        ("10/10 at 10:30", "10 10 10 30"),
        ("10-5, -5, −5", "10 5 -5 -5"),
        ("a thousand million", "1000 1000000"),
        ("often, someone, height, tenth-rate", "10"),
        ("hundreds of thousands", ""),
    ],
)
def test_numbers_are_read(text, values):
    assert " ".join(str(one.value) for one in find_numerals(text)) == values


def test_words_that_often_count_nothing_are_loose_only_alone():
    assert [one.is_loose for one in find_numerals("One of a second pair")] == [True, True, True]
    assert [one.is_loose for one in find_numerals("one hundred, twenty-one, the second thousand")] == [
        *(False, False),
        *(True, False),
    ]


def test_a_whole_text_may_be_a_number():
    assert list(map(is_numeral, ["Twenty-Five", "2", "1,000", "1,2,3", "5 dogs", ""])) == [
        *(True, True, True),
        *(False, False, False),
    ]


@given(st.integers(0, 10**12))
def test_grouped_digits_are_the_same_number(number):
    assert find_numerals(f"{number:,}")[0].value == find_numerals(str(number))[0].value == number


@given(st.text())
def test_any_text_has_numbers_and_negations(text):
    assert all(one.text for one in find_numerals(text))
    assert all(find_negations(text))


def test_a_number_of_too_many_digits_is_compared_as_it_is_written():
    (long, short) = find_numerals(f"{'1' * 5000} and 5")
    assert (long.value, short.value) == ("1" * 5000, 5)


@pytest.mark.parametrize(
    ("text", "negations"),
    [
        ("It isn't, it isn’t, it can't.", ["n't"] * 3),
        ("No-one knows; no one, nobody.", ["no-one", "no", "nobody"]),
        ("Knots, a notable few, a little, zero, No. 5", []),
        ("Neither he nor she CANNOT.", ["neither", "nor", "cannot"]),
    ],
)
def test_words_that_negate_are_found(text, negations):
    assert find_negations(text) == negations
