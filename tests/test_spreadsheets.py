"""Tables for spreadsheets: any cell comes back, with any delimiter, and none is run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._spreadsheets import guard_cell, read_table, render_table
from salva.errors import InputError

CELLS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1), st.sampled_from(",;\t"))
def test_any_table_comes_back(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.mktemp("table") / "a.csv"
    path.write_text(render_table([["x", "y"], *rows], delimiter), "utf-8", newline="")
    assert [row for _, row in read_table(path, ",;\t")] == [["x", "y"], *rows]


@given(CELLS)
def test_no_cell_starts_a_formula(text):
    assert not guard_cell(text).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_lines_are_those_of_the_file(tmp_path):
    (tmp_path / "a.csv").write_text('x,y\n"1\n2",3\n\n4,5\n')
    assert [line for line, _ in read_table(tmp_path / "a.csv", ",")] == [1, 2, 5]


def test_broken_quotes_are_named_with_their_line(tmp_path):
    (tmp_path / "a.csv").write_text('x,y\n1,2\n"3"4,5\n')
    with pytest.raises(InputError, match=r"a\.csv:3: broken cell"):
        list(read_table(tmp_path / "a.csv", ","))
