"""Files that are wrong or odd; the numbers are those of the list of bad inputs."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from salva._show import number_of
from salva.errors import InputError
from salva.rows import open_rows
from tests.rows.passing import pass_through
from tests.rows.test_bad_bytes import NONE, refused, texts

TABLE = pa.table({"text": [f"review number {i} of many" for i in range(500)], "n": range(500)})


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.arrow", "a.txt"])
def test_31_an_empty_file(salva, tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    assert refused(salva(*NONE, name, "-o", "b.csv"), f"{name}: no rows; the file is empty")


def test_31_a_header_alone_gives_an_empty_output_and_a_warning(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\n")
    for output in ("b.csv", "b.parquet", "b.jsonl"):
        outcome = salva(*NONE, "a.csv", "-o", output)
        assert (outcome.code, outcome.err) == (0, "salva: warning: a.csv: no rows\n")
    assert (tmp_path / "b.csv").read_text() == "text,label\n"
    assert pq.read_table(tmp_path / "b.parquet").schema.names == ["text", "label"]


def test_32_what_is_no_readable_file_is_refused_before_any_work(salva, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    assert refused(salva(*NONE, "none.csv", "-o", "b.csv"), "none.csv: no such file")
    assert refused(salva(*NONE, "folder", "-o", "b.csv"), "folder: is a folder without neg/ and pos/")
    assert refused(salva(*NONE, "pipe.csv", "-o", "b.csv"), "pipe.csv: is a pipe; use - and --format")
    assert refused(salva(*NONE, "/dev/zero", "-o", "b.csv"), "/dev/zero: is not a regular file")


@pytest.mark.skipif(
    os.geteuid() == 0 and not Path("/usr/bin/setpriv").exists(), reason="root may read everything"
)
def test_32_a_file_without_permission(tmp_path):
    (tmp_path / "a.csv").write_text("text\nx\n")
    (tmp_path / "a.csv").chmod(0)
    command = [sys.executable, "-m", "salva", *NONE, tmp_path / "a.csv", "-o", tmp_path / "b.csv"]
    if os.geteuid() == 0:
        command = [
            "setpriv",
            "--bounding-set",
            "-dac_override,-dac_read_search",
            "--inh-caps",
            "-all",
            *command,
        ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "cannot be read" in done.stderr) == (3, True), done.stderr


@pytest.mark.parametrize(
    "name", ["a b.csv", "new\nline.csv", "📽.csv", "-lead.csv", "x" * 251 + ".csv", "CON.csv"]
)
def test_33_odd_names_work(salva, tmp_path, name):
    (tmp_path / name).write_text("text\nhello\n")
    outcome = salva(*NONE, "-o", "b.csv", "--", name)
    assert outcome.code == 0
    assert texts(tmp_path / "b.csv") == ["hello"]


def test_33_a_name_that_is_no_utf8_works(salva, tmp_path):
    name = os.fsdecode(b"caf\xe9.csv")
    (tmp_path / name).write_text("text\nhello\n")
    assert salva(*NONE, name, "-o", f"out-{name}").code == 0
    assert "caf\\udce9" in salva(*NONE, name, "-o", f"out-{name}").err


def test_34_the_first_bytes_tell_the_format(salva, tmp_path):
    pq.write_table(TABLE, tmp_path / "a.csv")
    outcome = salva(*NONE, "a.csv", "-o", "b.csv")
    assert (outcome.code, "a.csv is parquet by its first bytes" in outcome.err) == (0, True)
    (tmp_path / "c.parquet").write_text("text,n\nx,1\n")
    outcome = salva(*NONE, "c.parquet", "-o", "d.csv")
    assert refused(outcome, "c.parquet: is not a Parquet file (it begins with b'text')", "--format")
    assert salva(*NONE, "c.parquet", "-o", "d.csv", "--format", "csv").code == 0


@pytest.mark.parametrize("row", ["only one", "one,two,three"])
def test_35_a_ragged_row_is_named_by_its_line(salva, tmp_path, row):
    (tmp_path / "a.csv").write_text(f'text,n\n"two\nlines",1\n\n{row}\nlast,2\n')
    assert refused(
        salva(*NONE, "a.csv", "-o", "b.csv"), f"a.csv:5: {number_of(row.count(',') + 1, 'cell')}, not 2"
    )
    assert salva(*NONE, "a.csv", "-o", "b.csv", "--on-bad-row", "drop").code == 0
    assert texts(tmp_path / "b.csv") == ["two\nlines", "last"]


def test_35_keep_fills_missing_cells_and_rejects_extra_ones(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text,n\nshort\na,b,c\n")
    outcome = salva(*NONE, "a.csv", "-o", "b.csv", "--on-bad-row", "keep")
    assert "2 rows in, 1 out, 1 rejected, 1 repaired" in outcome.out
    assert (tmp_path / "b.csv").read_text() == "text,n\nshort,\n"


def test_36_an_open_quote_is_named_by_the_line_where_it_opened(salva, tmp_path):
    (tmp_path / "a.csv").write_text('text,n\n"a\nb",1\n"c ""d""\ne","never\nclosed\n')
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv"), "a.csv:5: the quote opened here is never closed")


@pytest.mark.parametrize("policy", ["fail", "keep", "drop"])
def test_36_text_after_a_closing_quote_is_always_refused_because_the_row_has_no_end(salva, tmp_path, policy):
    (tmp_path / "a.csv").write_text('text,n\nok,1\n"x"y,"multi\nfake,row\nend"\n')
    outcome = salva(*NONE, "a.csv", "-o", "b.csv", "--on-bad-row", policy)
    assert refused(outcome, "a.csv:3: broken quoting", "fix it by hand")


def test_37_quotes_and_newlines_in_cells(salva, tmp_path):
    (tmp_path / "a.csv").write_text('text,n\n"a\n""b"", c",1\nfive" disc,2\n')
    assert salva(*NONE, "a.csv", "-o", "b.csv").code == 0
    assert texts(tmp_path / "b.csv") == ['a\n"b", c', 'five" disc']


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_38_other_delimiters_are_found(salva, tmp_path, delimiter):
    (tmp_path / "a.csv").write_text(f"text{delimiter}n\na, b{delimiter}1\n")
    assert salva(*NONE, "a.csv", "-o", "b.jsonl").code == 0
    assert texts(tmp_path / "b.jsonl") == ["a, b"]


def test_38_one_column_is_a_warning_and_a_delimiter_can_be_named(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text:n\na:1\n")
    assert "only one column; pass --delimiter" in salva(*NONE, "a.csv", "-o", "b.csv").err
    assert salva(*NONE, "a.csv", "-o", "c.jsonl", "--delimiter", ":").err == ""
    assert texts(tmp_path / "c.jsonl") == ["a"]
    assert salva(*NONE, "a.csv", "-o", "d.csv", "--delimiter", "::").code == 2


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("text,n,text", "column 'text' occurs twice"),
        ("text,,n", "column 2 has no name"),
        ("txet,n,m", "no text column; columns: 'txet', 'n', 'm'"),
    ],
)
def test_39_bad_headers_are_refused(salva, tmp_path, header, message):
    (tmp_path / "a.csv").write_text(f"{header}\na,b,c\n")
    assert refused(salva("transform", "a.csv", "-o", "b.csv", "--preset", "typos"), message)


def test_39_the_nearest_column_is_suggested(salva, tmp_path):
    (tmp_path / "a.csv").write_text("review,n\na,b\n")
    outcome = salva(*NONE, "a.csv", "-o", "b.csv", "--text-column", "reviw")
    assert refused(outcome, "did you mean 'review'?")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a"', "a.jsonl:2: broken JSON: expected ',' or '}'"),
        ('{"text": "a', "a.jsonl:2: broken JSON: Unterminated string"),
        ("{'text': 1}", "a.jsonl:2: broken JSON: expected a key in quotes"),
        ('{"text": }', "a.jsonl:2: broken JSON: no value at column 10"),
        ('{"text" "a"}', "a.jsonl:2: broken JSON: expected ':'"),
        ('{"text": "a"} {"text": "b"}', "a.jsonl:2: broken JSON: more than one value"),
        ("[1]", "a.jsonl:2: broken JSON: expected an object, found '[1]'"),
        ('{"n": 1}', "a.jsonl:2: no 'text'"),
        ('{"text": 5}', "a.jsonl:2: 'text' is 5, not a string"),
        ('{"text": ["a"]}', "a.jsonl:2: 'text' is [\"a\"], not a string"),
        ('{"text": "a", "text": "b"}', "a.jsonl:2: broken JSON: key 'text' occurs twice"),
        ('{"text": "a", "n": NaN}', "a.jsonl:2: broken JSON: NaN is not a JSON number"),
        ('{"text": "a", "n": -Infinity}', "a.jsonl:2: broken JSON: -Infinity is not a JSON number"),
        ('{"text": "a", "n": ' + "1" * 5000 + "}", "a.jsonl:2: broken JSON: Exceeds the limit"),
        (
            '{"text": "a", "n": ' + "[" * 100_000 + "]" * 100_000 + "}",
            "a.jsonl:2: broken JSON: nested too deeply",
        ),
    ],
    ids=lambda value: value[:24],
)
def test_41_45_a_bad_line_is_named_and_can_be_dropped(salva, tmp_path, line, message):
    (tmp_path / "a.jsonl").write_text(f'{{"text": "first"}}\n{line}\n{{"text": "last"}}')
    assert refused(salva(*NONE, "a.jsonl", "-o", "b.jsonl"), message)
    assert salva(*NONE, "a.jsonl", "-o", "b.jsonl", "--on-bad-row", "drop").code == 0
    assert texts(tmp_path / "b.jsonl") == ["first", "last"]


def test_42_a_json_array_is_explained(salva, tmp_path):
    (tmp_path / "a.jsonl").write_text('[\n{"text": "a"}\n]\n')
    assert refused(salva(*NONE, "a.jsonl", "-o", "b.csv"), "is a JSON array, not JSON lines; convert it: jq")


def test_44_keys_may_vary_in_json_and_not_in_a_table_that_was_begun(salva, tmp_path):
    pad = "x" * (1 << 20)
    lines = [
        f'{{"text": "{pad}", "n": 1}}',
        '{"n": "1", "text": "b"}',
        f'{{"text": "{pad}"}}',
        '{"text": "c", "m": 1}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert salva(*NONE, "a.jsonl", "-o", "b.jsonl").code == 0
    assert texts(tmp_path / "b.jsonl")[1::2] == ["b", "c"]
    assert refused(salva(*NONE, "a.jsonl", "-o", "b.csv"), "column 'm' first appears after", "write jsonl")


@pytest.mark.parametrize("share", [0, 0.0005, 0.5, 0.99])
def test_46_a_cut_parquet_file_is_refused(salva, tmp_path, share):
    pq.write_table(TABLE, tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[: int(share * len(content))])
    outcome = salva(*NONE, "a.parquet", "-o", "b.csv")
    assert refused(outcome, "a.parquet: no rows" if share == 0 else "a.parquet: is cut off")


FLIP_BITS = """
import pathlib, random, sys
from salva.rows import open_rows
from salva.errors import InputError
whole, bad = pathlib.Path(sys.argv[1]).read_bytes(), pathlib.Path(sys.argv[2])
right = [f"review number {i} of many" for i in range(500)]
for seed in range(150):
    draw, content = random.Random(seed), bytearray(whole)
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    bad.write_bytes(content)
    try:
        with open_rows(bad) as rows:
            texts = [text for batch in rows for text in batch.column("text").to_pylist()]
        print(texts == right)
    except InputError:
        pass
