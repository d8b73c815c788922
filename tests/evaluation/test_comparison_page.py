"""The page of a comparison: every section, nothing that acts, and no wider than the screen."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

from salva.errors import InputError
from salva.evaluation import compare
from salva.evaluation.comparison_page import MOST_ROWS, SECTIONS, comparison_page
from salva.rows import reviews
from tests.evaluation.keywords import classify
from tests.evaluation.running import run

HOSTILE = '<script>alert(1)</script>\u202e\x1b[2J & "quoted"'


def always(texts):
    return ["positive"] * len(texts)


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, model in (("a", classify), ("b", always), ("c", "builtin:reviews")):
        presets = ["natural", "corrupt", "names"]
        run(reviews("test").slice(0, 100), model, presets=presets, out=folder / name, blame_calls=8)
    return compare(
        *(folder / name for name in "abc"), names=["keywords", "always", "a-model-with-a-long-name"]
    )


def test_every_section_has_a_link_and_a_heading(comparison):
    page = comparison_page(comparison)
    for section, about in SECTIONS.items():
        assert f'<a href="#{section}">{about.link}</a>' in page
        assert f'<section id="{section}">' in page
    assert f"There are {comparison.comparisons} comparisons" in page
    assert page.count('<li class="flip lost">') == len(comparison.texts) > 0
    assert "<mark" in page


def test_the_page_has_every_model_under_every_condition(comparison):
    page = comparison_page(comparison)
    table = page.split('<section id="compared_scores">')[1].split("</section>")[0]
    rows = re.findall(r'<th scope="row"><bdi>(.+?)</bdi></th>\s*<td><bdi>(.+?)</bdi></td>', table)
    expected = [(score.condition, score.model) for one in comparison.conditions for score in one.scores]
    assert sorted(rows) == sorted(expected)


def test_tables_can_be_saved_at_full_precision(comparison):
    (tables,) = re.findall(r'id="tables">(.+?)</script>', comparison_page(comparison))
    scores = json.loads(tables)["compared_scores"]
    expected = [score.drop.value for condition in comparison.conditions for score in condition.scores]
    assert [row[scores["columns"].index("drop")] for row in scores["rows"]] == expected


def test_strings_of_data_and_names_are_inert(comparison):
    model = dataclasses.replace(comparison.models[0], name=HOSTILE)
    score = dataclasses.replace(comparison.conditions[0].scores[0], model=HOSTILE, condition=HOSTILE)
    first = dataclasses.replace(comparison.conditions[0], name=HOSTILE, scores=(score,))
    text = dataclasses.replace(
        comparison.texts[0],
        model=HOSTILE,
        text=HOSTILE,
        twin=None,
        edits=(),
        before={HOSTILE: HOSTILE},
        after={HOSTILE: HOSTILE},
    )
    hostile = dataclasses.replace(
        comparison,
        data=HOSTILE,
        models=(model,),
        conditions=(first,),
        texts=(text,),
        rankings=(),
        agreements=(),
    )
    page = comparison_page(hostile)
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_very_many_comparisons_are_cut_and_the_clear_ones_stay(comparison):
    clear = comparison.clear_differences
    assert clear
    unclear = [one for one in comparison.differences if one.more_robust is None]
    many = dataclasses.replace(comparison, differences=(*unclear * MOST_ROWS, *clear))
    section = comparison_page(many).split('<section id="compared_differences">')[1].split("</section>")[0]
    assert section.count("<tr>") == MOST_ROWS + 1
    assert section.count("not clear") == MOST_ROWS - len(clear)


def test_data_without_labels_has_a_page_too(tmp_path):
    data = reviews("test").slice(0, 20).drop_columns(["label"])
    for name, model in (("a", classify), ("b", always)):
        run(data, model, presets=["typos"], out=tmp_path / name)
    page = comparison_page(compare(tmp_path / "a", tmp_path / "b"))
    assert "No drop could be compared" in page
    assert '<section id="compared_differences">' not in page


def test_the_page_is_written_once(comparison, tmp_path):
    comparison.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == comparison_page(comparison)
    with pytest.raises(InputError, match="exists"):
        comparison.report(tmp_path / "page.html")
    comparison.report(tmp_path / "page.html", overwrite=True)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_no_wider_than_the_screen_and_loads_nothing(comparison, opened, width):
    seen = opened(comparison_page(comparison), viewport={"width": width, "height": 900})
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.requests == [seen.address]
    assert not seen.complaints
