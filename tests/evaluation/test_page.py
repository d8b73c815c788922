"""The report shows a run, needs nothing and nobody, and is deaf to what the data says."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser

import pytest

from salva._show import printable
from salva.evaluation.page import SECTIONS, report_page
from salva.evaluation.results import Edit, Flip
from salva.numbers import Estimate, score
from tests.conftest import ROOT
from tests.evaluation.conftest import flip, of_both_families, poisoned

EVIL = "window.pwned=1;document.title='pwned'"
PAYLOADS = [
    f"<script>{EVIL}</script>",
    f"</script><script>{EVIL}</script>",
    f"</style></title></textarea></option></svg><script>{EVIL}</script>",
    f'<img src="http://evil.example/a.png" onerror="{EVIL}">',
    f"<svg onload={EVIL}>",
    f'" onmouseover="{EVIL}" autofocus onfocus="{EVIL}" x="',
    f"' onclick='{EVIL}' style='background:url(http://evil.example/b)",
    f"javascript:{EVIL}",
    f"--><script>{EVIL}</script><!--",
    f"]]><script>{EVIL}</script>",
    "<link rel=stylesheet href=http://evil.example/c.css><iframe src=http://evil.example/d></iframe>",
    "<meta http-equiv=refresh content='0;url=http://evil.example/e'><base href=http://evil.example/>",
    "<form action=http://evil.example/f><input type=submit autofocus></form><a href=//evil.example ping=//g>",
    "*{background:url(http://evil.example/h)} @import 'http://evil.example/i';",
    f"&lt;script&gt;{EVIL}&lt;/script&gt;&#60;script&#62;",
    "{{7*7}}{% for x in range(9) %}x{% endfor %}{# c #}${7*7}",
    "\x00\x1b[2J\u202e\u2066\u200b\u2028\ufeff\ud800",
]
# The same on fewer pages, for templates that escape text as the report does:
# all in one text, or two in each of those that are shown only in part if they are long.
TOGETHER = [" ".join(PAYLOADS[:-1]), " ".join(PAYLOADS[-2::-1])]
BY_TWO = [*map(" ".join, zip(PAYLOADS[:-1:2], PAYLOADS[1:-1:2], strict=True)), PAYLOADS[-1]]
EDIT = Edit(10_000, 10_004, "bad", "badd", "typo", True)
STRANGE_ELEMENTS = """
[...document.querySelectorAll("*")].filter((element) =>
    ["IMG", "IFRAME", "LINK", "BASE", "OBJECT", "EMBED", "TEXTAREA"].includes(element.tagName) ||
    (element.tagName === "A" && !element.getAttribute("href").startsWith("#")) ||
    element.getAttributeNames().some((name) => /^(on|style$|src|action|ping|autofocus)/.test(name))
).map((element) => element.outerHTML)
"""
TOO_WIDE = """
[...document.querySelectorAll("body *")].filter((element) =>
    element.getBoundingClientRect().right > innerWidth + 1 &&
    !element.closest(".scroll, nav ul, .skip, svg")
).map((element) => element.className || element.tagName)
"""


class Text(HTMLParser):
    """What a page says; not its script and style sheet, nor the tables that it offers as files."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.shown = True
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.shown = tag not in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.shown = True

    def handle_data(self, data: str) -> None:
        if self.shown:
            self.words.append(data)


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", "".join(Text(html).words))


def without_condition(results, keep):
    return dataclasses.replace(results, conditions=results.conditions[keep : keep + 1])


def test_the_verdict_is_in_words(results, flips):
    said = text_of(report_page(results, flips))
    drop = results.conditions[3].score.drop
    assert (
        f"typos at severity 1 costs 20.1 points [{drop.low:.1f}, {drop.high:.1f}]: certainly over the limit"
        in said
    )


def test_each_family_has_its_heading_and_each_condition_its_validity(results, flips):
    page = report_page(of_both_families(results), flips)
    headings = re.findall(r"(Presets that keep the meaning|Corruptions)</(?:h3|th)>", page)
    assert headings == ["Presets that keep the meaning", "Corruptions"] * 4
    said = text_of(page)
    assert "synonyms@150 % valid [25, 75]" in said
    assert "typos@1validity not measured" in said
    assert "typos/render200" in said.replace(" ", "")


def test_many_corruptions_do_not_crowd_out_what_keeps_the_meaning(results):
    both = of_both_families(results)
    many = dataclasses.replace(both, conditions=both.conditions[2:] * 300 + both.conditions[:2])
    said = text_of(report_page(many, []))
    assert said.count("synonyms@1") >= 2
    assert "32 of 902 conditions, those with the largest drops" in said


def test_a_small_drop_is_not_over_the_limit(results):
    said = text_of(report_page(without_condition(results, 0), []))
    assert "synonyms at severity 0.5 costs 1.0 points" in said
    assert "not over the limit of 4 points; its interval includes 0" in said