"""


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_47_50_flipped_bits_are_never_a_crash_and_in_our_parquet_never_silent(salva, tmp_path, kind):
    pq.write_table(TABLE, tmp_path / "plain.parquet")
    assert salva(*NONE, "plain.parquet", "-o", f"a.{kind}").code == 0
    command = [sys.executable, "-c", FLIP_BITS, f"a.{kind}", f"b.{kind}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert kind == "arrow" or "False" not in done.stdout


@pytest.mark.parametrize(
    "kind",
    [pa.binary(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_48_texts_of_other_types_work(salva, tmp_path, kind):
    table = pa.table({"text": pa.array(["a", "é"]).cast(kind)})
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table)
    assert salva(*NONE, "a.arrow", "-o", "b.csv").code == 0
    assert texts(tmp_path / "b.csv") == ["a", "é"]


@pytest.mark.parametrize(
    "column", [pa.array([["a"]]), pa.array([{"a": "b"}]), pa.array([1.5])], ids=lambda c: str(c.type)
)
def test_48_columns_without_text_are_refused_by_their_type(salva, tmp_path, column):
    pq.write_table(pa.table({"text": column}), tmp_path / "a.parquet")
    assert refused(salva(*NONE, "a.parquet", "-o", "b.csv"), "column 'text'", "does not hold text")


@pytest.mark.slow
def test_49_many_row_groups_and_many_columns_work(salva, tmp_path):
    pq.write_table(TABLE, tmp_path / "groups.parquet", row_group_size=1)
    wide = pa.table({"text": ["a"]} | {f"c{i}": [i] for i in range(5000)})
    pq.write_table(wide, tmp_path / "wide.parquet")
    assert salva(*NONE, "groups.parquet", "-o", "b.csv").code == 0
    assert texts(tmp_path / "b.csv") == TABLE.column("text").to_pylist()
    assert salva(*NONE, "wide.parquet", "-o", "c.parquet").code == 0
    assert pq.read_table(tmp_path / "c.parquet").num_columns == 5001


def test_49_a_parquet_file_without_row_groups_is_empty(salva, tmp_path):
    with pq.ParquetWriter(tmp_path / "a.parquet", TABLE.schema):
        pass
    assert salva(*NONE, "a.parquet", "-o", "b.csv").code == 0
    assert (tmp_path / "b.csv").read_text() == "text,n\n"


def test_50_arrow_that_lies_is_refused(salva, tmp_path):
    offsets = pa.py_buffer(pa.array([0, 1 << 30, 3], pa.int32()).buffers()[1])
    lie = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    for name, columns in {"text": {"text": lie}, "other": {"text": pa.array(["a", "b"]), "n": lie}}.items():
        batch = pa.record_batch(columns)
        with pa.ipc.new_file(tmp_path / f"{name}.arrow", batch.schema) as writer:
            writer.write_batch(batch)
        assert refused(salva(*NONE, f"{name}.arrow", "-o", "b.csv"), f"{name}.arrow: ", "broken")
    (tmp_path / "c.arrow").write_bytes(b"ARROW1\0\0" + random.Random(0).randbytes(1000))
    assert refused(salva(*NONE, "c.arrow", "-o", "b.csv"), "c.arrow: is damaged, or not in Arrow format")


@pytest.mark.parametrize("ending", ["gz", "zst", "bz2"])
def test_51_packed_files_work_and_cut_ones_are_refused(salva, tmp_path, ending):
    pq.write_table(TABLE, tmp_path / "a.parquet")
    assert salva(*NONE, "a.parquet", "-o", f"b.csv.{ending}").code == 0
    assert texts(tmp_path / f"b.csv.{ending}") == TABLE.column("text").to_pylist()
    content = (tmp_path / f"b.csv.{ending}").read_bytes()
    (tmp_path / f"c.csv.{ending}").write_bytes(content[:-20])
    assert refused(salva(*NONE, f"c.csv.{ending}", "-o", "d.csv"), f"c.csv.{ending}: is cut off")
    assert not (tmp_path / "d.csv").exists()


@pytest.mark.slow
def test_51_a_bomb_is_refused(salva, tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress((b" " * 1023 + b"\n") * (200 << 10), 9))
    assert refused(salva(*NONE, "a.txt.gz", "-o", "b.txt"), "decompresses to over 200 times its size")


def test_51_a_packed_file_without_the_ending_is_unpacked(salva, tmp_path):
    (tmp_path / "a.csv").write_bytes(gzip.compress(b"text\nhello\n"))
    assert salva(*NONE, "a.csv", "-o", "b.csv").code == 0
    assert texts(tmp_path / "b.csv") == ["hello"]


def test_52_archives_are_never_unpacked(salva, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.csv", "w") as archive:
        archive.writestr("../evil.csv", "text\nx\n")
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv"), "is a zip archive; extract it first")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]


def test_53_a_folder_of_splits_is_explained(salva, tmp_path):
    (tmp_path / "acl/train/pos").mkdir(parents=True)
    assert refused(salva(*NONE, "acl", "-o", "b.csv"), "pass one of its folders (train)")


def test_55_duplicate_rows_are_both_kept(salva, tmp_path):
    (tmp_path / "a.csv").write_text("id,text\n1,same\n1,same\n")
    assert salva(*NONE, "a.csv", "-o", "b.csv").code == 0
    assert (tmp_path / "b.csv").read_text() == "id,text\n1,same\n1,same\n"


@pytest.mark.parametrize("output", ["a.csv", "./a.csv", "link.csv"])
def test_58_the_input_is_never_the_output(salva, tmp_path, output):
    (tmp_path / "a.csv").write_text("text\nhello\n")
    (tmp_path / "link.csv").symlink_to("a.csv")
    assert refused(salva(*NONE, "a.csv", "-o", output, "--overwrite"), "is the input itself")
    assert (tmp_path / "a.csv").read_text() == "text\nhello\n"


def test_59_an_existing_output_stands_unless_told(salva, tmp_path):
    (tmp_path / "a.csv").write_text("text\nhello\n")
    (tmp_path / "b.csv").write_text("old")
    assert refused(salva(*NONE, "a.csv", "-o", "b.csv"), "b.csv: exists; pass --overwrite")
    assert (tmp_path / "b.csv").read_text() == "old"
    assert salva(*NONE, "a.csv", "-o", "b.csv", "--overwrite").code == 0
    assert texts(tmp_path / "b.csv") == ["hello"]
    assert refused(salva(*NONE, "a.csv", "-o", "no/b.csv"), "there is no folder 'no'")
    assert salva(*NONE, "a.csv", "-o", "b.xyz").code == 2


def test_60_an_input_that_changes_is_refused_and_nothing_is_published(tmp_path):
    (tmp_path / "a.csv").write_text("text\n" + "hello\n" * 400_000)
    with open_rows(tmp_path / "a.csv") as rows:
        batches = iter(rows)
        next(batches)
        with (tmp_path / "a.csv").open("a") as stream:
            stream.write("more\n")
        with pytest.raises(InputError, match=r"a.csv: changed while it was being read"):
            list(batches)


def test_60_nothing_is_published_of_an_input_that_changes(tmp_path):
    (tmp_path / "a.csv").write_text("text\n" + "hello\n" * 400_000)

    def grow(count):
        with (tmp_path / "a.csv").open("a") as stream:
            stream.write("more\n")

    with pytest.raises(InputError, match=r"a.csv: changed while it was being read"):
        pass_through(tmp_path / "a.csv", tmp_path / "b.csv", progress=grow)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_54_without_an_id_the_row_number_is_the_key_and_the_manifest_says_so(tmp_path):
    (tmp_path / "a.csv").write_text("text,id\na,1\n")
    (tmp_path / "b.csv").write_text("text,n\na,1\n")
    assert pass_through(tmp_path / "a.csv", tmp_path / "c.csv").row_key == "column 'id'"
    assert pass_through(tmp_path / "b.csv", tmp_path / "d.csv").as_dict()["row_key"] == "row number"


def test_49_an_encrypted_parquet_file_is_refused(salva, tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PARE" + b"x" * 100 + b"PARE")
    assert refused(salva(*NONE, "a.parquet", "-o", "b.csv"), "is an encrypted Parquet file")
