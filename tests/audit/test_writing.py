"""Sheets as files: hostile texts survive in csv, and Label Studio gets what it documents."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.audit import QUESTIONS, Item, ItemEdit, Sheet, label_studio_config, read_judgements, write_sheet
from salva.audit.sheet import mark
from salva.audit.writing import sheet_table
from salva.errors import InputError, UsageError

HOSTILE = ["=1+1", "'=1+1", "@A1", 'say "x", and\r\ny', "</script><b>", "a;b\tc", "\x00\u202e", "naïve 🎬"]


def sheet_of(text: str, unit="edit", other=None, label=None) -> Sheet:
    """Return a sheet with one item: the text, a space, and a word that is edited."""
    start = len(text) + 1
    edit = ItemEdit(start, start + 5, start, start + 4, "movie", "film", "pair", "noun")
    place = f"{start}..{start + 5}" if unit == "edit" else ""
    item = Item(1, text, place, f"{text} movie", f"{text} film", (edit,), other, label)
    return Sheet("s1", "t1", "natural@1", "natural", "data.csv", unit, 7, (item,))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_texts_come_back_from_csv(tmp_path, text):
    write_sheet(sheet_of(text), tmp_path / "a.csv")
    [judgement] = read_judgements(tmp_path / "a.csv")
    assert judgement.key.id == text
    assert judgement.texts["original"] == f"{text} [-movie-]"
    assert judgement.texts["twin"] == f"{text} {{+film+}}"
    assert judgement.verdict is None


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_from_csv(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "a.csv"
    write_sheet(sheet_of(text), path)
    assert read_judgements(path)[0].key.id == text


@pytest.mark.parametrize("text", HOSTILE[:3])
def test_no_cell_is_run_by_a_spreadsheet(text):
    [row] = csv.DictReader(sheet_table(sheet_of(text)).splitlines(keepends=True))
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_people_find_the_texts_and_the_empty_verdict_first():
    header, line = sheet_table(sheet_of("A fine")).splitlines()
    assert header.split(",")[:6] == ["item", "original", "twin", "verdict", "note", "reader"]
    assert line.startswith("1,A fine [-movie-],A fine {+film+},,,,A fine,")


def test_columns_that_no_item_has_are_left_out():
    assert "other" not in sheet_of("a").columns()
    assert {"other", "label"} <= set(sheet_of("a", other="b", label="1").columns())


@pytest.mark.parametrize("unit", ["edit", "text"])
def test_a_task_has_what_the_configuration_shows(tmp_path, unit):
    """https://labelstud.io/guide/tasks: a list of objects with `data`, whose keys are the $variables."""
    sheet = sheet_of("</script>", unit, other="b", label="1")
    write_sheet(sheet, tmp_path / "a.json")
    [task] = json.loads((tmp_path / "a.json").read_text("utf-8"))
    config = ElementTree.fromstring(label_studio_config(sheet))
    shown = {element.get("value") for element in config.iter("Text")}
    assert set(task) == {"data"}
    assert shown == {"$original", "$twin", "$other", "$label"} <= {f"${name}" for name in task["data"]}
    assert not {"verdict", "note", "reader"} & set(task["data"])


@pytest.mark.parametrize("unit", ["edit", "text"])
def test_the_configuration_offers_every_verdict_by_its_key(unit):
    config = ElementTree.fromstring(label_studio_config(sheet_of("a", unit)))
    offered = [(c.get("alias"), c.get("hotkey"), c.get("value")) for c in config.iter("Choice")]
    assert offered == [(v.name, v.key, v.meaning) for v in QUESTIONS[unit].verdicts.values()]
    [choices] = config.iter("Choices")
    assert choices.get("toName") in {text.get("name") for text in config.iter("Text")}


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.parquet"])
def test_another_ending_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match=r"must end with one of \.html, \.csv, \.json"):
        write_sheet(sheet_of("a"), tmp_path / name)


def test_an_existing_sheet_stands(tmp_path):
    (tmp_path / "a.csv").write_text("mine")
    with pytest.raises(InputError, match="exists; pass overwrite=True"):
        write_sheet(sheet_of("a"), tmp_path / "a.csv")
    write_sheet(sheet_of("a"), tmp_path / "a.csv", overwrite=True)


@given(st.text(), st.lists(st.integers(0, 20), max_size=8))
def test_marks_add_nothing_but_marks(text, cuts):
    ends = sorted({min(cut, len(text)) for cut in cuts})
    places = list(zip(ends[::2], ends[1::2], strict=False))
    marked = mark(text, places, "\ue000", "\ue001")
    assert marked.replace("\ue000", "").replace("\ue001", "") == text.replace("\ue000", "").replace(
        "\ue001", ""
    )
