"""Options: found where the data has them, and shown in orders drawn from the row's text."""

from __future__ import annotations

import json

import pytest

from salva.errors import InputError, UsageError
from salva.tasks import OptionSource, Order, make_task
from salva.tasks.choices import arrange

SOURCES = {
    "columns": ({"columns": ["a", "b", "c", "d"]}, {"a": "x", "b": " ", "c": "y", "d": "z"}),
    "list": ({"column": "o"}, {"o": json.dumps(["x", "", "y", "z"])}),
    "separated": ({"column": "o", "separator": ";"}, {"o": "x;;y;z"}),
    "named in a text": ({"column": "o", "pattern": r"\((\w)\) (\w+)"}, {"o": "Is it (A) x, (C) y or (D) z?"}),
}


def test_options_come_from_columns_a_list_a_separator_or_a_pattern(task):
    answer = {"kind": "choice"}
    several = task(options={"columns": ["a", "b"]}, answer=answer, prompt="{question}\n{options}")
    row = {"question": "Why?", "a": "x", "b": "y", "answer": "Y"}
    assert several.fill(row).prompt.text == "Why?\nA. x\nB. y"
    assert several.fill(row).prompt.options == ("A", "B")
    assert several.expect(row).targets == ("B",)
    listed = task(options={"column": "o", "count_from": 0, "reply": "text"}, answer=answer)
    row = {"question": "Why?", "o": '["x", 5]', "answer": "1"}
    assert listed.expect(row)[:2] == (("B",), {"A": "x", "B": "5"})
    assert listed.fill(row).prompt.options == ("x", "5")
    parted = task(options={"column": "o", "separator": ";", "names": "numbers"}, answer=answer)
    assert parted.expect(row | {"o": "x; y;", "answer": "2"})[:2] == (("2",), {"1": "x", "2": "y"})
    inside = task(options={"column": "question", "pattern": r"^\((\w)\) (.+)$"}, answer=answer)
    row = {"question": "Which is big?\n(A) a mouse\n(B) an ant", "answer": "(B)"}
    assert inside.expect(row)[:2] == (("B",), {"A": "a mouse", "B": "an ant"})
    spans = inside.protected("question", row)
    assert [row["question"][start:stop] for start, stop in spans] == ["(A) a mouse", "(B) an ant"]


def test_a_target_that_is_not_an_option_is_refused(task):
    listed = task(options={"column": "o", "count_from": 0}, answer={"kind": "choice"})
    several = task(options={"columns": ["a", "b"]}, answer={"kind": "choice"})
    with pytest.raises(InputError, match="column 'answer' has 'Z', which cannot be an answer"):
        several.expect({"question": "", "a": "x", "b": "y", "answer": "Z"})
    with pytest.raises(InputError, match="column 'o' is not a JSON list of options: 'x'; set a separator"):
        listed.expect({"o": "x", "answer": "0"})
    with pytest.raises(InputError, match=r"column 'answer' has '9999.*, which cannot be an answer"):
        listed.expect({"o": '["x"]', "answer": "9" * 5000})


def test_a_match_of_the_pattern_without_a_text_is_not_an_option():
    source = OptionSource(column="o", pattern=r"(\w)\)(?: (\w+))?")
    row = {"o": "A) x; B); C) y"}
    assert source.find(row) == {"A": "x", "C": "y"}
    assert source.reorder(row, (1, 0)) == {"o": "A) y; B); C) x"}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({}, "options need either columns, one per option, or one column"),
        ({"columns": ("a",), "column": "o"}, "options need either columns, one per option, or one column"),
        ({"column": "o", "separator": ";", "pattern": "x"}, "separator and pattern exclude each other"),
        ({"columns": ("a",), "separator": ";"}, "separator and pattern exclude each other"),
        ({"column": "o", "pattern": "x"}, "options.pattern must have two groups"),
    ],
)
def test_a_source_of_options_that_cannot_work_is_refused(source, problem):
    with pytest.raises(UsageError, match=problem):
        OptionSource(**source)


def test_a_row_has_at_most_as_many_options_as_there_are_letters():
    with pytest.raises(InputError, match="27 options; a row may have 26"):
        OptionSource(column="o", separator=";").find({"o": ";".join("x" * 27)})


def test_what_follows_options_inside_a_text_moves_with_them():
    source = OptionSource(column="o", pattern=r"\((\w)\) (\w+)")
    value = "(A) one, (B) seven, (C) ten."
    assert source.reorder({"o": value}, (1, 2, 0)) == {"o": "(A) seven, (B) ten, (C) one."}
    assert source.moved_by(value, (1, 2, 0)) == [(7, 2), (18, 0), (27, 0)]
    assert source.moved_by(value, (1, 0)) == []


@pytest.mark.parametrize("name", SOURCES)
def test_options_move_and_their_names_stay(name):
    settings, row = SOURCES[name]
    source = OptionSource(**{key: tuple(v) if isinstance(v, list) else v for key, v in settings.items()})
    assert source.find(row) == {"A": "x", "C": "y", "D": "z"}
    moved = source.reorder(row, (2, 0, 1))
    assert source.find(moved) == {"A": "z", "C": "x", "D": "y"}
    assert source.reorder(row, (1, 0)) is None  # a row with other options


def test_every_order_is_drawn_once_and_none_is_their_own():
    drawn = [Order(number, seed=3).find(4, "some row") for number in range(1, 24)]
    assert sorted([*drawn, (0, 1, 2, 3)]) == [arrange(rank, 4) for rank in range(24)]
    assert Order(24, seed=3).find(4, "some row") is None
    assert [Order(number, is_drawn=False).find(3, "") for number in range(1, 6)] == [
        (0, 2, 1),
        (1, 0, 2),
        (1, 2, 0),
        (2, 0, 1),
        (2, 1, 0),
    ]


def test_an_order_depends_on_the_seed_and_the_text_alone():
    assert Order(2, seed=1).find(26, "a") == Order(2, seed=1).find(26, "a")
    different = {Order(2, seed).find(26, text) for seed in range(3) for text in "abc"}
    assert len(different) == 9


def test_orders_are_drawn_evenly():
    counts: dict[object, int] = {}
    for row in range(6000):
        order = Order(1).find(3, f"row {row}")
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 5
    assert all(1000 < count < 1400 for count in counts.values())


@pytest.mark.parametrize("reply", ["A", "(A)", "The answer is A.", "no"])
def test_an_answer_has_the_own_name_of_its_option(reply):
    content = {"prompt": "{q}\n{options}", "edit": ["q"], "target": "t", "options": {"columns": ["a", "b"]}}
    task = make_task("own", {**content, "answer": {"kind": "choice"}})
    row = {"q": "Is it?", "a": "yes", "b": "no", "t": "B"}
    expected = task.expect(row).reorder((1, 0))
    assert task.grade(reply, expected) == ("B", 1.0)
    assert task.fill(task.options.reorder(row, (1, 0))).prompt.text == "Is it?\nA. no\nB. yes"