def test_the_limit_is_that_of_the_settings(results):
    settings = {"drop_limit": 30}
    said = text_of(report_page(dataclasses.replace(results, settings=settings), []))
    assert "Whether the drop is over 30 points, the limit of this run." in said


def test_a_chart_of_one_bar_is_left_out(results):
    page = report_page(without_condition(results, 3), [])
    assert 'class="bars"' not in page
    assert 'class="bar plain"' not in page[page.index('id="presets"') : page.index('id="how"')]


def test_no_drop_at_all_is_said(results):
    said = text_of(report_page(without_condition(results, 4), []))
    assert "No corruption lowers accuracy." in said


def test_without_labels_consistency_remains(results):
    unlabelled = score([-1] * 4, [0, 1, 0, 1], [0, 1, 1, 1], resamples=100)
    condition = dataclasses.replace(results.conditions[0], score=unlabelled)
    data = dataclasses.replace(results.data, label_column=None)
    said = text_of(report_page(dataclasses.replace(results, data=data, conditions=(condition,)), []))
    assert "No drop could be measured: the data has no labels. Consistency" in said
    assert "75.0 %" in said


def test_an_empty_run_has_a_page(results):
    said = text_of(report_page(bare(results), []))
    assert "No condition was measured." in said
    assert "No answer changed." in said


def test_every_part_is_there_in_its_order(results, flips):
    titles = re.findall(r"<h2>(.+?)</h2>", report_page(results, flips))
    assert titles == [
        "Drop by condition",
        "Without invalid twins",
        "All numbers",
        "Axes",
        "Validity",
        "How the drop grows with severity",
        "Presets compared",
        "Classes",
        "Slices",
        "Confidence",
        "Words to blame",
        "Flips",
        "Failures and noise",
        "Settings",
        "How each number is computed",
    ]


def bare(results):
    """Return the results of a run that found nothing."""
    return dataclasses.replace(
        results,
        conditions=(),
        presets=(),
        comparisons=(),
        blame=None,
        failures=(),
        settings={},
        classes=(),
        by_class=(),
        slices=(),
        confidence=(),
        axes=(),
        robust=None,
    )


def test_every_section_has_a_link_and_its_own_template(results, flips):
    page = report_page(results, flips)
    known = [name for name in SECTIONS if name not in ("judge", "contrasts", "entities")]  # of other runs
    assert re.findall(r'<section id="(\w+)"', page) == re.findall(r'href="#(\w+)">', page)[1:] == known
    assert not set(SECTIONS) & {path.stem for path in (ROOT / "src/salva/pages/templates").glob("*.jinja")}


def test_a_section_with_nothing_to_show_has_no_link(results):
    page = report_page(bare(results), [])
    assert re.findall(r'<section id="(\w+)"', page) == re.findall(r'href="#(\w+)">', page)[1:]
    assert {*SECTIONS} - {*re.findall(r'<section id="(\w+)"', page)} == {
        "drops",
        "contrasts",
        "audit",
        "axes",
        "judge",
        "validity",
        "curves",
        "presets",
        "classes",
        "entities",
        "slices",
        "confidence",
        "blame",
    }


def test_missing_numbers_are_not_available_and_minus_is_a_minus(results, flips):
    said = text_of(report_page(results, flips))
    assert "n/a" in said
    assert "\u22120.250" in said
    assert not re.search(r"\bNone\b|\bnan\b|-\d+\.\d", said)


@pytest.mark.parametrize(("p", "so"), [(0.01, "typos drops more"), (0.2, "no clear difference")])
def test_presets_differ_when_the_corrected_test_says_so(results, p, so):
    (one,) = results.comparisons
    surely = dataclasses.replace(one, difference=dataclasses.replace(one.difference, p_holm=p))
    said = text_of(report_page(dataclasses.replace(results, comparisons=(surely,)), []))
    assert so in said


def test_levels_are_reached_or_not(results):
    said = text_of(report_page(results, []))
    assert "10 pointsnot reached" in said
    assert "1 pointreached at severity 0.5" in said


def test_an_edit_shows_the_old_word_beside_the_new(results):
    page = report_page(results, [flip("typos@1", 1)])
    assert '<mark class="strong" title="typo"><del>liked</del> <ins>likked</ins></mark></bdi>, and' in page
    assert '<mark title="typo"><del>good</del> <ins>goood</ins></mark></bdi> story.' in page


def test_settings_inside_of_others_stand_together(results):
    settings = {
        "seed": 0,
        "presets": {"typos": {"version": 1, "settings": {"prob": 0.25, "render": "spaces"}}},
    }
    said = text_of(report_page(dataclasses.replace(results, settings=settings), []))
    assert "presets.typosversion=1 presets.typos.settingsprob=0.25, render=spaces" in said


def test_a_long_text_is_cut_around_its_edits(results):
    long = Flip(1, "1", "typos@1", None, "a", "b", "x " * 5000 + "badd" + " y" * 5000, (EDIT,))
    said = text_of(report_page(results, [long]))
    assert "x bad badd y" in said
    assert said.count("characters left out") == 2
    assert said.count("x x") < 120


