"""The page of a sheet: judged by keys, kept in the browser, deaf to what the texts say."""

from __future__ import annotations

import csv
import json

import pytest

from salva.audit import QUESTIONS, read, read_judgements, sample
from salva.audit.writing import sheet_page
from tests.audit.conftest import TEXTS
from tests.audit.test_writing import sheet_of
from tests.evaluation.test_page import STRANGE_ELEMENTS, TOGETHER, TOO_WIDE


@pytest.fixture(scope="module")
def sheet():
    return sample({"id": [f"r{i}" for i in range(12)], "text": TEXTS}, preset="natural", n=4, seed=3)


def begun(page, name="Ann"):
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")
    return page


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
    return page.locator("#progress").inner_text()


def downloaded(page, tmp_path, ending):
    with page.expect_download() as waiting:
        page.locator(f"#{ending}").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_keys_judge_move_and_undo(sheet, opened):
    page = begun(opened(sheet_page(sheet)).page)
    assert press(page) == "Item 1 of 4, 0 with a verdict"
    assert press(page, "a", "C") == "Item 3 of 4, 2 with a verdict"
    assert press(page, "ArrowLeft") == "Item 2 of 4, 2 with a verdict"
    assert page.locator("[aria-pressed=true]").get_attribute("data-verdict") == "c"
    assert press(page, "u") == "Item 2 of 4, 1 with a verdict"
    assert press(page, "ArrowRight", "ArrowRight", "ArrowRight") == "Item 4 of 4, 1 with a verdict"
    assert press(page, "b") == "Item 2 of 4, 2 with a verdict"
    assert press(page, "ArrowLeft", "g") == "Item 2 of 4, 2 with a verdict"


def test_a_changed_verdict_comes_back_by_undo(sheet, opened):
    page = begun(opened(sheet_page(sheet)).page)
    press(page, "a", "ArrowLeft", "f", "u")
    assert page.locator("[aria-pressed=true]").get_attribute("data-verdict") == "a"


def test_buttons_do_what_keys_do(sheet, opened):
    page = begun(opened(sheet_page(sheet)).page)
    page.locator("[data-verdict=d]").click()
    page.locator("#back").click()
    assert page.locator("[aria-pressed=true]").get_attribute("data-verdict") == "d"
    page.locator("#undo").click()
    page.locator("#forward").click()
    assert press(page) == "Item 2 of 4, 0 with a verdict"


def test_verdicts_are_still_there_when_the_page_is_opened_again(sheet, opened):
    page = begun(opened(sheet_page(sheet)).page)
    press(page, "a", "b")
    page.reload()
    assert press(page) == "Item 3 of 4, 2 with a verdict"
    assert press(page, "u") == "Item 2 of 4, 1 with a verdict"


def test_a_note_is_no_verdict(sheet, opened, tmp_path):
    page = begun(opened(sheet_page(sheet)).page)
    press(page, "n")
    page.keyboard.type("bad, cafe")
    press(page, "Enter")
    assert press(page, "e") == "Item 2 of 4, 1 with a verdict"
    assert page.locator("#note").input_value() == ""
    [first, *_] = read_judgements(downloaded(page, tmp_path, "csv"))
    assert (first.note, first.verdict) == ("bad, cafe", "e")


def test_a_key_held_down_judges_one_item(sheet, opened):
    page = begun(opened(sheet_page(sheet)).page)
    page.keyboard.down("a")
    page.keyboard.down("a")
    page.keyboard.up("a")
    assert press(page) == "Item 2 of 4, 1 with a verdict"


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_downloads_are_read_back(sheet, opened, tmp_path, ending):
    page = begun(opened(sheet_page(sheet)).page, "Ann O'Neil")
    press(page, "a", "b", "c")
    path = downloaded(page, tmp_path, ending)
    assert path.name == f"verdicts-Ann_O_Neil.{ending}"
    [audit] = read(path)
    assert (audit.items, audit.read, audit.condition) == (4, 3, "natural@1")
    assert {name: count for name, count in audit.verdicts.items() if count} == {"a": 1, "b": 1, "c": 1}
    assert [one.name for one in audit.readers] == ["Ann O'Neil"]


