"""The report answers questions: tables sort, charts lead to flips, flips filter, and all can be saved."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re

import pytest

from salva._spreadsheets import guard_cell
from salva.evaluation.page import report_page
from salva.evaluation.results import BlamedWord
from salva.evaluation.tables import plain_row
from salva.numbers import wilson
from tests.evaluation.conftest import flip

CONDITIONS = "#conditions tbody th[scope=row]"
CUT_OFF = """
[...document.querySelectorAll(".scroll, nav ul")].filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.getAttribute("aria-label"))
"""


@pytest.fixture
def page(results, flips):
    """A report whose flips go in every direction."""
    won = dataclasses.replace(flip("typos@1", 70), label="negative")
    other = dataclasses.replace(flip("typos@1", 71), label="neutral")
    bare = flip("typos@1", 72, label=None)
    words = tuple(
        BlamedWord(old, (new,), ("typo",), n, n - 1, n - 1, 0, 0, wilson(n - 1, n))
        for old, new, n in (("liked", "likked", 9), ("=bad", "baad", 3), ("good", "goood", 30))
    )
    blame = dataclasses.replace(results.blame, words=words)
    return report_page(dataclasses.replace(results, blame=blame), [*flips, won, other, bare])


def names(page, selector=CONDITIONS) -> list[str]:
    return [text.split("\n")[0] for text in page.locator(selector).all_inner_texts()]


def state_of(page) -> str:
    return page.evaluate("decodeURIComponent(location.hash)")


def shown(page) -> list[str]:
    page.evaluate("new Promise(done => setTimeout(done))")  # a link changes the address first, then the page
    return [text.split("\n")[0] for text in page.locator(".flip:visible").all_inner_texts()]


def saved(page, button) -> str:
    with page.expect_download() as started:
        button.click()
    return started.value.path().read_bytes().decode()


def test_tables_sort_by_numbers_largest_first_then_smallest_then_as_they_were(page, opened):
    page = opened(page).page
    first = names(page)
    button = page.locator("#conditions").get_by_role("button", name="drop", exact=True)
    head = page.locator("#conditions th", has=page.get_by_role("button", name="drop", exact=True))
    button.click()
    assert names(page)[0] == "typos@1"
    assert head.get_attribute("aria-sort") == "descending"
    assert state_of(page) == "#conditions?conditions.sort=-drop"
    button.press("Enter")
    assert names(page) == ["typos/render", "synonyms@0.5", "synonyms@1", "typos@0.5", "typos@1"]
    assert head.get_attribute("aria-sort") == "ascending"
    button.press("Space")
    assert names(page) == first
    assert head.get_attribute("aria-sort") is None
    assert state_of(page) == "#conditions"


def test_a_verdict_sorts_by_its_weight_and_p_values_by_size(page, opened):
    page = opened(page).page
    page.locator("#conditions").get_by_role("button", name="drop over limit").click()
    assert names(page)[-1] == "typos@1"
    page.locator("#conditions").get_by_role("button", name="p (Holm)").click()
    assert names(page)[-2:] == ["typos@1", "typos/render"]  # which has none


def test_a_sorted_list_shows_its_first_rows_and_missing_numbers_last(results, opened):
    seen = {"unseen": 0, **{f"w{n}": n for n in range(1, 41)}}
    words = tuple(
        BlamedWord(word, ("x",), ("typo",), n, 0, 0, 0, 0, wilson(0, n)) for word, n in seen.items()
    )
    blame = dataclasses.replace(results.blame, words=words)
    page = opened(report_page(dataclasses.replace(results, blame=blame), [])).page
    page.locator("#blame").get_by_role("button", name="seen").click()
    assert names(page, "#blame-list tr:visible th")[0].startswith("w40")
    assert page.locator("#blame-list tr:visible").count() == 15
    page.locator("#blame").get_by_role("button", name="rate, %").click()
    assert names(page, "#blame-list th")[-1].startswith("unseen")


def test_a_bar_a_point_a_row_and_a_word_lead_to_their_flips(page, opened):
    page = opened(page).page
    page.locator("#drops").get_by_role("link", name="typos@0.5").click()
    assert (len(shown(page)), state_of(page)) == (11, "#flips?flips.condition=typos@0.5")
    page.locator("#conditions").get_by_role("link", name="synonyms@1").click()
    assert len(shown(page)) == 1
    page.locator("#curves").get_by_role("link", name="flips of typos, point 2").focus()
    page.keyboard.press("Enter")
    assert state_of(page) == "#flips?flips.condition=typos@0.5"
    page.locator("#blame").get_by_role("link", name="good").click()
    assert state_of(page) == "#flips?flips.word=good"
    page.get_by_role("link", name="wrong → right").click()
    assert len(shown(page)) == 1
    page.go_back()
    assert page.get_by_label("Edited word").input_value() == "good"


@pytest.mark.parametrize(
    ("field", "choice", "found"),
    [
        ("Direction", "wrong → right", 1),
        ("Direction", "wrong → other wrong", 1),
        ("Direction", "no label", 1),
        ("Label", "neutral", 1),
        ("Condition", "typos, all (54 of 51)", 54),
        ("Rule", "group", 1),
    ],
)
def test_flips_filter_and_the_address_holds_the_choice(page, opened, field, choice, found):
    first = opened(page)
    first.page.get_by_label(field, exact=True).select_option(label=choice)
    assert first.page.locator("#flips output").inner_text() == f"{min(found, 20)} of {found} shown"
    second = opened(page).page
    second.goto(first.page.url)
    second.reload()
    assert second.locator("#flips output").inner_text() == f"{min(found, 20)} of {found} shown"
    assert shown(second) == shown(first.page)


def test_edited_words_are_found_by_their_beginnings_and_clear_shows_all(page, opened):
    page = opened(page).page
    page.get_by_label("Edited word").fill("PICT")
    assert len(shown(page)) == 1
    page.get_by_label("Edited word").fill("show")
    assert len(shown(page)) == 0
    page.locator("#flips").get_by_role("button", name="Clear").click()
    page.wait_for_url(re.compile("#flips$"))
    assert len(shown(page)) == 20


def test_going_to_another_section_keeps_the_choice(page, opened):
    page = opened(page).page
    page.get_by_label("Label", exact=True).select_option(label="neutral")
    page.get_by_role("navigation").get_by_role("link", name="Settings").click()
    page.wait_for_url(re.compile("#settings.+label"))
    assert state_of(page) == "#settings?flips.label=neutral"
    assert len(shown(page)) == 1


def test_an_address_that_means_nothing_shows_everything(page, opened):
    seen = opened(page)
    seen.page.goto(seen.address + "#flips?flips.label=%00<b>&x=1&conditions.sort=-nothing&flips.rule=")
    assert len(shown(seen.page)) == 20
    assert seen.complaints == []


def test_replicates_and_labels_with_spaces_are_told_apart(results, opened):
    one = results.conditions[3]
    twice = tuple(dataclasses.replace(one, name=f"typos@1#{k}", replicate=k) for k in (1, 2))
    flips = [dataclasses.replace(flip(c.name, k), label=f"a b{k}") for c in twice for k in range(3)]
    page = opened(report_page(dataclasses.replace(results, conditions=twice), flips)).page
    page.locator("#curves").get_by_role("link", name="flips of typos, point 3").click()
    assert (len(shown(page)), state_of(page)) == (6, "#flips?flips.condition=typos@1,+all+replicates")
    page.get_by_label("Label", exact=True).select_option(label="a b1")
    assert len(shown(page)) == 2


def test_numbers_are_saved_at_full_precision(page, results, opened):
    section = opened(page).page.locator("#conditions .save")
    plain = json.loads(saved(section.page, section.get_by_role("button", name="JSON")))
    expected = [plain_row(condition) for condition in results.conditions]
    assert plain == expected
    table = list(csv.DictReader(io.StringIO(saved(section.page, section.get_by_role("button", name="CSV")))))
    assert [float(row["drop"]) for row in table] == [row["drop"] for row in expected]
    assert [row["condition"] for row in table] == [row["condition"] for row in expected]
    assert table[4]["edit_rate"] == ""


def test_flips_are_saved_with_both_texts_and_everything_together(page, opened):
    page = opened(page).page
    flips = json.loads(saved(page, page.locator("#flips .save").get_by_role("button", name="JSON")))
    (one,) = (one for one in flips if one["condition"] == "synonyms@1")
    assert (one["original"], one["twin"]) == ("A film show of note.", "A picture show of note.")
    assert (one["label"], one["direction"], one["to_blame"]) == ("positive", "right → wrong", "")
    everything = json.loads(saved(page, page.get_by_text("Save everything").get_by_role("button")))
    assert everything["flips"] == flips
    assert {"conditions", "curves", "presets", "blame", "faults", "settings"} <= everything.keys()


CELLS = [
    "=1+1",
    "'=1",
    "+a",
    "-a",
    "@x",
    "%x",
    "|x",
    "\tx",
    "\rx",
    "\nx",
    "\uff1dx",
    "a,b",
    'a"b',
    "'a",
    "a=b",
]


def test_a_spreadsheet_runs_nothing_that_was_saved(results, opened):
    flips = [dataclasses.replace(flip("typos@1", k), label=cell) for k, cell in enumerate(CELLS)]
    page = opened(report_page(results, flips)).page
    text = saved(page, page.locator("#flips .save").get_by_role("button", name="CSV"))
    labels = [row["label"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    assert labels == [guard_cell(cell) for cell in CELLS]


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_cut_off(results, flips, opened, width):
    usual = dataclasses.replace(results, conditions=results.conditions[:4])
    page = opened(report_page(usual, flips), viewport={"width": width, "height": 900}).page
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(CUT_OFF) == []
    assert page.locator("#conditions table").evaluate("t => t.classList.contains('stack')") is (width < 1000)


def test_a_row_on_a_phone_names_its_numbers(results, opened):
    usual = dataclasses.replace(results, conditions=results.conditions[:4])
    page = opened(report_page(usual, []), viewport={"width": 390, "height": 900}).page
    label = page.locator("#conditions td").first.evaluate("td => getComputedStyle(td, '::before').content")
    assert label == '"n"'
    page.set_viewport_size({"width": 1600, "height": 900})
    page.locator("#conditions table:not(.stack)").wait_for()
    assert page.evaluate(CUT_OFF) == []


def test_what_is_saved_is_in_the_page_once(page, flips):
    assert page.count('id="tables"') == 1
    (tables,) = re.findall(r'id="tables">(.*?)</script>', page)
    assert "that I likked" not in tables
