"""Columns and files that others made, in ways that Salva never would."""

from __future__ import annotations

import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva._arrow import as_strings
from salva.errors import InputError, UsageError
from salva.rows import ReadOptions, open_rows
from tests.rows.passing import pass_through
from tests.rows.test_bad_bytes import NONE, refused
from tests.rows.test_hostile import bad_column, written


def test_a_null_slot_beside_the_text_may_say_anything(tmp_path):
    views = struct.pack("<i12s", -(2**31), b"") + struct.pack("<i12s", 1, b"a")
    column = pa.Array.from_buffers(pa.string_view(), 2, [pa.py_buffer(b"\x02"), pa.py_buffer(views)])
    written(tmp_path / "a.arrow", pa.table({"text": ["x", "y"], "n": column}))
    for output in ("b.csv", "b.jsonl", "b.parquet", "c.arrow"):
        pass_through(tmp_path / "a.arrow", tmp_path / output)
    assert (tmp_path / "b.csv").read_text() == "text,n\nx,\ny,a\n"


@pytest.mark.parametrize("kind", [pa.list_(pa.string_view()), pa.struct({"a": pa.binary_view()})], ids=str)
def test_views_inside_lists_and_structs_are_refused_by_name(salva, tmp_path, kind):
    written(tmp_path / "a.arrow", pa.table({"text": ["a"], "odd": pa.nulls(1, kind)}))
    assert refused(salva(*NONE, "a.arrow", "-o", "b.csv"), "column 'odd' of type", "cannot be read; cast it")


def test_runs_become_plain_columns_also_beside_dropped_rows(tmp_path):
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"])
    written(tmp_path / "a.arrow", pa.table({"text": bad_column([b"1", b"\xff", b"3"]), "n": runs}))
    pass_through(tmp_path / "a.arrow", tmp_path / "b.csv", ReadOptions(on_bad_row="drop"))
    assert (tmp_path / "b.csv").read_text() == "text,n\n1,a\n3,b\n"


def test_the_first_line_alone_does_not_decide_the_columns(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x":1}\n{"text":"a","x":2,"m":3}\n')
    with pytest.raises(InputError, match=r"a.jsonl:1: no 'text'"):
        pass_through(tmp_path / "a.jsonl", tmp_path / "b.csv")
    pass_through(tmp_path / "a.jsonl", tmp_path / "b.csv", ReadOptions(on_bad_row="drop"))
    assert (tmp_path / "b.csv").read_text() == "text,x,m\na,2,3\n"


@pytest.mark.slow
def test_thousands_of_tiny_batches_are_written(tmp_path):
    batch = pa.record_batch({"text": ["a"]})
    with pa.ipc.new_file(tmp_path / "a.arrow", batch.schema) as writer:
        for _ in range(3_000):
            writer.write_batch(batch)
    pass_through(tmp_path / "a.arrow", tmp_path / "b.parquet")
    assert pq.read_table(tmp_path / "b.parquet").num_rows == 3_000


def test_dictionaries_that_differ_from_batch_to_batch_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr("salva.rows.columnar.ROW_GROUP_BYTES", 1)
    schema = pa.schema({"text": pa.string(), "n": pa.dictionary(pa.int32(), pa.string())})
    with pa.ipc.new_stream(tmp_path / "a.arrow", schema) as writer:
        for word in ("a", "b"):
            column = pa.array([word]).dictionary_encode()
            writer.write_batch(pa.record_batch([pa.array(["x"]), column], schema=schema))
    for output in ("b.arrow", "b.parquet", "b.csv"):
        pass_through(tmp_path / "a.arrow", tmp_path / output)
    assert (tmp_path / "b.csv").read_text() == "text,n\nx,a\nx,b\n"


@pytest.mark.parametrize("mark", [b"hidden:line", b"hidden:x", b"json"])
def test_the_marks_of_others_mean_nothing(tmp_path, mark):
    fields = [pa.field(name, pa.string(), metadata={b"salva": mark}) for name in ("text", "n")]
    schema = pa.schema(fields, metadata={b"salva:delimiter": b"\xff", b"theirs": b"kept"})
    pq.write_table(pa.table([["a"], ["b"]], schema=schema), tmp_path / "a.parquet")
    for output in ("b.csv", "b.jsonl", "b.txt", "b.parquet"):
        pass_through(tmp_path / "a.parquet", tmp_path / output)
    assert (tmp_path / "b.csv").read_text() == "text,n\na,b\n"
    assert (tmp_path / "b.jsonl").read_text() == '{"text":"a","n":"b"}\n'
    assert pq.read_schema(tmp_path / "b.parquet").metadata == {b"theirs": b"kept"}


@pytest.mark.parametrize("encoding", ["klingon", "base64"])
def test_a_folder_checks_its_encoding(tmp_path, encoding):
    with pytest.raises(UsageError, match=f"encoding '{encoding}' is unknown"):
        open_rows(tmp_path, ReadOptions(encoding=encoding))


def test_txt_says_what_it_leaves_out_and_refuses_what_would_change(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\na,1\n")
    assert (
        salva(*NONE, "a.csv", "-o", "b.txt").err
        == "salva: warning: txt holds only the text; left out: label\n"
    )
    (tmp_path / "c.csv").write_bytes(b'text\n"a\r"\n')
    assert refused(salva(*NONE, "c.csv", "-o", "d.txt"), "has a line break")


@pytest.mark.slow
def test_batches_are_bounded_by_their_decoded_size(tmp_path):
    pq.write_table(pa.table({"text": ["x" * 20_000] * 20_000}), tmp_path / "a.parquet")
    with open_rows(tmp_path / "a.parquet") as rows:
        assert max(batch.nbytes for batch in rows) < 32 << 20


def test_the_settings_are_in_the_manifest(tmp_path):
    (tmp_path / "a.csv").write_text("text;n\na;1\n")
    manifest = pass_through(
        tmp_path / "a.csv", tmp_path / "b.csv", ReadOptions(delimiter=";", on_bad_row="keep")
    )
    assert manifest.settings["delimiter"] == ";"
    assert manifest.as_dict()["settings"]["on_bad_row"] == "keep"


@pytest.mark.parametrize("output", ["b.csv", "b.jsonl"])
def test_times_keep_their_nanoseconds(tmp_path, output):
    pq.write_table(pa.table({"text": ["a"], "t": pa.array([1], pa.time64("ns"))}), tmp_path / "a.parquet")
    pass_through(tmp_path / "a.parquet", tmp_path / output)
    assert "00:00:00.000000001" in (tmp_path / output).read_text()


def test_csv_keeps_the_delimiter_it_was_read_with_and_tsv_becomes_csv(tmp_path):
    (tmp_path / "a.csv").write_text("text\tn\na\t1\n")
    pass_through(tmp_path / "a.csv", tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == "text\tn\na\t1\n"
    pass_through(tmp_path / "a.csv", tmp_path / "c.tsv")
    pass_through(tmp_path / "c.tsv", tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text() == "text,n\na,1\n"


def test_lines_that_are_all_broken_are_not_called_empty(tmp_path):
    (tmp_path / "a.jsonl").write_text("{\n{\n")
    with pytest.raises(InputError, match="no rows; all 2 were rejected"):
        open_rows(tmp_path / "a.jsonl", ReadOptions(on_bad_row="drop"))


@pytest.mark.slow
def test_29_a_column_of_over_two_gigabytes_has_wide_offsets():
    chunk = pa.array(["x" * (1 << 20)] * 800, pa.string())
    strings = as_strings(pa.chunked_array([chunk] * 3))
    assert strings.offsets[-1] == 2400 << 20
