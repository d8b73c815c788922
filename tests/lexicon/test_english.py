"""The shipped words of English are those that the other tables and lists make."""

from __future__ import annotations

import numpy as np
import pytest

from salva.lexicon.english import PLAIN, add_words, function_words, load_english
from tools.build_english import compile_tables


def test_the_shipped_table_is_what_the_tool_makes():
    tables, english = compile_tables(), load_english()
    assert tables["words"].equals(english.words)
    assert tables["kinds"].to_pylist() == english.kinds.tolist()


@pytest.mark.parametrize(
    ("word", "real", "plain"),
    [("because", True, True), ("films", True, True), ("paris", True, False), ("becuase", False, False)],
)
def test_plain_words_are_real_words_written_in_small_letters(word, real, plain):
    added = add_words([word])
    assert (added.places[0] < len(load_english().words)) == real
    assert added.plain[added.places[0]] == plain


def test_function_words_are_plain_words():
    added = add_words(sorted(function_words()))
    assert added.plain[added.places].all()
    assert len(added.words) == len(load_english().words)


def test_added_words_follow_those_of_english():
    more = ["zzxy", "film", "zzxz"]
    added = add_words(more)
    assert added.words.take(added.places.tolist()).to_pylist() == more
    assert len(added.words) == len(added.plain) == len(load_english().words) + 2
    assert np.array_equal(added.plain[:-2], load_english().kinds & PLAIN != 0)
