"""Files made to break a reader or a writer: each was once a crash, a traceback, a loss or a wrong count."""

from __future__ import annotations

import datetime
import json
import os
import struct
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva._arrow import as_strings
from salva.errors import InputError
from salva.rows import ReadOptions, open_rows
from tests.rows.passing import pass_through
from tests.rows.test_bad_bytes import NONE, refused, texts


def written(path, table):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def test_a_null_slot_of_a_view_may_say_anything():
    views = struct.pack("<i12s", -(2**31), b"") + struct.pack("<i12s", 1, b"a")
    column = pa.Array.from_buffers(pa.string_view(), 2, [pa.py_buffer(b"\x02"), pa.py_buffer(views)])
    assert as_strings(column).array.to_pylist() == [None, "a"]


def test_nothing_lies_under_a_null():
    buffers = [pa.py_buffer(b"\x05"), pa.py_buffer(np.array([0, 2, 4, 6])), pa.py_buffer(b"ab\xff\xffcd")]
    strings = as_strings(pa.Array.from_buffers(pa.large_string(), 3, buffers))
    assert (strings.offsets.tolist(), bytes(strings.data)) == ([0, 2, 2, 4], b"abcd")
    assert bytes(as_strings(pa.array([b"ab", None], pa.binary(2))).data) == b"ab"


def test_a_view_that_points_nowhere_is_refused():
    views = struct.pack("<i4sii", 100, b"abcd", 7, 0)
    column = pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(views)])
    with pytest.raises(InputError, match="broken Arrow column"):
        as_strings(column)


def test_a_polars_categorical_is_text():
    assert as_strings(pl.Series(["a", None, "a"], dtype=pl.Categorical)).array.to_pylist() == ["a", None, "a"]


def test_one_text_is_no_column():
    with pytest.raises(InputError, match="'abc' is one text, not a column"):
        as_strings("abc")


