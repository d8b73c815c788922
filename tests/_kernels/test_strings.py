"""Tables of strings: equal strings have equal numbers, and what is not there is not found."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from salva._arrow import as_strings
from salva.text.words import find_words, string_table, types_of

long = st.text(
    "ab", min_size=6, max_size=20
)  # beyond what a slot holds, and some that differ at their end alone
words = st.lists(st.text("abé", max_size=3) | st.text(max_size=4).filter(str.isprintable) | long, max_size=60)


@given(words)
def test_types_are_numbered_as_they_are_first_met(strings):
    first_met = {string: number for number, string in enumerate(dict.fromkeys(strings))}
    types = types_of(as_strings(strings))
    assert types.numbers.tolist() == [first_met[string] for string in strings]
    assert types.firsts.tolist() == [strings.index(string) for string in first_met]


def test_a_column_of_new_words_outgrows_the_first_table():
    strings = [f"word{i}" for i in range(20_000)]
    assert types_of(as_strings(strings)).numbers.tolist() == list(range(20_000))


@given(words, words)
def test_only_what_is_in_a_table_is_found(entries, strings):
    entries = list(dict.fromkeys(entries))
    found = find_words(string_table(entries), as_strings(strings), np.arange(len(strings)))
    assert found.tolist() == [entries.index(string) if string in entries else -1 for string in strings]


def test_hashes_begin_where_no_author_of_a_text_can_know():
    code = "from salva.text.words import slots_for\nprint(slots_for(1).secret)"
    seen = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(3)
    }
    assert len(seen) == 3
