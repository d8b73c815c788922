"""The shipped validity is what the sheets in docs/validity say, and faults in sheets are found."""

from __future__ import annotations

import json

import pytest

from salva._presets.validity import load_readings
from salva.errors import InputError
from salva.transforms import PRESETS
from tools import write_validity
from tools.write_validity import DATA, PAGE, SHEETS, filled, join, read_sheets, shipped

ABOUT = """
sample = "reviews"
date = 2026-11-16
reader = "one reader"

[versions]
natural = 3
"""
EDIT = {
    "preset": "natural",
    "rule": "pair",
    "row": 7,
    "start": 2,
    "old": "film",
    "new": "movie",
    "context": "A [[film => movie]] of note",
    "verdict": "a",
}
TWIN = {"preset": "natural", "row": 7, "label": "pos", "read": "pos"}


@pytest.fixture
def sheet(tmp_path):
    def write(*lines: dict[str, object], about: str = ABOUT):
        (tmp_path / "mine.toml").write_text(about, "utf-8")
        if lines:
            (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
        return tmp_path

    return write


def test_the_shipped_file_and_the_table_are_what_the_sheets_say():
    assert DATA.read_bytes() == shipped(), "run make docs"
    assert PAGE.read_text("utf-8") == filled(PAGE.read_text("utf-8")), "run make docs"


def test_every_shipped_reading_names_its_sheet_and_a_version_that_there_is():
    for name, readings in load_readings().items():
        for reading in readings:
            assert (SHEETS / reading.sheet).is_file()
            assert name not in PRESETS or 1 <= int(reading.version) <= PRESETS[name].version


def test_lines_are_counted_by_preset_and_verdict(sheet):
    folder = sheet(EDIT, {**EDIT, "verdict": "c"}, EDIT, TWIN, {**TWIN, "read": "neg"})
    (reading,) = read_sheets(folder)["natural"]
    assert (reading.version, reading.sheet, reading.date) == ("3", "mine.jsonl", "2026-11-16")
    assert (reading.verdicts, reading.twins, reading.labels_kept) == ({"a": 2, "c": 1}, 2, 1)


def test_counts_are_taken_where_lines_were_not_kept(sheet):
    counts = "[verdicts]\nnatural = { a = 3 }\n[labels]\nnatural = { twins = 2, kept = 1 }\n"
    (reading,) = read_sheets(sheet(about=ABOUT + counts))["natural"]
    assert (reading.sheet, reading.verdicts, reading.labels_kept) == ("mine.toml", {"a": 3}, 1)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({**EDIT, "verdict": "g"}, "verdict 'g' is unknown"),
        ({**EDIT, "preset": "typos"}, r"\[versions\] has no 'typos'"),
        ({**EDIT, "context": "A film of note"}, "mine.jsonl:1: context must show the edit"),
        ({**EDIT, "context": "x" * 161 + "[[film => movie]]"}, "more than 160 characters before"),
        ({**EDIT, "context": "[[film => movie]]" + "x" * 121}, "or 120 after"),
        ({"preset": "natural", "row": 1}, "mine.jsonl:1: key 'rule' is missing"),
        ({"preset": "natural", "read": "pos"}, "key 'row' is missing"),
    ],
)
def test_a_fault_in_a_sheet_is_named(sheet, line, problem):
    with pytest.raises(InputError, match=problem):
        read_sheets(sheet(line))


def test_a_line_that_is_cut_off_is_named(sheet):
    folder = sheet(EDIT)
    (folder / "mine.jsonl").write_text('{"preset": "nat', "utf-8")
    with pytest.raises(InputError, match=r"mine.jsonl:1: is not JSON"):
        read_sheets(folder)


def test_a_sheet_has_lines_or_counts(sheet):
    with pytest.raises(InputError, match=r"needs either counts under \[verdicts\] or mine.jsonl"):
        read_sheets(sheet())
    with pytest.raises(InputError, match="needs either"):
        read_sheets(sheet(EDIT, about=f"{ABOUT}[verdicts]\nnatural = {{ a = 1 }}\n"))


def test_a_blind_sheet_s_key_is_joined_with_the_verdicts(tmp_path):
    key, verdicts = tmp_path / "key.jsonl", tmp_path / "verdicts.tsv"
    edit = {**EDIT, "context": f"{EDIT['context']}\x85 and so on"}  # a line ends at a newline alone
    item = {name: value for name, value in edit.items() if name != "verdict"}
    lines = [json.dumps({"n": n, **item}, ensure_ascii=False) for n in (1, 2)]
    key.write_text("\n".join(lines), "utf-8")
    verdicts.write_text("2\tc\tnot the same\n1\ta\n", "utf-8")
    joined = [json.loads(line) for line in join(key, verdicts)]
    assert joined == [edit, {**edit, "verdict": "c", "note": "not the same"}]
    verdicts.write_text("1\ta\n", "utf-8")
    with pytest.raises(InputError, match=r"key.jsonl:2: has no verdict in verdicts.tsv"):
        list(join(key, verdicts))
    verdicts.write_text("1\tz\n", "utf-8")
    with pytest.raises(InputError, match=r"verdicts.tsv:1: must be a number"):
        list(join(key, verdicts))


def test_presets_are_listed_by_family():
    table = write_validity.table()
    assert table.index("keep the meaning**") < table.index("[`natural`]") < table.index("**Corruptions**")
    assert all(f"[`{name}`](presets/{name}.md)" in table for name in PRESETS)
