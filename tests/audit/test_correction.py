"""Drops without invalid twins: equal to a direct count where one is possible; nothing on disk changes."""

from __future__ import annotations

import dataclasses

import pytest

from salva.audit import correct, sample
from salva.errors import InputError, UsageError
from salva.evaluation import load_run
from salva.numbers import score
from tests.audit.conftest import filled


@pytest.fixture(scope="module")
def whole(run):
    """All changed twins of a condition."""
    return sample(run, severity=1, n=1000)


@pytest.fixture(scope="module")
def answers(run):
    rows = [row for row in load_run(run).answers.to_pylist() if row["condition"] == "hybrid@1"]
    codes = {"positive": 1, "negative": 0}
    answers = {name: [codes[row[name]] for row in rows] for name in ("label", "before", "after")}
    return {"id": [row["id"] for row in rows], **answers}


def condition(run, name="hybrid@1"):
    return next(one for one in run.results.conditions if one.name == name)


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_if_every_twin_is_read_it_is_the_score_of_the_valid_ones(run, whole, answers, tmp_path):
    flipped = {
        name
        for name, before, after in zip(*(answers[k] for k in ("id", "before", "after")), strict=True)
        if before != after
    }
    invalid = {item.number: item.id for item in whole.items if item.id in flipped and item.number % 3}
    assert invalid
    path = filled(whole, tmp_path / "ann.csv", lambda item: "invalid" if item in invalid else "valid")
    found = condition(correct(load_run(run), path)).audited
    kept = [row for row, name in enumerate(answers["id"]) if name not in invalid.values()]
    direct = score(*([answers[name][row] for row in kept] for name in ("label", "before", "after")))
    assert found.items == len(whole.items)
    for name in ("accuracy_before", "accuracy_after", "drop", "consistency"):
        assert getattr(found, name).value == pytest.approx(getattr(direct, name).value)


def test_if_every_twin_is_valid_the_drop_is_that_of_all(run, tmp_path):
    path = filled(sample(run, severity=1, n=40), tmp_path / "ann.csv", lambda item: "valid")
    one = condition(correct(load_run(run), path))
    assert one.audited.drop.value == pytest.approx(one.score.drop.value)
    assert one.audited.consistency.value == pytest.approx(one.score.consistency.value)
    assert one.audited.drop.low <= one.score.drop.value <= one.audited.drop.high
    assert (one.audited.items, one.audited.readers, one.audited.invalid.value) == (40, 1, 0)


def test_only_audited_conditions_are_corrected_and_the_disk_stays_as_it_is(run, tmp_path):
    before = files_of(run)
    path = filled(sample(run, severity=0.5, n=10), tmp_path / "ann.csv", lambda item: "valid")
    corrected = correct(load_run(run), path)
    names = [one.name for one in corrected.results.conditions if one.audited is not None]
    assert names == ["hybrid@0.5"]
    assert files_of(run) == before


def test_sheets_of_several_conditions_and_readers_go_together(run, tmp_path):
    one, two = (sample(run, severity=severity, n=10) for severity in (0.5, 1))
    paths = [filled(one, tmp_path / "a.csv", lambda item: "valid", reader="Ann")]
    paths += [filled(two, tmp_path / "b.csv", lambda item: "valid", reader="Ann")]
    paths += [filled(two, tmp_path / "c.csv", lambda item: "invalid" if item < 3 else "", reader="Bob")]
    corrected = correct(load_run(run), paths)
    first, second = (condition(corrected, name).audited for name in ("hybrid@0.5", "hybrid@1"))
    assert (first.readers, second.readers) == (1, 2)
    assert (first.invalid.value, second.invalid.value) == (0, 20)


def test_the_report_and_the_table_show_what_was_corrected(run, tmp_path):
    path = filled(sample(run, severity=1, n=10), tmp_path / "ann.csv", lambda item: "valid")
    corrected = correct(load_run(run), path)
    corrected.report(tmp_path / "report.html")
    assert "<h2>Without invalid twins</h2>" in (tmp_path / "report.html").read_text("utf-8")
    assert corrected.results.as_dict()["conditions"][-1]["audited"]["items"] == 10


def test_a_sheet_of_other_twins_is_refused(run, tmp_path):
    other = sample([("A good movie.", 1)], preset="natural", unit="text")
    path = filled(other, tmp_path / "ann.csv", lambda item: "valid")
    with pytest.raises(InputError, match=r"ann.csv:2: is about other twins \(natural@1\) than those of"):
        correct(load_run(run), path)


def test_a_sheet_of_edits_is_refused(run, tmp_path):
    path = filled(sample(run, severity=1, unit="edit", n=3), tmp_path / "ann.csv", lambda item: "a")
    with pytest.raises(InputError, match=r"ann.csv:2: is about single edits; .+ unit='text'"):
        correct(load_run(run), path)


def test_a_sheet_that_nobody_has_read_is_refused(run, tmp_path):
    path = filled(sample(run, severity=1, n=3), tmp_path / "ann.csv", lambda item: "")
    with pytest.raises(InputError, match=r"ann.csv:2: has no verdict yet"):
        correct(load_run(run), path)


def test_an_id_that_a_spreadsheet_changed_is_refused(run, tmp_path):
    path = filled(sample(run, severity=1, n=3), tmp_path / "ann.csv", lambda item: "valid", id="7")
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2]), "utf-8")
    with pytest.raises(InputError, match=r"ann.csv:2: the run has no changed twin with the id '7'"):
        correct(load_run(run), path)


def test_a_run_without_a_folder_is_refused(run, tmp_path):
    loose = dataclasses.replace(load_run(run), folder=None)
    with pytest.raises(UsageError, match="the run has no folder"):
        correct(loose, tmp_path / "ann.csv")
