"""Words with a fixed list each: looked up in any case, distinct, and without what is excluded."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from salva._arrow import as_strings
from salva.edits.sources import WordTable
from tests.edits.conftest import spelled
from tests.text.conftest import hostile_words, unicode

words = st.text("abAB", min_size=1, max_size=2) | st.text(unicode, min_size=1, max_size=3)
tables = st.dictionaries(words, st.lists(words, max_size=5), max_size=6)


def looked_up(table: WordTable, words: list[str], places: list[int]) -> list[list[str]]:
    return spelled(table, table.lists(as_strings(words), np.array(places, np.int64)))


def expected(lists: dict[str, list[str]], word: str, excluded: set[str]) -> list[str]:
    """Return what was given for a word in any case, each new word once."""
    found: dict[str, str] = {}
    for new in [new for key, news in lists.items() if key.lower() == word.lower() for new in news]:
        if new.lower() not in excluded | {word.lower()}:
            found.setdefault(new.lower(), new)
    return list(found.values())


@given(tables, words, st.sets(words))
def test_lists_are_distinct_in_any_case_and_without_the_word_itself(lists, word, exclude):
    excluded = {other.lower() for other in exclude}
    for asked in [word, word.upper(), *lists]:
        assert WordTable(lists, exclude).of(asked) == expected(lists, asked, excluded)


@given(tables, hostile_words, st.randoms(use_true_random=False))
def test_many_words_have_the_lists_of_each(lists, others, random):
    table, asked = WordTable(lists), [word.lower() for word in [*lists, *others]]
    places = random.sample(range(len(asked)), random.randint(0, len(asked)))
    assert looked_up(table, asked, places) == [table.of(asked[place]) for place in places]


def test_a_table_as_written_tells_capitals_apart():
    table = WordTable({"Film": ["Flick"], "film": ["movie"]}, written=True)
    assert looked_up(table, ["film", "Film", "FILM"], [0, 1, 2]) == [["movie"], ["Flick"], []]
    assert table.of("Film") == ["Flick"]


def test_an_empty_table_has_a_list_for_nobody():
    assert looked_up(WordTable({}), ["film", ""], [0, 1]) == [[], []]
    assert WordTable({}).of("film") == []


def test_what_is_excluded_may_leave_nothing():
    table = WordTable({"Film": ["Flick", "FILM", "flick"], "plot": ["story"]}, exclude=["fLICK"])
    assert table.of("film") == []
    assert looked_up(table, ["film", "plot", "other"], [0, 1, 2]) == [[], ["story"], []]