def test_the_csv_is_the_sheet_with_verdicts(sheet, opened, tmp_path):
    page = begun(opened(sheet_page(sheet)).page)
    press(page, "a")
    with downloaded(page, tmp_path, "csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    expected = list(sheet.records())
    expected[0]["verdict"] = "a"
    assert rows == [record | {"reader": "Ann"} for record in expected]


def test_the_end_is_said_and_another_reader_starts_afresh(sheet, opened):
    page = begun(opened(sheet_page(sheet)).page)
    assert not page.locator("#end").is_visible()
    press(page, "a", "a", "a", "a")
    assert page.locator("#end").is_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("#again").click()
    assert press(begun(page, "Bob")) == "Item 1 of 4, 0 with a verdict"


def test_stored_rubbish_is_ignored(sheet, opened):
    seen = opened(sheet_page(sheet))
    for rubbish in (
        '{"reader":"x"}',
        "[]",
        "null",
        '{"reader":"x","place":99,"verdicts":{},"notes":{},"log":[]}',
    ):
        seen.page.evaluate(
            "([key, value]) => localStorage.setItem(key, value)", [f"salva-audit-{sheet.id}", rubbish]
        )
        seen.page.reload()
        assert seen.page.get_by_label("Your name").is_visible()
    assert seen.complaints == []


def test_without_storage_the_page_works_and_says_so(sheet, opened, tmp_path):
    page = opened(sheet_page(sheet)).page
    page.evaluate("void (Storage.prototype.setItem = () => { throw new Error('full'); })")
    press(begun(page), "a")
    assert page.locator("#unkept").is_visible()
    assert read(downloaded(page, tmp_path, "json"))[0].read == 1


def test_without_scripts_every_item_can_be_read(sheet, opened):
    page = opened(sheet_page(sheet), java_script_enabled=False).page
    assert page.locator("noscript .notice").is_visible()
    assert page.locator(".item:visible").count() == 4
    assert page.locator("#key dt:visible").all_inner_texts() == [*QUESTIONS["edit"].verdicts]
    assert page.locator("button:visible, input:visible").count() == 0


def test_texts_are_side_by_side_with_the_edits_marked(sheet, opened):
    page = begun(opened(sheet_page(sheet)).page)
    item, edit = sheet.items[0], sheet.items[0].edits[0]
    sides = page.locator(".item:visible .side .body")
    assert sides.all_inner_texts() == [item.original, item.twin]
    assert page.locator(".item:visible mark").all_inner_texts() == [edit.old, edit.new]
    left, right = (sides.nth(i).bounding_box() for i in (0, 1))
    assert left["x"] + left["width"] <= right["x"]


@pytest.mark.parametrize("payload", TOGETHER, ids=["forward", "backward"])
def test_hostile_texts_are_inert_and_come_back_as_they_are(opened, tmp_path, payload):
    sheet = sheet_of(payload, "text", other=payload, label=payload)
    seen = opened(sheet_page(sheet))
    page = begun(seen.page)
    press(page, "v")
    assert page.evaluate("window.pwned") is None
    assert page.title() == "Is the twin still valid?"
    assert page.evaluate(STRANGE_ELEMENTS) == []
    for ending in ("csv", "json"):
        [judgement] = read_judgements(downloaded(page, tmp_path, ending))
        assert (judgement.key.id, judgement.verdict) == (payload, "valid")
        assert judgement.texts["twin"] == f"{payload} {{+film+}}"
    assert [url for url in seen.requests if not url.startswith("blob:")] == [seen.address]
    assert seen.complaints == []


def test_the_page_contains_no_label_unless_asked(sheet):
    assert "Label:" not in sheet_page(sheet)
    assert "Label:" in sheet_page(sheet_of("a", label="1"))


def test_json_has_the_form_of_an_export_of_label_studio(sheet, opened, tmp_path):
    page = begun(opened(sheet_page(sheet)).page)
    press(page, "a")
    first, second, *_ = json.loads(downloaded(page, tmp_path, "json").read_text("utf-8"))
    assert first["annotations"][0]["result"][0]["value"] == {"choices": ["a"]}
    assert first["data"]["sheet"] == sheet.id
    assert second["annotations"] == []


@pytest.mark.parametrize("width", [320, 1200])
def test_nothing_is_wider_than_the_screen(sheet, opened, width):
    page = begun(opened(sheet_page(sheet), viewport={"width": width, "height": 700}).page)
    assert page.evaluate(TOO_WIDE) == []