TEXTS = pa.array(["one", "two", "one"])
# In a process of its own, which prints the name of a file before it may crash.
CONVERT_ALL = """
import sys
from salva.cli.main import main
for name in sys.argv[1:]:
    print(name, end=" ", flush=True)
    try:
        main(["transform", "--preset", "none", name, "-o", "out.csv", "--overwrite", "--quiet"])
    except SystemExit as stop:
        print(stop.code, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("column", [TEXTS, TEXTS.dictionary_encode()], ids=["strings", "dictionary"])
@pytest.mark.parametrize("declared", [1 << 40, -1, 2**63 - 1])
def test_50_lengths_and_sizes_that_an_arrow_file_lies_about_are_no_crash(tmp_path, column, declared):
    """Put a false number for every small one in the file: rows, buffer sizes, dictionary lengths."""
    whole = written(tmp_path / "a.arrow", pa.table({"text": column})).read_bytes()
    small = [struct.pack("<q", number) for number in (2, 3, 6, 9, 12, 16)]
    places = [i for i in range(0, len(whole) - 8, 4) if whole[i : i + 8] in small]
    for place in places:
        lie = whole[:place] + struct.pack("<q", declared) + whole[place + 8 :]
        (tmp_path / f"{place}.arrow").write_bytes(lie)
    command = [sys.executable, "-c", CONVERT_ALL, *(f"{place}.arrow" for place in places)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    codes = [int(line.split()[1]) for line in done.stdout.splitlines()]
    assert (len(codes), set(codes) - {0, 3}) == (len(places), set()), done.stdout
    said = done.stderr.splitlines()
    assert [line.startswith("salva: ") for line in said] == [True] * codes.count(3), done.stderr


def test_an_arrow_file_that_is_cut_while_it_is_read_is_an_error(tmp_path):
    table = pa.table({"text": ["x" * 1000] * 50_000})
    path = written(tmp_path / "a.arrow", pa.Table.from_batches(table.to_batches(max_chunksize=1000)))
    with open_rows(path) as rows:
        batches = iter(rows)
        next(batches)
        os.truncate(path, 100)
        with pytest.raises(InputError):
            list(batches)


@pytest.mark.slow
def test_rows_with_keys_of_their_own_take_linear_time_and_memory(tmp_path):
    (tmp_path / "a.jsonl").write_text("".join(f'{{"text": "a", "k{i}": 1}}\n' for i in range(20_000)))
    pass_through(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_text() == (tmp_path / "a.jsonl").read_text().replace(" ", "")
    with pytest.raises(InputError, match="over 10000 different keys"):
        pass_through(tmp_path / "a.jsonl", tmp_path / "b.csv")


@pytest.mark.parametrize("output", ["b.csv", "b.jsonl", "b.parquet"])
def test_bad_utf8_in_another_column_of_parquet_is_refused(salva, tmp_path, output):
    buffers = [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff")]
    table = pa.table({"text": ["a"], "n": pa.Array.from_buffers(pa.string(), 1, buffers)})
    pq.write_table(table, tmp_path / "a.parquet")
    assert refused(salva(*NONE, "a.parquet", "-o", output), "column 'n' is broken")


@pytest.mark.parametrize(
    ("column", "output"),
    [
        (pa.array([b"\xff"]), "b.csv"),
        (pa.array([b"\xff"]), "b.jsonl"),
        (pa.array([2**60], pa.timestamp("s")), "b.csv"),
        (pa.array([2**60], pa.timestamp("s")), "b.jsonl"),
        (pa.array([0], pa.timestamp("s", "No/Where")), "b.jsonl"),
        (pa.array([[b"\xff"]]), "b.jsonl"),
        (pa.array([[b"\xff"]]), "b.csv"),
        (pa.array([2**62], pa.timestamp("s")), "b.parquet"),
    ],
    ids=str,
)
def test_a_column_that_a_format_cannot_hold_is_named(salva, tmp_path, column, output):
    written(tmp_path / "a.arrow", pa.table({"text": ["a"], "odd": column}))
    outcome = salva(*NONE, "a.arrow", "-o", output)
    assert refused(outcome, f"{output}: ", "cannot be written as")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.arrow"]


def test_values_of_a_table_become_the_json_one_expects(tmp_path):
    row = {
        "text": "a",
        "nan": float("nan"),
        "list": [1.5, float("inf")],
        "bytes": b"abc",
        "day": datetime.date(2026, 11, 15),
        "deep": {"a": [float("nan")]},
    }
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    pass_through(tmp_path / "a.parquet", tmp_path / "b.jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text()) == {
        "text": "a",
        "nan": None,
        "list": [1.5, None],
        "bytes": "abc",
        "day": "2026-11-15",
        "deep": {"a": [None]},
    }


def bad_column(values):
    offsets = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return pa.Array.from_buffers(
        pa.string(), len(values), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(values))]
    )


def test_rows_are_dropped_beside_a_column_of_views(tmp_path):
    table = pa.table(
        {"text": bad_column([b"a", b"\xff", b"c"]), "n": pa.array(["1", "2", "3"], pa.string_view())}
    )
    written(tmp_path / "a.arrow", table)
    pass_through(tmp_path / "a.arrow", tmp_path / "b.csv", ReadOptions(on_bad_row="drop"))
    assert (tmp_path / "b.csv").read_text() == "text,n\na,1\nc,3\n"


@pytest.mark.parametrize(("policy", "out"), [("drop", 2), ("keep", 4)])
def test_two_texts_count_a_bad_row_once_and_by_its_own_number(tmp_path, policy, out):
    a = bad_column([b"1", b"\xff", b"3", b"\xff"])
    pq.write_table(pa.table({"a": a, "b": bad_column([b"1", b"\xff", b"3", b"4"])}), tmp_path / "a.parquet")
    manifest = pass_through(
        tmp_path / "a.parquet", tmp_path / "b.csv", ReadOptions(text_column="a,b", on_bad_row=policy)
    )
    assert [row.place for row in manifest.bad_rows] == [2, 4]
    assert (manifest.rows_in, manifest.rows_out) == (4, out)


def test_a_bad_json_row_is_counted_once(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"\xff","x":}\n{"text":"\xff\\ud800"}\n{"text":"fine"}\n')
    manifest = pass_through(tmp_path / "a.jsonl", tmp_path / "b.jsonl", ReadOptions(on_bad_row="keep"))
    assert (manifest.rows_in, manifest.rows_out, manifest.rows_rejected, manifest.rows_repaired) == (
        3,
        2,
        1,
        1,
    )
    assert [row.place for row in manifest.bad_rows] == [1, 2]


def test_half_a_surrogate_pair_beside_the_text_stays_in_json_and_nowhere_else(salva, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a", "x": "\\ud800"}\n')
    assert salva(*NONE, "a.jsonl", "-o", "b.jsonl").code == 0
    assert (tmp_path / "b.jsonl").read_text() == '{"text":"a","x":"\\ud800"}\n'
    assert refused(salva(*NONE, "a.jsonl", "-o", "b.csv"), "b.csv: column 'x' has half a surrogate pair")


def test_columns_may_be_called_like_our_own(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text,salva:line,salva:line end\na,b,c\n")
    for output in ("b.jsonl", "c.csv", "d.txt", "e.parquet"):
        assert salva(*NONE, "a.csv", "-o", output).code == 0
        assert texts(tmp_path / output) == ["a"]
    assert (tmp_path / "d.txt").read_text() == "a\n"
    assert salva(*NONE, "b.jsonl", "-o", "f.csv").code == 0
    assert (tmp_path / "f.csv").read_text() == (tmp_path / "a.csv").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--max-line-bytes", "99999999999999999999"],
        ["--delimiter", "\udcff"],
        ["--delimiter", "\n"],
        ["--encoding", "base64"],
        ["--encoding", "rot13"],
        ["--encoding", "\0"],
        ["--text-column", "text,text"],
    ],
    ids=ascii,
)
def test_odd_options_are_exit_2(salva, tmp_path, arguments):
    (tmp_path / "a.csv").write_text("text,n\na,b\n")
    outcome = salva(*NONE, "a.csv", "-o", "b.csv", *arguments)
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)


def test_the_longest_line_is_the_same_wherever_it_stands(salva, tmp_path):
    for name, content in {"a.txt": "x" * 500 + "\nend\n", "b.txt": "end\n" + "x" * 500}.items():
        (tmp_path / name).write_text(content)
        outcome = salva(*NONE, name, "-o", "c.txt", "--max-line-bytes", "100")
        assert refused(outcome, f"{name}:{1 if name == 'a.txt' else 2}: line is longer than 100 bytes")


def test_blank_lines_before_the_first_row_do_not_matter(salva, tmp_path):
    (tmp_path / "a.jsonl").write_text("\n" * 3_000_000 + '{"text": "a"}\n')
    assert salva(*NONE, "a.jsonl", "-o", "b.csv").code == 0
    assert texts(tmp_path / "b.csv") == ["a"]


def test_a_folder_has_one_order_and_may_have_odd_names(salva, tmp_path):
    for label in ("neg", "pos"):
        (tmp_path / "d" / label).mkdir(parents=True)
    for name in [b"b1.txt", b"a1.txt", b"\xff.txt", b"10.txt", b"9.txt"]:
        (tmp_path / "d/neg" / os.fsdecode(name)).write_bytes("é".encode("latin-1"))
    assert salva(*NONE, "d", "-o", "b.jsonl", "--encoding", "latin-1").code == 0
    assert texts(tmp_path / "b.jsonl") == ["é"] * 5
    ids = [json.loads(line)["id"] for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert ids == ["neg/\\xff", "neg/a1", "neg/b1", "neg/9", "neg/10"]


def test_a_file_of_a_folder_is_named_on_one_line(tmp_path):
    for label in ("neg", "pos"):
        (tmp_path / "d" / label).mkdir(parents=True)
    (tmp_path / "d/neg/\n.txt").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"row 1: neg/\\n\.txt: byte 0 is not utf-8"):
        pass_through(tmp_path / "d", tmp_path / "b.csv")


@pytest.mark.parametrize(("policy", "out"), [("drop", ["fine"]), ("keep", ["\ufffd", "fine"])])
def test_bad_bytes_in_a_folder_name_the_file(salva, tmp_path, policy, out):
    for label, content in {"neg": b"\xff", "pos": b"fine"}.items():
        (tmp_path / "d" / label).mkdir(parents=True)
        (tmp_path / "d" / label / "1.txt").write_bytes(content)
    assert refused(salva(*NONE, "d", "-o", "b.csv"), "d: row 1: neg/1.txt: byte 0 is not utf-8")
    assert salva(*NONE, "d", "-o", "b.csv", "--on-bad-row", policy).code == 0
    assert texts(tmp_path / "b.csv") == out


def test_a_text_with_a_line_break_is_no_line(salva, tmp_path):
    (tmp_path / "a.csv").write_text('text\n"two\nlines"\n')
    assert refused(salva(*NONE, "a.csv", "-o", "b.txt"), "b.txt: the text 'two\\nlines' has a line break")


def test_an_unknown_ending_asks_for_the_format(salva, tmp_path):
    (tmp_path / "a.dat").write_text("text\na\n")
    assert refused(salva(*NONE, "a.dat", "-o", "b.csv"), "a.dat: the format is unknown; pass --format")


def test_names_that_are_too_long_are_one_line(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text\na\n")
    for arguments in (
        ["x" * 300 + ".csv", "-o", "b.csv"],
        ["a.csv", "-o", "x" * 300 + ".csv"],
        ["a.csv", "-o", "x" * 250 + ".csv"],
    ):
        outcome = salva(*NONE, *arguments)
        assert (outcome.code, len(outcome.err.splitlines())) == (5, 1)
        assert "file name too long" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_manifest_that_cannot_be_written_leaves_no_output(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text\na\n")
    (tmp_path / "b.csv.manifest.json").mkdir()
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv"), "b.csv.manifest.json: is a folder")
    assert not (tmp_path / "b.csv").exists()


def test_a_manifest_is_not_overwritten_untold_and_never_when_it_is_the_input(salva, tmp_path):
    (tmp_path / "b.csv.manifest.json").write_text('{"text": "a"}')
    arguments = [*NONE, "b.csv.manifest.json", "--format", "jsonl", "-o", "b.csv", "--overwrite"]
    assert refused(salva(*arguments), "is the input itself")
    (tmp_path / "a.csv").write_text("text\na\n")
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv"), "b.csv.manifest.json: exists")


def test_a_read_error_names_the_input(salva):
    outcome = salva(*NONE, "/proc/self/mem", "--format", "txt", "-o", "b.txt")
    assert outcome.code in {3, 5}
    assert outcome.err.startswith("salva: /proc/self/mem: ")


@pytest.mark.slow
def test_a_wide_table_passes(tmp_path):
    pq.write_table(
        pa.table({"text": ["a"] * 20} | {f"c{i}": range(20) for i in range(5000)}), tmp_path / "a.parquet"
    )
    pass_through(tmp_path / "a.parquet", tmp_path / "b.csv")
    with (tmp_path / "b.csv").open() as stream:
        assert len(stream.readline().split(",")) == 5001