def test_200_flips_are_an_even_choice_over_the_conditions(results):
    many = [flip("typos@1", row) for row in range(5000)] + [flip("typos@0.5", row) for row in range(30)]
    page = report_page(results, many)
    assert page.count('<li class="flip ') == 200
    assert page.count('data-condition="c0 p0"') == 30
    rows = [int(row) for row in re.findall(r"A film number (\d+)", page)]
    assert max(rows) > 4900


def test_the_page_says_how_much_it_left_out(results):
    words = results.blame.words * 700
    many = dataclasses.replace(results, blame=dataclasses.replace(results.blame, words=words))
    said = text_of(report_page(many, [flip("typos@1", 1)]))
    assert "200 of 700 words are shown" in said
    assert "1 of 62 answers that changed" in said


def test_the_page_states_its_size(results, flips):
    page = report_page(results, flips)
    assert f"This page is {len(page.encode()) / 1000:.0f} kB" in page


def test_the_same_results_give_the_same_page(results, flips):
    assert report_page(results, flips) == report_page(results, flips)


def test_many_rows_make_digits_and_few_do_not(results):
    big = dataclasses.replace(results.conditions[3].score, n=25_000, drop=Estimate(5.676, 5.301, 6.049))
    condition = dataclasses.replace(results.conditions[3], score=big)
    said = text_of(report_page(dataclasses.replace(results, conditions=(condition,)), []))
    assert "5.68 points [5.30, 6.05]" in said


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_hostile_text_in_every_string_runs_nothing_and_asks_for_nothing(results, flips, opened, payload):
    page = report_page(poisoned(results, payload), [poisoned(one, payload) for one in flips[-3:]])
    seen = opened(page)
    assert seen.page.evaluate("window.pwned") is None
    assert seen.page.title().startswith("builtin:reviews")
    assert seen.page.evaluate(STRANGE_ELEMENTS) == []
    assert (seen.requests, seen.complaints) == ([seen.address], [])
    assert printable(payload) in seen.page.text_content(".flip .body")
    assert printable(payload) in seen.page.text_content("h1")


def test_ordinary_reports_ask_for_nothing_and_run_without_complaint(results, flips, opened):
    seen = opened(report_page(results, flips))
    assert (seen.requests, seen.complaints) == ([seen.address], [])


def shown(page) -> int:
    return page.locator(".flip:visible").count()


def test_the_filter_finds_words_conditions_and_rules(results, flips, opened):
    page = opened(report_page(results, flips)).page
    assert shown(page) == 20
    page.get_by_label("Search in flips").fill("a picture  SHOW")
    assert shown(page) == 1
    page.get_by_label("Search in flips").fill("a film show")
    assert shown(page) == 1
    page.get_by_label("Search in flips").fill("")
    page.get_by_label("Condition", exact=True).select_option(label="typos@0.5 (11 of 11)")
    assert shown(page) == 11
    page.get_by_label("Rule", exact=True).select_option(label="group")
    assert shown(page) == 0
    assert page.locator("#flips output").inner_text() == "0 of 0 shown"


def test_more_is_shown_on_a_click(results, flips, opened):
    page = opened(report_page(results, flips)).page
    page.locator("#flip-more").click()
    assert shown(page) == 40
    page.locator("#flip-more").click()
    assert shown(page) == 52
    assert not page.locator("#flip-more").is_visible()


def test_without_scripts_everything_is_there(results, flips, opened):
    page = opened(report_page(results, flips), java_script_enabled=False).page
    assert shown(page) == 52
    assert page.locator("form.filter:visible, .more:visible, .save:visible, .sort").count() == 0


@pytest.mark.parametrize("payload", ["", "x" * 500, "\u05d0\u05d1 " * 90], ids=["plain", "long", "hebrew"])
def test_nothing_is_wider_than_a_phone(results, flips, opened, payload):
    page = report_page(poisoned(results, payload), [poisoned(one, payload) for one in flips])
    phone = opened(page, viewport={"width": 360, "height": 740}).page
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    assert phone.evaluate(TOO_WIDE) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_everything_is_there_on_white(results, flips, opened, scheme):
    page = opened(report_page(results, flips), color_scheme=scheme).page
    page.emulate_media(media="print")
    assert shown(page) == 52
    assert page.locator("nav:visible, .save:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_dark_is_dark_on_a_screen(results, flips, opened):
    page = opened(report_page(results, flips), color_scheme="dark").page
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"


def test_a_page_of_a_million_rows_is_small_and_opens(results, opened):
    text = "a wordd that was changed, " * 400
    edits = tuple(Edit(26 * i + 2, 26 * i + 7, "word", "wordd", "typo", i == 300) for i in range(400))
    names = [condition.name for condition in results.conditions[:4]]
    many = [Flip(row, str(row), names[row % 4], "a", "a", "b", text, edits) for row in range(100_000)]
    page = report_page(results, many)
    assert len(page) < 3_000_000
    assert opened(page).page.locator("[data-item]").count() >= 200
