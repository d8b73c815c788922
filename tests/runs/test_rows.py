"""Rows of a run: kept in groups, found by number, damage noticed."""

from __future__ import annotations

import pytest

from salva._arrow import as_strings
from salva.errors import InputError
from salva.runs import RowGroup, RunRows, write_rows
from salva.runs import rows as module


def rows_of(texts, first=0):
    ids = [str(k) for k in range(first, first + len(texts))]
    return RowGroup(first, ids, (as_strings(texts),), ["a"] * len(texts))


def test_rows_come_back_in_order_and_by_number(tmp_path):
    write_rows(tmp_path / "data.parquet", [rows_of(["a", None, "c"]), rows_of(["d", "e"], 3)])
    kept = RunRows(tmp_path / "data.parquet")
    assert len(kept) == 5
    assert [text for group in kept for text in group.texts[0].array.to_pylist()] == ["a", None, "c", "d", "e"]
    assert kept.rows([1, 4]).texts[0].array.to_pylist() == [None, "e"]


def test_groups_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    monkeypatch.setattr(module, "MOST_ROWS", 3)
    write_rows(tmp_path / "data.parquet", [rows_of(["x" * 30, *"abcde", "yyyyyy", "zzzzzz"])])
    assert [len(group) for group in RunRows(tmp_path / "data.parquet")] == [1, 3, 3, 1]


def test_two_texts_a_row(tmp_path):
    texts = as_strings(["a", "b"])
    write_rows(tmp_path / "data.parquet", [RowGroup(0, ["0", "1"], (texts, texts), [None, "x"])])
    group = next(iter(RunRows(tmp_path / "data.parquet")))
    assert [column.array.to_pylist() for column in group.texts] == [["a", "b"]] * 2
    assert group.labels == [None, "x"]


def test_a_flipped_bit_is_noticed(tmp_path):
    place = tmp_path / "data.parquet"
    write_rows(place, [rows_of([f"text {k}" for k in range(5_000)])])
    content = bytearray(place.read_bytes())
    content[len(content) // 3] ^= 4
    place.write_bytes(content)
    with pytest.raises(InputError, match="is damaged"):
        list(RunRows(place))


def test_a_cut_file_is_noticed(tmp_path):
    place = tmp_path / "data.parquet"
    write_rows(place, [rows_of(["a"])])
    place.write_bytes(place.read_bytes()[:-20])
    with pytest.raises(InputError, match="is damaged"):
        RunRows(place)
