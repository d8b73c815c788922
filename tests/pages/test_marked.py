"""A marked text is the text: edits inside it, and a note wherever something is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from salva.pages import Mark, Segment, marked

TEXT = "one two three four five six seven eight nine ten " * 40


@st.composite
def marked_texts(draw):
    text = draw(st.text(" ab", max_size=900))
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    ends = list(zip(places[::2], places[1::2], strict=False))
    return text, [Mark(a, b, "old", strong=draw(st.booleans())) for a, b in ends]


@given(marked_texts(), st.integers(0, 60), st.integers(1, 300))
def test_what_is_shown_and_what_is_left_out_add_up(example, context, most):
    text, marks = example
    at = 0
    for segment in marked(text, marks, context=context, most=most):
        assert text.startswith(segment.text, at)
        at += len(segment.text) + segment.left_out
    assert at == len(text)


@given(marked_texts())
def test_a_short_text_shows_every_mark(example):
    text, marks = example
    shown = marked(text, marks, context=len(text) + 1, most=10_000)
    assert sum(segment.kind == "edit" for segment in shown) == len(marks)


def test_text_far_from_a_mark_is_left_out_at_a_space():
    shown = marked(TEXT, [Mark(1004, 1009, "drei")], context=30)
    assert [segment.kind for segment in shown] == ["gap", "text", "edit", "text", "gap"]
    assert shown[1].text.split()[0] in TEXT.split()
    assert shown[3].text.split()[-1] in TEXT.split()


def test_strong_marks_get_their_room_first():
    marks = [Mark(i, i + 1, "x", strong=i == 1500) for i in range(0, 1900, 100)]
    shown = marked(TEXT, marks, context=10, most=10)
    assert [segment.strong for segment in shown if segment.kind == "edit"] == [True]


def test_without_marks_the_beginning_is_shown():
    first, gap = marked(TEXT, [], context=100)
    assert TEXT.startswith(first.text)
    assert (gap.kind, gap.left_out) == ("gap", len(TEXT) - len(first.text))


def test_marks_that_overlap_or_leave_the_text_are_not_shown():
    marks = [Mark(0, 3, "a"), Mark(2, 5, "b"), Mark(4, 99, "c"), Mark(7, 6, "d")]
    assert marked("abcdefgh", marks) == [Segment("edit", "abc", "a"), Segment("text", "defgh")]


def test_a_deleted_word_has_a_place_without_length():
    assert marked("ab", [Mark(1, 1, "gone")])[1] == Segment("edit", "", "gone")
