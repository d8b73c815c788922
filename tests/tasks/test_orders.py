"""Options in another order: each order once, drawn from the row's text; answers keep their names."""

from __future__ import annotations

import json

import pytest

from salva.tasks import OptionSource, Order, make_task
from salva.tasks.orders import arrange

SOURCES = {
    "columns": ({"columns": ["a", "b", "c", "d"]}, {"a": "x", "b": " ", "c": "y", "d": "z"}),
    "list": ({"column": "o"}, {"o": json.dumps(["x", "", "y", "z"])}),
    "separated": ({"column": "o", "separator": ";"}, {"o": "x;;y;z"}),
    "named in a text": ({"column": "o", "pattern": r"\((\w)\) (\w+)"}, {"o": "Is it (A) x, (C) y or (D) z?"}),
}


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
    key = task.find_key(row).reorder((1, 0))
    assert task.grade(reply, key) == ("B", 1.0)
    assert task.fill(task.options.reorder(row, (1, 0))).prompt.text == "Is it?\nA. no\nB. yes"
