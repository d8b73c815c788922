"""Strings of unknown origin are shown, never obeyed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from salva._show import printable
from salva.pages import pieces, short

anything = st.text(st.characters(exclude_categories=[]))


@given(anything)
def test_pieces_say_the_whole_text(text):
    found = pieces(text)
    assert "".join(piece.text for piece in found) == printable(text)
    assert all(piece.escaped or printable(piece.text) == piece.text for piece in found)


@given(anything, st.integers(0, 20))
def test_a_cut_text_says_what_is_missing(text, most):
    found = pieces(text, most)
    assert "".join(piece.text for piece in found) == printable(text[:most])
    assert sum(piece.left_out for piece in found) == max(0, len(text) - most)


@given(anything)
def test_a_short_text_is_one_line_that_utf8_can_hold(text):
    assert "\n" not in short(text, 30).encode().decode()


def test_a_long_text_is_shortened():
    assert short("a  fine\nfilm", 80) == "a fine film"
    assert short("x" * 1000, 5) == "xxxxx …"
