"""Arrow and msgspec read plain rows, and find the same as Python's csv and json, which read the rest."""

from __future__ import annotations

import csv
import io
import json

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from salva.errors import SalvaError
from salva.rows import ReadOptions, WriteOptions, open_rows
from salva.rows.jsonl import as_table
from tests.rows.passing import pass_through

CELLS = [
    "",
    "a",
    "é",
    '"a"',
    '"a,b"',
    '"a""b"',
    '""""',
    '"a\nb"',
    '"a\r\nb"',
    'a"b',
    '"a"b',
    '"',
    "\r",
    " ",
    "\x00",
]
ENDS = ["\n", "\r\n", "\n\n", ""]
JSON_LINES = [
    '{"text": "a"}',
    '{"text": "caf\\u00e9 \\ud83d\\ude00 \\"q\\" \\n\\t\\\\ \\/ \\b\\f\\r", "label": 1.50}',
    '{"text": "é \U0001f600 \x7f\u2028", "id": "x"}',
    '{"text": null, "label": null}',
    ' { "label" : [1, {"a": []}, {}, -0.5e+3, true, false] ,\t"text":"b" } \r',
    '{"text": "half \\ud83d"}',
    '{"text": "half \\ude00\\ud83d"}',
    '{"te\\u0078t": "escaped key"}',
    '{"text": "a", "text": "b"}',
    '{"text": 3}',
    '{"label": "no text"}',
    "{}",
    "[]",
    "",
    "  ",
    '{"text": "a",}',
    '{"text": "a"',
    '{"text": "a"} x',
    '{"text": "a", "n": 01}',
    '{"text": "a", "n": NaN}',
    '{"text": "a", "n": 1.}',
    '{"text": "a", "n": -}',
    '{"text": "a", "n": +1}',
    '{"text": "a", "n": tru}',
    '{"text": "a", "n": [1,]}',
    '{"text": "a", "n": {"a" 1}}',
    '{"text": "a", "n": [}',
    '{"text": "tab\there"}',
    '{"text": "bad \\x"}',
    '{"text": "bad \\u12"}',
    '{"text": "open}',
    '{"text": "a", "n": ' + "[" * 70 + "]" * 70 + "}",
    '{"text": "a", "n": ' + "7" * 4_500 + "}",
    '{"text": "a", ' + ", ".join(f'"k{i}": {i}' for i in range(80)) + "}",
]


def refuse(line):
    raise msgspec.DecodeError


def use_python_alone(patch):
    """Make Python's `csv` and `json` read everything."""
    patch.setattr("salva.rows.delimited._find_plain_end", lambda data, delimiter: 0)
    patch.setattr("salva.rows.jsonl._decode", refuse)


def read(path, **options):
    """Return the rows of a file, or what is wrong with it."""
    try:
        with open_rows(path, ReadOptions(**options)) as rows:
            found = [row for batch in rows for row in as_table(batch).to_pylist()]
            return rows.columns, found, rows.bad.listed
    except SalvaError as error:
        return str(error)


def both(work, size=1 << 20):
    """Return what some work gives as usual, and by Python alone."""
    found = []
    for use in (lambda patch: None, use_python_alone):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("salva.rows.source.BLOCK_BYTES", size)
            use(patch)
            found.append(work())
    return found


rows_of_cells = st.lists(
    st.tuples(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4), st.sampled_from(ENDS)), max_size=8
)


