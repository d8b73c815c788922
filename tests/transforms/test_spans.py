"""Labelled spans move with the edits, in Python and in every format that can hold them."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import salva
from salva.errors import InputError, UsageError
from salva.rows import WriteOptions
from salva.transforms import transform_file

TEXT = "Maria  Lopez loved the film in Paris, really."
SPANS = [{"start": 0, "end": 12, "label": "PER", "text": "Maria  Lopez"}, [31, 36, "LOC"]]
OVERWRITE = WriteOptions(overwrite=True)


def write_lines(path, rows) -> None:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")


def read_lines(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("preset", salva.presets())
def test_projected_spans_hold_the_words_that_the_entities_became(preset, tmp_path):
    write_lines(tmp_path / "a.jsonl", [{"text": TEXT, "entities": SPANS, "n": 1.5}])
    transform_file(tmp_path / "a.jsonl", tmp_path / "b.jsonl", preset=preset, seed=2, spans="entities")
    [row] = read_lines(tmp_path / "b.jsonl")
    person, (start, end, label) = row["entities"]
    assert person["text"] == row["text"][person["start"] : person["end"]]
    assert len(person["text"].split()) >= 2
    assert label == "LOC"
    assert not set(row["text"][start:end]) & set(" ,.")
    assert row["n"] == 1.5


def test_severity_0_and_rows_without_a_move_keep_their_values(tmp_path):
    line = '{"text":"Paris, great","s":[ {"start":0, "end":5, "score":0.50} ],"t":"\\u00e9"}\n'
    (tmp_path / "a.jsonl").write_text(line)
    for severity in (0.0, 1.0):
        transform_file(
            tmp_path / "a.jsonl",
            tmp_path / "b.jsonl",
            preset="case",
            severity=severity,
            spans="s",
            output=OVERWRITE,
            p_case=0.0,
        )
        assert (tmp_path / "b.jsonl").read_text() == line


@pytest.mark.parametrize("preset", ["natural+misspellings", "typos", "hybrid"])
def test_protected_spans_keep_their_text(preset, tmp_path):
    write_lines(tmp_path / "a.jsonl", [{"text": TEXT, "s": SPANS}] * 2)
    manifest = transform_file(
        tmp_path / "a.jsonl", tmp_path / "b.jsonl", preset=preset, spans="s", protect_spans=True
    )
    for row in read_lines(tmp_path / "b.jsonl"):
        person, (start, end, _) = row["s"]
        assert (row["text"][start:end], person["text"]) == ("Paris", "Maria  Lopez")
    assert manifest.transform["spans"] == {"name": "s", "protect": True}
    assert manifest.transform["summary"]["spans"]["spans"] == 4


def test_spans_in_csv_cells_and_in_columns_of_structs_move_too(tmp_path):
    spans = [{"start": 31, "end": 36, "label": "LOC"}]
    pq.write_table(pa.table({"text": [TEXT], "s": [spans]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"text": [TEXT], "s": [json.dumps(spans)]}), tmp_path / "b.parquet")
    transform_file(tmp_path / "a.parquet", tmp_path / "c.parquet", preset="hybrid", seed=1, spans="s")
    transform_file(tmp_path / "b.parquet", tmp_path / "c.csv", preset="hybrid", seed=1, spans="s")
    transform_file(tmp_path / "c.csv", tmp_path / "d.csv", preset="natural", severity=0, spans="s")
    [row] = pq.read_table(tmp_path / "c.parquet").to_pylist()
    assert row["text"][row["s"][0]["start"] : row["s"][0]["end"]].startswith("P")
    cell = json.dumps(row["s"]).replace('"', '""')
    assert f'"{cell}"' in (tmp_path / "c.csv").read_text()
    assert (tmp_path / "d.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_large_files_are_projected_as_small_ones(tmp_path):
    draw, rows = random.Random(1), []
    for number in range(3000):
        words = draw.choices(["Paris", "great", "film", "the", "naïve", "movie,", "“loved”"], k=20)
        text, start = " ".join(words), draw.randrange(20)
        place = len(" ".join(words[:start])) + (start > 0)
        rows.append({"id": number, "text": text, "s": [[place, place + len(words[start]), "X"]]})
    write_lines(tmp_path / "a.jsonl", rows)
    write_lines(tmp_path / "few.jsonl", rows[:5])
    for name in ("a", "few"):
        transform_file(tmp_path / f"{name}.jsonl", tmp_path / f"{name}2.jsonl", preset="hybrid", spans="s")
    moved = read_lines(tmp_path / "a2.jsonl")
    assert moved[:5] == read_lines(tmp_path / "few2.jsonl")
    assert [row["id"] for row in moved] == list(range(3000))
    assert all(" " not in row["text"][slice(*row["s"][0][:2])].strip("“” ") for row in moved[:500])


BAD = {
    "the end must come after the start": [[5, 3, "X"]],
    "the text has 11 characters": [[5, 30, "X"]],
    "is not a whole number": [{"start": 0.0, "end": 3}],
    "start True is not": [[True, 3]],
    "span 2 has no 'end'": [[0, 2], {"start": 1}],
    "positions must count code points": [{"start": 1, "end": 6, "text": "great"}],
    "is not a list of spans": "PER",
    "span 1 is 7": [7],
    "-1 to 3": [[-1, 3]],
}


@pytest.mark.parametrize(("message", "spans"), BAD.items())
def test_a_bad_span_is_one_line_that_names_the_row(message, spans, tmp_path):
    write_lines(tmp_path / "a.jsonl", [{"text": "fine", "s": []}, {"text": "a great one", "s": spans}])
    with pytest.raises(InputError, match=r"a\.jsonl: row 2: column 's': ") as told:
        transform_file(tmp_path / "a.jsonl", tmp_path / "b.jsonl", preset="typos", spans="s")
    assert message in str(told.value)
    assert "\n" not in str(told.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_bad_spans_can_be_dropped_and_a_missing_list_is_one(tmp_path):
    rows = [{"text": "fine", "s": [[0, 4, "X"]]}, {"text": "a great one"}, {"text": "x", "s": [[0, 9]]}]
    write_lines(tmp_path / "a.jsonl", [*rows, {"text": "null is none", "s": None}])
    manifest = transform_file(
        tmp_path / "a.jsonl",
        tmp_path / "b.jsonl",
        preset="typos",
        options=salva.rows.ReadOptions(on_bad_row="drop"),
        spans="s",
    )
    assert [row["s"] for row in read_lines(tmp_path / "b.jsonl")] == [[[0, 4, "X"]], None]
    assert [bad.place for bad in manifest.bad_rows] == [2, 3]


def test_to_protect_spans_needs_spans(tmp_path):
    write_lines(tmp_path / "a.jsonl", [{"text": "fine"}])
    with pytest.raises(UsageError, match="protect_spans=True needs spans="):
        transform_file(tmp_path / "a.jsonl", tmp_path / "b.jsonl", preset="typos", protect_spans=True)


def test_twins_project_spans_of_every_form():
    twins = salva.preset("typos", prob=1.0).transform([TEXT, None, "Paris"], seed=1)
    spans = [[(31, 36), [0, 5, "PER"]], None, [{"start": 0, "end": 5}]]
    assert twins.project(spans) == [[(30, 35), [0, 5, "PER"]], None, [{"start": 0, "end": 5}]]
    with pytest.raises(UsageError, match="spans for 1 texts, not 3"):
        twins.project([[]])
    with pytest.raises(InputError, match="ends at 9"):
        twins.project([[], [], [(0, 9)]])


def test_overlapping_spans_are_projected_one_by_one():
    twins = salva.preset("natural").transform("I do not know whether the movie is in New York", seed=1)
    spans = [[(38, 41), (38, 46), (42, 46)]]
    text = twins.transformed
    assert [text[start:end] for start, end in twins.project(spans)[0]] == ["New", "New York", "York"]
