"""The report of twins: consistency beside accuracy, both rules named, deaf to what the data says; G1 to 5."""

from __future__ import annotations

import re

import pytest

from salva._show import printable
from salva.twins.page import MOST_EXAMPLES, report_page
from salva.twins.pair import TwinPair
from salva.twins.results import summarise_runs
from salva.twins.scoring import score
from tests.evaluation.test_page import BY_TWO, STRANGE_ELEMENTS, TOO_WIDE, text_of

PAIRS = [
    TwinPair(f"repeat A{i} B1", f"repeat_twin A{i} B1", f"A{i} B1 A{i} B1", f"A{i} B1 A{i} B1", "repeat", i)
    for i in range(40)
]
RIGHT = [pair.target for pair in PAIRS]


def page(answers=RIGHT, twins=RIGHT, pairs=PAIRS, **options):
    return report_page(score(pairs, answers, twins, resamples=200, model="m", data="d", **options))


def test_consistency_never_stands_without_accuracy():
    said = text_of(page(twins=["x"] * 10 + RIGHT[10:]))
    assert "75.0 % of 40 pairs get the same answer twice" in said
    assert "100.0 % of the sources and 75.0 % of their twins are answered correctly" in said


def test_natural_twins_are_not_called_functions():
    words = ("film -> movie", "good -> fine")
    pairs = [TwinPair(f"a {k % 2} {k}", f"b {k % 2} {k}", "x", "x", words[k % 2], k) for k in range(40)]
    said = page(answers=["x"] * 40, twins=["y"] * 40, pairs=pairs)
    assert "By kind" in said
    assert "all kinds" in said
    assert "unctions" not in said


def test_both_rules_are_named():
    said = text_of(page(answers=[""] * 40, twins=[""] * 40))
    assert "rule any: equal answers are consistent, even if empty" in said
    assert "Rule nonempty: equal answers are consistent unless they are empty" in said
    assert "(the published script's rule): consistency 0.0 %" in said
    assert "pairs with two empty answers, which the two rules count differently: 40" in said


def test_without_answers_the_page_says_that_nothing_was_measured():
    assert "No pair was measured" in text_of(page(answers=[None] * 40))


def test_without_targets_the_page_says_so():
    pairs = [TwinPair("a lorry", "a truck", "", "", "lorry/truck", 0)]
    assert "It is unknown whether these answers are right" in text_of(page(["x"], ["x"], pairs))


def test_where_some_targets_are_missing_the_page_says_of_how_many_each_rate_is():
    pairs = [*PAIRS, *(TwinPair(f"a lorry {i}", f"a truck {i}", "", "", "lorry/truck", i) for i in range(10))]
    said = text_of(page([*RIGHT, *"x" * 10], [*RIGHT, *"x" * 10], pairs))
    assert "100.0 % of 50 pairs get the same answer twice" in said
    assert "and of the 40 with a target 100.0 % get the right answer twice" in said


def test_no_pairs_have_a_page():
    assert "There were no pairs." in text_of(page([], [], []))


def test_perfect_answers_leave_nothing_to_look_at():
    assert "None: every measured pair is consistent" in text_of(page())


def test_an_example_shows_what_was_replaced_and_both_answers():
    made = page(twins=["x y", *RIGHT[1:]])
    assert "<del>repeat</del> <ins>repeat_twin</ins>" in made
    assert "answer to the twin" in made
    assert made.count("data-item data-kind=") == 1


def test_a_twin_of_another_length_is_marked_where_it_differs():
    pairs = [TwinPair("a soft drink here", "a soda here", "", "", "soft drink/soda", 0)]
    assert "<del>ft drink</del> <ins>da</ins>" in page(["x"], ["y"], pairs)


def test_a_page_of_many_pairs_is_capped():
    pairs = PAIRS * 100
    made = page(["x"] * 4000, ["y"] * 4000, pairs, examples=10_000)
    assert made.count("data-item data-kind=") == MOST_EXAMPLES


def test_the_same_answers_give_the_same_page_and_it_states_its_size():
    made = page()
    assert made == page()
    assert re.search(r"This page is \d+ kB", made)


@pytest.mark.parametrize("payload", BY_TWO, ids=ascii)
def test_hostile_text_runs_nothing_and_asks_for_nothing(opened, payload):
    pairs = [TwinPair(f"a {payload}", f"b {payload}", payload, payload, payload, 0)]
    made = score(
        pairs, [f"x{payload}"], [f"y{payload}"], resamples=50, model=f"m{payload}", errors={payload: 1}
    )
    seen = opened(report_page(made))
    assert seen.page.evaluate("window.pwned") is None
    assert seen.page.evaluate(STRANGE_ELEMENTS) == []
    assert (seen.requests, seen.complaints) == ([seen.address], [])
    assert printable(payload) in seen.page.text_content("h1")


@pytest.mark.parametrize("kind", ["repeat", "x" * 300])
def test_nothing_is_wider_than_a_phone(opened, kind):
    pairs = [TwinPair("repeat A1 " * 40, "wug A1 " * 40, "A1 " * 90, "A1 " * 90, kind, 0)]
    made = page(["A1 " * 80], ["B1" * 200], pairs)
    phone = opened(made, viewport={"width": 360, "height": 740}).page
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    assert phone.evaluate(TOO_WIDE) == []


def test_the_filter_finds_functions(opened):
    pairs = [*PAIRS, TwinPair("append A1 , B1", "append_twin A1 , B1", "A1 B1", "A1 B1", "append", 40)]
    made = opened(page(["x"] * 41, ["y"] * 41, pairs)).page
    made.get_by_label("Function", exact=True).select_option(label="append")
    assert made.locator(".flip:visible").count() == 1


def test_the_page_of_several_runs_is_deaf_and_fits_a_phone_too(opened):
    hostile = "<script>window.pwned = 1</script>" + "x" * 300
    pairs = [TwinPair(f"a {hostile}", f"b {hostile}", "A", "A", hostile, 0)]
    runs = [score(pairs, ["A"], [said], resamples=50, model=hostile, data=hostile) for said in ("A", "B")]
    seen = opened(report_page(summarise_runs(runs)), viewport={"width": 360, "height": 740})
    assert seen.page.evaluate("window.pwned") is None
    assert seen.page.evaluate(STRANGE_ELEMENTS) == []
    assert (seen.requests, seen.complaints) == ([seen.address], [])
    assert seen.page.evaluate("document.documentElement.scrollWidth") == 360
    assert seen.page.evaluate(TOO_WIDE) == []
