"""The report of a score shows what was found, needs nothing and nobody, and is deaf to what the data says."""

from __future__ import annotations

import dataclasses
import re

import pytest

from salva._show import printable
from salva.errors import InputError
from salva.outliers.page import score_page, write_score_page
from salva.outliers.scoring import score
from salva.pages.charts import HeatRow, heat_panels
from tests.evaluation.conftest import poisoned
from tests.evaluation.test_page import BY_TWO, STRANGE_ELEMENTS, TOO_WIDE, text_of
from tests.outliers.letters import LETTERS, copies, vectors_of, without

ANGLES = {"b": 2.4, "c": 2.2, "p": 1.5}


@pytest.fixture(scope="module")
def result():
    """Eight sets without the word q; b and c beat the outlier."""
    return score(vectors_of(without("q"), angles=ANGLES), copies(8), policy="hamod")


def evil(result, payload: str):
    bad = poisoned(result, payload)
    figures = {"policy": result.policy, "groups": result.groups[:2] + bad.groups[2:]}
    return dataclasses.replace(bad, **figures)


def test_the_first_sentence_is_the_verdict_with_its_interval():
    said = text_of(score_page(score(vectors_of(), copies(8))))
    assert "The word that does not belong is found in 100.0 % of 64 exercises [100.0, 100.0]" in said


def test_every_figure_names_its_convention_and_coverage_is_there(result):
    said = text_of(score_page(result))
    assert "OPP (OP/n)" in said
    assert "OPP (1-based), the policy's own" in said
    assert "120 of 128 words, 56 of 64 exercises complete" in said


def test_every_part_is_there_in_its_order(result):
    assert re.findall(r"<h2>(.+?)</h2>", score_page(result)) == [
        "Results by group",
        "Topics × sub-sets",
        "Inliers that beat the outlier",
        "Misses",
        "Coverage",
        "Settings",
        "How each number is computed",
    ]


def test_the_heat_map_has_a_cell_a_topic_and_sub_set(result):
    page = score_page(result)
    assert page.count('<rect class="alarm"') == 8 * 4
    assert "EN Letters_0, sub-set 1: 0 of 2 outliers found, OPP (OP/n) 37.5 %" in page


def test_who_beat_the_outlier_is_named(result):
    page = score_page(result)
    first = text_of(page[page.index('id="confusion-list"') :])
    assert "bEN Letters_077p, r, s, t, u, v, w_x" in first
    assert "the outlier is missing" in text_of(page)


def test_a_score_of_nothing_has_a_page():
    nothing = score(vectors_of([]), [LETTERS], policy="hamod-ignore", min_coverage=0)
    assert "No exercise counts under the policy hamod-ignore" in text_of(score_page(nothing))


def test_many_sets_make_a_page_that_says_what_it_left_out():
    page = score_page(score(vectors_of(angles=ANGLES), copies(700)))
    assert "512 of 700 sets, the hardest, are shown" in text_of(page)
    assert len(page) < 2_000_000


def test_a_page_is_written_whole_and_replaces_nothing(result, tmp_path):
    path = tmp_path / "report.html"
    write_score_page(result, path)
    assert path.read_text("utf-8") == score_page(result)
    with pytest.raises(InputError, match="exists; pass overwrite=True"):
        write_score_page(result, path)


@pytest.mark.parametrize("payload", BY_TWO, ids=ascii)
def test_hostile_words_run_nothing_and_ask_for_nothing(result, opened, payload):
    seen = opened(score_page(evil(result, payload)))
    assert seen.page.evaluate("window.pwned") is None
    assert seen.page.evaluate(STRANGE_ELEMENTS) == []
    assert (seen.requests, seen.complaints) == ([seen.address], [])
    assert printable(payload) in seen.page.text_content("h1")
    assert printable(payload)[:20] in seen.page.text_content("#confusion-list")


def test_the_filter_finds_words_and_sub_sets(result, opened):
    page = opened(score_page(result)).page
    page.get_by_label("Sub-set", exact=True).select_option(label="sub-set 4")
    assert page.locator("#misses output").inner_text() == "15 of 16 shown"
    page.get_by_label("Search in misses").fill("letters_3")
    assert page.locator("#miss-list tr:visible").count() == 2


def test_without_scripts_everything_is_there(result, opened):
    page = opened(score_page(result), java_script_enabled=False).page
    assert page.locator("#miss-list tr:visible").count() == 64
    assert page.locator("form.filter:visible, .more:visible").count() == 0


@pytest.mark.parametrize("payload", ["", "x" * 500], ids=["plain", "long"])
def test_nothing_is_wider_than_a_phone(result, opened, payload):
    phone = opened(score_page(evil(result, payload)), viewport={"width": 360, "height": 740}).page
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    assert phone.evaluate(TOO_WIDE) == []


def test_panels_are_even_and_loudness_has_its_bounds():
    rows = [HeatRow("a", ("1", "n/a"), (loud, None), ("", "")) for loud in (0.0, 1.0, 7.0)]
    panels = heat_panels(rows, ["x", "y"], most=2)
    assert [len(panel.names) for panel in panels] == [2, 1]
    assert [cell.opacity for panel in panels for cell in panel.cells] == [0.0, None, 0.5, None, 0.5, None]
    assert heat_panels([], ["x"]) == ()
