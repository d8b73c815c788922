"""A run at a prompt and in a notebook: short, escaped, and with charts as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import salva
from salva.errors import InputError, UsageError
from salva.evaluation.charts import CHARTS
from salva.rows import reviews
from tests.flat import flat

HOSTILE = "</style></svg><script>alert(1)</script>&\x00\u202e"


@pytest.fixture(scope="module")
def run():
    presets = ["natural", "corrupt"]
    return salva.evaluate(
        reviews("test"), "builtin:reviews", presets=presets, severities=[0.5, 1], options=flat(noise=5)
    )


@pytest.fixture(scope="module")
def hostile(run):
    results = run.results
    blame = replace(results.blame, words=tuple(replace(one, word=HOSTILE) for one in results.blame.words))
    presets = tuple(replace(one, preset=HOSTILE) for one in results.presets)
    conditions = tuple(replace(one, name=HOSTILE) for one in results.conditions)
    model = replace(results.model, name=HOSTILE)
    spoilt = replace(results, model=model, blame=blame, presets=presets, conditions=conditions)
    return replace(run, results=spoilt)


def test_a_run_is_a_few_lines_with_the_headline(run):
    lines = repr(run).splitlines()
    assert len(lines) <= 10
    assert lines[0].startswith("builtin:reviews on ")
    assert "costs" in repr(run)
    assert max(map(len, lines)) <= 110


def test_parts_of_a_run_are_a_few_lines_each(run):
    results = run.results
    for part in (results, results.conditions[1], results.conditions[1].score, results.blame, run.flips[0]):
        assert len(repr(part).splitlines()) <= 10
        assert len(repr(part)) <= 1000
    assert repr(results.conditions[1]).startswith("<natural@1: drop ")


def test_a_notebook_gets_headline_table_and_chart(run):
    page = run._repr_html_()
    assert "natural@0.5</td>" in page
    assert "costs" in page
    assert page.count("<svg") == 1
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_hostile_names_stay_text(hostile):
    page = hostile._repr_html_()
    assert "<script" not in page
    assert page.count("</style>") == 2
    assert not {"\x00", "\u202e"} & set(page)
    ET.fromstring(page)


@pytest.mark.parametrize("name", list(CHARTS))
def test_every_chart_is_svg_that_stands_alone(run, hostile, name, tmp_path):
    chart = run.chart(name)
    assert chart._repr_svg_() == chart.svg
    chart.save(tmp_path / "chart.svg")
    root = ET.parse(tmp_path / "chart.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{http://www.w3.org/2000/svg}style") is not None
    with pytest.raises(InputError, match="exists; pass overwrite=True"):
        chart.save(tmp_path / "chart.svg")
    drawn = hostile.chart(name).svg
    ET.fromstring(drawn)
    assert "<script" not in drawn


def test_the_bars_are_the_drops(run):
    chart = run.chart()
    assert chart.name == "drops"
    for condition in run.results.conditions:
        assert f">{condition.name}</text>" in chart.svg
    ends = [bar.bar.measure.high for bar in chart.figure.bars]
    assert ends == [condition.score.drop.high for condition in run.results.conditions]


def test_words_to_blame_are_those_of_the_report(run):
    results = run.results
    names = [bar.bar.measure.name for bar in run.chart("blame").figure.bars]
    assert names == [one.word for one in results.blame.words[: len(names)]]


def test_a_mistyped_chart_gets_a_hint(run):
    with pytest.raises(UsageError, match="there is no chart 'drop'; did you mean 'drops'"):
        run.chart("drop")
    with pytest.raises(UsageError, match="choose from drops, curves, validity, presets, blame"):
        run.chart("?")


def test_a_chart_without_content_is_refused(run):
    empty = replace(run, results=replace(run.results, comparisons=()))
    with pytest.raises(UsageError, match="nothing to show in 'presets'; it has drops, curves, validity"):
        empty.chart("presets")


def test_a_run_without_labels_is_shown_too():
    bare = salva.evaluate(["A good film", "A bad film"], lambda texts: ["x"] * len(texts), severities=1)
    assert "No drop could be measured" in repr(bare)
    assert "n/a" in bare._repr_html_()
