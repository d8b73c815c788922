"""Verdicts are read from csv and JSON; what is wrong in a file is named with its line."""

from __future__ import annotations

import json

import pytest

from salva.audit import read_judgements, sample
from salva.errors import InputError
from tests.audit.conftest import TEXTS, filled

HEADER = "item,verdict,id,unit,condition,preset,of,sheet,twins"


@pytest.fixture(scope="module")
def sheet():
    return sample({"id": [f"r{i}" for i in range(12)], "text": TEXTS}, preset="natural", n=3, seed=3)


def task(item=1, choices=("a",), by=7, **more):
    """Return a task as Label Studio exports it."""
    names = {"id": "r1", "unit": "edit", "condition": "natural@1", "preset": "natural", "place": "2..7"}
    data = {"item": str(item), "of": "3", "sheet": "s1", "twins": "t1", **names}
    result = [
        {"id": "x", "from_name": "verdict", "to_name": "twin", "type": "choices", "origin": "manual"}
        | {"value": {"choices": list(choices)}}
    ]
    annotation = {"id": 1, "completed_by": by, "was_cancelled": False, "result": result, "lead_time": 3.1}
    return {"id": 44, "project": 2, "data": data, "annotations": [annotation | more], "predictions": []}


def written(tmp_path, tasks):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), "utf-8")
    return path


def test_a_sheet_without_names_is_that_of_one_reader_named_like_the_file(sheet, tmp_path):
    found = read_judgements(filled(sheet, tmp_path / "ann.csv", lambda item: "a"))
    assert [(one.reader, one.verdict, one.item) for one in found] == [("ann", "a", i) for i in (1, 2, 3)]


@pytest.mark.parametrize(
    ("written", "verdict"),
    [("A", "a"), (" b ", "b"), ("Obscure or unidiomatic", "f"), ("", None), (" ", None)],
)
def test_a_verdict_may_be_written_in_several_ways(sheet, tmp_path, written, verdict):
    found = read_judgements(filled(sheet, tmp_path / "ann.csv", lambda item: written))
    assert {one.verdict for one in found} == {verdict}


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_spreadsheet_may_change_the_delimiter_and_the_ends_of_lines(tmp_path, delimiter):
    lines = [HEADER, "1,a,r1,edit,natural@1,natural,3,s1,t1"]
    content = "\ufeff" + "\r\n".join(lines).replace(",", delimiter) + "\r\n"
    (tmp_path / "ann.csv").write_text(content, "utf-8", newline="")
    assert [one.verdict for one in read_judgements(tmp_path / "ann.csv")] == ["a"]


def test_an_export_of_label_studio_has_one_verdict_per_annotation(tmp_path):
    two = task()
    two["annotations"] += task(choices=["c"], by={"id": 9, "email": "bob@example.org"})["annotations"]
    open_task = {**task(item=2), "annotations": []}
    open_task["data"] = {**open_task["data"], "place": "9..12"}
    found = read_judgements(written(tmp_path, [two, open_task]))
    assert [(one.reader, one.verdict) for one in found] == [
        ("7", "a"),
        ("bob@example.org", "c"),
        ("export", None),
    ]


def test_a_cancelled_annotation_is_no_verdict(tmp_path):
    assert read_judgements(written(tmp_path, [task(was_cancelled=True)]))[0].verdict is None


def test_a_note_of_label_studio_is_kept(tmp_path):
    noted = task()
    noted["annotations"][0]["result"].append(
        {"from_name": "note", "to_name": "twin", "type": "textarea", "value": {"text": ["odd"]}}
    )
    assert read_judgements(written(tmp_path, [noted]))[0].note == "odd"


def test_a_longer_sheet_may_leave_open_what_was_read_before(sheet, tmp_path):
    first = filled(sheet, tmp_path / "a.csv", lambda item: "a", reader="Ann")
    second = filled(sheet, tmp_path / "b.csv", lambda item: "", reader="Ann")
    assert [one.verdict for one in read_judgements([first, second])] == ["a"] * 3 + [None] * 3


def test_a_reader_judges_an_item_once(sheet, tmp_path):
    first = filled(sheet, tmp_path / "a.csv", lambda item: "a", reader="Ann")
    second = filled(sheet, tmp_path / "b.csv", lambda item: "b", reader="Ann")
    with pytest.raises(InputError, match=r"b\.csv:2: reader 'Ann' has item 1 twice, first in .+a\.csv:2"):
        read_judgements([first, second])


BAD_LINES = {
    "x,a,r1,edit,n@1,n,3,s1,t1": "ann.csv:2: item is 'x'; it must be a whole number",
    "1,z,r1,edit,n@1,n,3,s1,t1": "ann.csv:2: verdict 'z' is unknown; use one of a, b, c, d, e, f, or leave",
    "1,a,r1,text,n@1,n,3,s1,t1": "ann.csv:2: verdict 'a' is unknown; use one of valid, invalid, or leave",
    "1,a,r1,word,n@1,n,3,s1,t1": "ann.csv:2: unit is 'word'; it must be one of edit, text",
    "1,a,r1": "ann.csv:2: 3 cells, not 9",
    "1,a,r1,edit,n@1,n,3,s1,t1\n1,a,r1,edit,n@1,n,3,s1,t1": "ann.csv:3: reader 'ann' has item 1 twice",
}


@pytest.mark.parametrize(("lines", "problem"), BAD_LINES.items())
def test_a_bad_line_is_named(tmp_path, monkeypatch, lines, problem):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ann.csv").write_text(f"{HEADER}\n{lines}\n", "utf-8")
    with pytest.raises(InputError) as stop:
        read_judgements("ann.csv")
    assert str(stop.value).startswith(problem)


BAD_FILES = {
    "a.html": ("<!DOCTYPE html>", "is the page itself; open it in a browser, download the verdicts there"),
    "a.csv": ("text,label\nfine,1\n", "is not an audit sheet: it has no column 'item'"),
    "b.csv": (f"{HEADER}\n", "has no items; pass a sheet that salva audit sample made"),
    "c.csv": ("", "is not an audit sheet"),
    "a.json": ("{", "is not JSON, or cut off"),
    "b.json": ("{}", "must be a list of tasks; export them from Label Studio as JSON"),
    "c.json": ("[]", "has no items"),
    "d.json": ("[5]", "task 1 is not one that Label Studio exports"),
    "e.json": ('[{"data": {"image": "x"}}]', "task 1 is not from an audit sheet: it has no 'item'"),
    "f.json": (json.dumps([task(choices=["z"])]), "item 1: verdict 'z' is unknown"),
    "g.json": (json.dumps([task(choices=[])]), "task 1 is not one that Label Studio exports"),
    "h.json": (json.dumps([task(), task()]), "item 1: reader '7' has item 1 twice"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_named(tmp_path, name):
    content, problem = BAD_FILES[name]
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InputError) as stop:
        read_judgements(tmp_path / name)
    assert str(stop.value).startswith(f"{tmp_path / name}: {problem}")


def test_a_page_by_another_name_is_not_a_sheet(sheet, tmp_path):
    (tmp_path / "a.txt").write_text("<!DOCTYPE html>\n<html></html>", "utf-8")
    with pytest.raises(InputError, match="is not an audit sheet"):
        read_judgements(tmp_path / "a.txt")
