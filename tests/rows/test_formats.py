"""Every format reads what it writes, and carries what it does not understand."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva.errors import UsageError
from salva.rows import ReadOptions, WriteOptions, open_rows, reviews
from salva.rows.jsonl import JsonlWriter, as_table
from salva.rows.read import FORMATS
from salva.rows.source import CODECS, Layout
from tests.rows.passing import pass_through

ROWS = [
    {"id": "1", "text": "plain", "label": "pos"},
    {"id": "02", "text": 'a "quoted", cell', "label": "1e5"},
    {"id": "", "text": "two\nlines\r\nand a \u2028 and \x0b", "label": "null"},
    {"id": "x", "text": "", "label": "true"},
    {"id": "é", "text": "NUL \x00, emoji 👩‍👩‍👧, tab\t; pipe |", "label": "2020-01-01"},
    {"id": " ", "text": "NA", "label": "-1"},
]
TABLES = [name for name, entry in FORMATS.items() if entry.has_columns]
ENDINGS = [*TABLES, *(f"{name}{end}" for name, end in zip(TABLES, itertools.cycle(CODECS), strict=False))]


def table_of(path, **options):
    with open_rows(path, ReadOptions(**options)) as rows:
        return pa.Table.from_batches([as_table(batch) for batch in rows])


@pytest.mark.parametrize("first", ENDINGS)
@pytest.mark.parametrize("second", ENDINGS)
def test_rows_survive_every_pair_of_formats(tmp_path, first, second):
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "a.parquet")
    pass_through(tmp_path / "a.parquet", tmp_path / f"b.{first}")
    pass_through(tmp_path / f"b.{first}", tmp_path / f"c.{second}")
    assert table_of(tmp_path / f"c.{second}").to_pylist() == ROWS


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff"), max_size=8)


@pytest.mark.slow
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1),
    st.sampled_from(TABLES),
)
def test_any_text_survives(tmp_path_factory, rows, kind):
    folder = tmp_path_factory.mktemp("any")
    table = pa.table({"text": [a for a, _ in rows], "other": [b for _, b in rows]})
    pq.write_table(table, folder / "a.parquet")
    pass_through(folder / "a.parquet", folder / f"b.{kind}")
    assert table_of(folder / f"b.{kind}").to_pylist() == table.to_pylist()


@pytest.mark.parametrize(
    "content",
    [
        b"one\ntwo\n",
        b"one\r\ntwo\nthree\r\n",
        b"no end",
        b"\xef\xbb\xbfmark\n\xef\xbb\xbfinside\n",
        b"\n\n \n",
        "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\x00\n".encode(),
        b"cr\rinside\nx\r\r\n",
        "é".encode() * (1 << 20) + b"\r\nlast",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_text_file_is_given_back_byte_for_byte(tmp_path, content):
    (tmp_path / "a.txt").write_bytes(content)
    pass_through(tmp_path / "a.txt", tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_bytes() == content


LINE = (
    '{"n": 1.50, "text": "caf\\u00e9", "big": 123456789012345678901234567890, "deep": {"a": [1,  2.0, null]}}'
)


def test_json_values_are_carried_as_they_stand(tmp_path):
    other = '{"text": "b", "extra": "\\ud83d", "n": 1e5}'
    (tmp_path / "a.jsonl").write_text(f"{LINE}\n\n{other}", "utf-8")
    pass_through(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    lines = (tmp_path / "b.jsonl").read_text("utf-8").splitlines()
    values = '"big":123456789012345678901234567890,"deep":{"a": [1,  2.0, null]}'
    assert lines == [f'{{"n":1.50,"text":"café",{values}}}', '{"text":"b","extra":"\\ud83d","n":1e5}']


def test_json_keys_keep_the_order_of_their_row_wherever_batches_end(tmp_path):
    pad = "x" * 700_000
    rows = [{"a": 1, "text": pad}, {"text": pad, "a": 2}, {"b": 0, "text": "t", "a": 3}, {"text": pad}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pass_through(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    written = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert [list(row.items()) for row in written] == [list(row.items()) for row in rows]


def test_changed_texts_and_new_columns_of_json_rows(tmp_path):
    content = b'{ "b": "2" , "n": 1.0, "a": "1" }\r\n{"a": null, "b": "4"}\n'
    (tmp_path / "a.jsonl").write_bytes(content)
    with open_rows(tmp_path / "a.jsonl", ReadOptions(text_column="a,b")) as rows:
        batch = next(iter(rows))
    batch = batch.set_column(0, batch.schema.field(0), pa.array(["ä", None], pa.large_string()))
    batch = batch.append_column("new", pa.array([1, 2]))
    written = io.BytesIO()
    JsonlWriter(written, "a", Layout()).write(batch)
    assert written.getvalue().decode() == ('{"b":"2","n":1.0,"a":"ä","new":1}\n{"a":null,"b":"4","new":2}\n')
    assert as_table(batch).to_pylist() == [
        {"b": "2", "n": "1.0", "a": "ä", "new": 1},
        {"b": "4", "n": None, "a": None, "new": 2},
    ]


def test_json_becomes_columns_of_strings(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        '{"text": "a", "n": 1.0, "s": "1"}\n{"text": "b", "n": null, "s": [true]}\n'
    )
    pass_through(tmp_path / "a.jsonl", tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == "text,n,s\na,1.0,1\nb,,[true]\n"


def test_typed_columns_pass_through(tmp_path):
    table = pa.table({"text": pa.array(["a", None]).dictionary_encode(), "n": [1, 2], "l": [[1.5], None]})
    pq.write_table(table, tmp_path / "a.parquet")
    pass_through(tmp_path / "a.parquet", tmp_path / "b.arrow")
    pass_through(tmp_path / "b.arrow", tmp_path / "c.parquet")
    back = pq.read_table(tmp_path / "c.parquet")
    assert back.to_pylist() == table.to_pylist()
    assert back.schema.types[1:] == table.schema.types[1:]
    pass_through(tmp_path / "c.parquet", tmp_path / "d.jsonl")
    assert (tmp_path / "d.jsonl").read_text().splitlines()[0] == '{"text":"a","n":1,"l":[1.5]}'


def test_an_arrow_stream_is_read_too(tmp_path):
    batch = pa.record_batch({"text": ["a", "b"]})
    with pa.ipc.new_stream(tmp_path / "a.arrow", batch.schema) as writer:
        writer.write_batch(batch)
    assert table_of(tmp_path / "a.arrow").to_pylist() == batch.to_pylist()


def test_parquet_is_written_with_page_checksums(tmp_path):
    convert_text(tmp_path, "hello " * 1000)
    content = bytearray((tmp_path / "b.parquet").read_bytes())
    content[40] ^= 1
    (tmp_path / "b.parquet").write_bytes(content)
    with pytest.raises(ValueError, match=r"b.parquet: is damaged"):
        table_of(tmp_path / "b.parquet")


def convert_text(folder, text):
    (folder / "a.txt").write_text(text)
    return pass_through(folder / "a.txt", folder / "b.parquet")


def test_a_folder_in_the_layout_of_aclimdb_is_a_data_set(tmp_path):
    for name in [
        "neg/10_2.txt",
        "neg/9_1.txt",
        "pos/0_10.txt",
        "pos/.hidden.txt",
        "pos/_SUCCESS",
        "unsup/1_0.txt",
    ]:
        (tmp_path / "d" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "d" / name).write_text(f"{name}\nsecond line")
    rows = table_of(tmp_path / "d").to_pylist()
    assert [(row["id"], row["label"]) for row in rows] == [
        ("neg/9_1", "neg"),
        ("neg/10_2", "neg"),
        ("pos/0_10", "pos"),
    ]
    assert rows[0]["text"] == "neg/9_1.txt\nsecond line"


def test_standard_input_and_output(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"text,n\na,1\n")))
    pass_through("-", "-", ReadOptions(format="csv"), output=WriteOptions(format="jsonl"))
    assert capfdbinary.readouterr().out == b'{"text":"a","n":"1"}\n'


@pytest.mark.parametrize("kind", ["parquet", "arrow", "csv.gz"])
def test_standard_input_may_be_columnar_or_packed(tmp_path, monkeypatch, kind):
    (tmp_path / "a.csv").write_text("text\nhello\n")
    pass_through(tmp_path / "a.csv", tmp_path / f"b.{kind}")
    with (tmp_path / f"b.{kind}").open("rb") as stream:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        assert table_of("-", format=kind).to_pylist() == [{"text": "hello"}]


def test_the_bundled_reviews_are_balanced_and_distinct():
    both = [reviews(split) for split in ("train", "test")]
    texts = [text for table in both for text in table.column("text").to_pylist()]
    assert len(set(texts)) == len(texts) >= 480
    for table in both:
        assert table.num_rows >= 240
        assert table.column("label").to_pylist().count("positive") * 2 == table.num_rows
        assert len(set(table.column("id").to_pylist())) == table.num_rows


def test_an_unknown_split_is_refused():
    with pytest.raises(UsageError, match="split 'dev' is unknown"):
        reviews("dev")


def test_no_two_formats_begin_with_the_same_bytes():
    magics = [entry.magic for entry in FORMATS.values() if entry.magic]
    assert not any(a.startswith(b) for a, b in itertools.permutations(magics, 2))


def test_a_packed_parquet_file_is_on_the_disk_only_while_it_is_read(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", os.fspath(scratch))
    pq.write_table(pa.table({"text": ["a", "b"]}), tmp_path / "a.parquet")
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    with open_rows(tmp_path / "a.parquet.gz") as rows:
        assert sum(batch.num_rows for batch in rows) == 2
        assert any(scratch.iterdir())
    assert not any(scratch.iterdir())
