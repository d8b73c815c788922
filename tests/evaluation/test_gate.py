"""A run and its limits as CI shows them: JUnit XML, GitHub's summary and annotations."""

from __future__ import annotations

import dataclasses
import re
import shutil
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from salva.errors import ThresholdError
from salva.evaluation import evaluate, load_run
from salva.evaluation.gate import check_run
from salva.evaluation.github import annotation_lines, step_summary
from salva.evaluation.junit import junit_xml
from salva.evaluation.run import Run
from salva.numbers import Estimate, score
from tests.evaluation.conftest import poisoned
from tests.evaluation.keywords import classify
from tests.flat import flat

HOSTILE = " \x00\x1b[31m]]>\ud800\uffff\ufffe\u202e<b>&\"'|`*_[x](y)\\ %0A::error::,\r\nnext"

SUMMARY_TAGS = {"h3", "p", "strong", "em", "ul", "li", "details", "summary", "pre"}
SUMMARY_TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}

# The schema of Jenkins' JUnit plugin, junit-10.xsd: attributes and children of every element.
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {
        *("name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname"),
        *("id", "package", "file", "log", "url", "version"),
    },
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "assertions", "time", "classname", "status", "class", "file", "line", "log"},
    "failure": {"type", "message"},
    "skipped": {"type", "message"},
    "system-out": set(),
}
REQUIRED = {
    "testsuite": {"name", "tests", "failures", "errors"},
    "property": {"name", "value"},
    "testcase": {"name"},
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase", "system-out", "system-err"},
    "properties": {"property"},
    "testcase": {"skipped", "error", "failure", "system-out", "system-err", "properties"},
}


@pytest.fixture
def run(results, flips) -> Run:
    return Run(results, tuple(flips), {"model": 1.25})


def fits_schema(element: ElementTree.Element) -> None:
    assert set(element.attrib) <= ATTRIBUTES[element.tag]
    assert set(element.attrib) >= REQUIRED.get(element.tag, set())
    for child in element:
        assert child.tag in CHILDREN.get(element.tag, set())
        fits_schema(child)


def parse(document: bytes) -> ElementTree.Element:
    root = ElementTree.fromstring(document)
    fits_schema(root)
    return root


def test_every_condition_is_a_test_case_and_a_failure_has_limit_numbers_and_flip(run):
    root = parse(junit_xml(check_run(run, ["drop.low > 4", "n_failed > 0"])))
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("5", "4", "1.250")
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert [*cases] == [condition.name for condition in run.results.conditions]
    (failure,) = cases["typos@1"]
    assert failure.get("type") == "ThresholdError"
    assert "drop.low > 4: drop.low is" in failure.get("message")
    lines = failure.text.splitlines()
    assert lines[1] == "n_failed > 0: n_failed is 1"
    assert re.match(r"drop \d+\.\d points \[.+\]; accuracy 90\.", lines[2])
    assert lines[3:] == [
        "one flip: row id-0, label positive: positive became negative",
        "original: A film number 0 that I liked, and a good story.",
        "twin:     A film number 0 that I likked, and a goood story.",
    ]
    (kept,) = cases["typos/render"]
    assert (kept.tag, kept.text[:15]) == ("system-out", "drop 0.0 points")


def test_a_condition_without_numbers_is_skipped_unless_nothing_was_measured(run):
    nothing = score([-1], [0], [0], resamples=100)
    first, *others = run.results.conditions
    some = dataclasses.replace(run.results, conditions=(dataclasses.replace(first, score=nothing), *others))
    root = parse(junit_xml(check_run(dataclasses.replace(run, results=some), ["drop > 99"])))
    assert [child.tag for case in root.iter("testcase") for child in case].count("skipped") == 1
    assert root[0].get("skipped") == "1"
    alone = dataclasses.replace(some, conditions=some.conditions[:1])
    checked = check_run(dataclasses.replace(run, results=alone), ["drop > 99"])
    root = parse(junit_xml(checked))
    assert root.find(".//failure").get("message") == "drop > 99: drop was not measured"
    with pytest.raises(ThresholdError, match=r"^drop > 99: it was not measured$"):
        checked.refuse_broken_limits()