@settings(max_examples=200)
@given(
    rows=rows_of_cells,
    size=st.sampled_from([5, 40, 1 << 20]),
    policy=st.sampled_from(["fail", "keep", "drop"]),
)
@example(rows=[(["a", '"b'], "\n"), (["c", 'd"'], "\n")], size=5, policy="drop")
def test_plain_rows_of_csv_are_those_of_python(rows, size, policy, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_bytes(b"text,label\n" + "".join(",".join(cells) + end for cells, end in rows).encode())
    usual, slow = both(lambda: read(path, on_bad_row=policy), size)
    assert usual == slow


@settings(max_examples=200)
@given(
    lines=st.lists(st.sampled_from(JSON_LINES), max_size=8),
    size=st.sampled_from([5, 200, 1 << 20]),
    policy=st.sampled_from(["fail", "keep", "drop"]),
    text=st.sampled_from(["text", "label,text"]),
)
@example(lines=['{"text": 3}', "[]", '{"text": "a"}'], size=5, policy="fail", text="text")
@example(lines=['{"text": "a", "half": "\\ud83d"}'], size=200, policy="fail", text="text")
def test_lines_of_json_are_those_of_python(lines, size, policy, text, tmp_path_factory):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_text("\n".join(['{"label": "first", "text": "a", "id": 2}', *lines]))
    usual, slow = both(lambda: read(path, on_bad_row=policy, text_column=text), size)
    assert usual == slow


@pytest.mark.parametrize("line", JSON_LINES)
def test_every_odd_line_is_read_and_written_as_by_python(line, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "first"}}\n{line}\n')

    def written():
        made = pass_through(
            path, tmp_path / "b.jsonl", ReadOptions(on_bad_row="drop"), output=WriteOptions(overwrite=True)
        )
        return (tmp_path / "b.jsonl").read_bytes(), made.bad_rows

    usual, slow = both(written)
    assert usual == slow


def test_bad_json_lines_are_listed_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": 3}\n[]\n{"text": "b"}\n{}\n{"text": "a",}\n')
    made = pass_through(path, tmp_path / "b.jsonl", ReadOptions(on_bad_row="drop"))
    assert (made.rows_in, [row.place for row in made.bad_rows]) == (6, [2, 3, 5, 6])


def test_a_first_block_of_bad_json_lines_is_listed_once(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text('{]\n{"text": "a"}\n')
    monkeypatch.setattr("salva.rows.source.BLOCK_BYTES", 1)
    made = pass_through(path, tmp_path / "b.jsonl", ReadOptions(on_bad_row="drop"))
    assert (made.rows_in, [row.place for row in made.bad_rows]) == (2, [1])


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_file_as_we_write_it_comes_back_byte_for_byte(kind, tmp_path):
    rows = pa.table({"text": [f'é {i}, "quoted"\n{i}' for i in range(80_000)], "n": ["1"] * 80_000})
    pq.write_table(rows, tmp_path / "a.parquet")
    pass_through(tmp_path / "a.parquet", tmp_path / f"b.{kind}")
    made = pass_through(tmp_path / f"b.{kind}", tmp_path / f"c.{kind}")
    assert made.output_digest == made.input_digest
    assert made.rows_out == 80_000


@given(numbers=st.lists(st.none() | st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=4))
def test_numbers_and_truth_values_are_written_as_python_writes_them(numbers, tmp_path_factory):
    path = tmp_path_factory.mktemp("typed") / "a.parquet"
    flags = [None if number is None else number > 0 for number in numbers]
    pq.write_table(pa.table({"text": ["a"] * len(numbers), "n": numbers, "flag": flags}), path)
    pass_through(path, path.with_suffix(".jsonl"))
    found = path.with_suffix(".jsonl").read_text()
    rows = [{"text": "a", "n": n, "flag": flag} for n, flag in zip(numbers, flags, strict=True)]
    assert found == "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(rows=st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=6))
def test_csv_is_read_as_python_reads_it_and_written_as_python_reads_it(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    written = io.StringIO(newline="")
    csv.writer(written).writerows([["text", "label"], *rows])
    path.write_bytes(written.getvalue().encode())
    _, found, _ = read(path)
    assert [[row["text"], row["label"]] for row in found] == rows
    pass_through(path, path.with_name("b.csv"))
    with path.with_name("b.csv").open(newline="", encoding="utf-8") as stream:
        assert list(csv.reader(stream, strict=True)) == [["text", "label"], *rows]