def test_no_text_breaks_the_xml(run):
    bad = dataclasses.replace(run, results=poisoned(run.results, HOSTILE), flips=poisoned(run.flips, HOSTILE))
    document = junit_xml(check_run(bad, ["drop > -100"]))
    root = parse(document)
    assert root[0].get("failures") == "5"
    shown = [failure.text for failure in root.iter("failure") if "twin:" in failure.text]
    assert len(shown) == 3
    assert all("\\x00\\x1b[31m]]>" in text for text in shown)
    assert not re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", document.decode())


def test_the_change_against_a_baseline_is_checked_and_shown(run):
    changes = {one.name: Estimate(2.5, 1.5, 3.5) for one in run.results.conditions}
    checked = check_run(run, ["drop_change.low > 1"], changes)
    assert "change of the drop 2.5 [1.5, 3.5]" in junit_xml(checked).decode()
    assert "| change of the drop |" in step_summary(checked)
    with pytest.raises(ThresholdError, match=r"drop_change\.low > 1: synonyms@0\.5 has 1\.5, .* 2 more"):
        checked.refuse_broken_limits()


def test_a_summary_has_a_row_per_condition_and_a_flip_per_failure(run):
    text = step_summary(check_run(run, ["drop.low > 4"]))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1
    assert sum("**breaks drop.low &#62; 4**" in line for line in rows) == text.count("<details>") == 1
    assert "original: A film number 0 that I liked, and a good story." in text
    assert "**1 condition breaks a limit**" in text
    assert "**No limit is broken.**" in step_summary(check_run(run, ["drop > 99"]))


def test_no_text_breaks_out_of_the_summary(run):
    bad = dataclasses.replace(run, results=poisoned(run.results, HOSTILE), flips=poisoned(run.flips, HOSTILE))
    text = step_summary(check_run(bad, ["drop > -100"]))
    assert "<b>" not in text
    assert "\x1b" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in rows}) == 1
    assert text.count("<pre>") == text.count("</pre>") == 5
    shown = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert re.findall("<(?!/)([a-z0-9]+)", shown).count("tr") == len(rows) - 1
    assert {*re.findall("<([a-z0-9]+)", shown)} <= SUMMARY_TAGS
    assert "typos@1 \\x00\\x1b[31m]]&gt;" in shown


def test_annotations_are_one_line_each_with_everything_escaped(run):
    bad = dataclasses.replace(run, results=poisoned(run.results, HOSTILE), flips=poisoned(run.flips, HOSTILE))
    lines = [*annotation_lines(check_run(bad, ["drop > -100"]))]
    assert [line.split(" ")[0] for line in lines].count("::error") == 5
    assert any(line.startswith("::warning title=salva::") for line in lines)
    for line in lines:
        title, _, message = re.fullmatch(r"::(?:error|warning) title=([^:,]*)(::)(.*)", line).groups()
        assert not re.search("%(?!25|0A|3A|2C)", title + message)
        assert not re.search("[\r\n]", message)


def test_the_original_comes_from_the_questions_of_the_run(tmp_path):
    """A preset that reassembles texts changes spaces, which undoing its edits would not bring back."""
    rows = [(f"A  great   film ( no. {k} )", "positive") for k in range(12)]
    rows += [(f"A  dull   film ( no. {k} )", "negative") for k in range(12)]
    options = flat(blame_calls=0)
    evaluate(rows, classify, presets="corrupt", severities=1.0, out=tmp_path / "run", options=options)
    run = load_run(tmp_path / "run")
    example = check_run(run, ["drop > -100"]).conditions[-1].example
    assert example.before != example.after
    kept = {" ".join(text.split()) for text, _ in rows}
    assert example.original in kept
    shutil.rmtree(run.folder / "questions")
    assert check_run(run, ["drop > -100"]).conditions[-1].example.twin == example.twin
