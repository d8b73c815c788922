"""Large files are read and written by kernels, with the same rows, bytes and messages as small ones."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from salva.errors import SalvaError
from salva.rows import ReadOptions, WriteOptions, convert, open_rows

NEVER = 1 << 40
USERS = ("delimited", "jsonl", "keys")
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


def read(path, large, monkeypatch, **options):
    """Return the rows of a file, or what is wrong with it."""
    for user in USERS:
        monkeypatch.setattr(f"salva.rows.{user}.LARGE_BYTES", large)
    try:
        with open_rows(path, ReadOptions(**options)) as rows:
            table = pa.Table.from_batches(list(rows))
            return table.schema, table.to_pylist(), rows.bad.rejected
    except SalvaError as error:
        return str(error)


@pytest.fixture
def small_blocks(monkeypatch):
    """Return a function that makes files come in blocks of so many bytes."""
    return lambda size: monkeypatch.setattr("salva.rows.source.BLOCK_BYTES", size)


rows_of_cells = st.lists(
    st.tuples(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4), st.sampled_from(ENDS)), max_size=8
)


@settings(max_examples=100)
@given(
    rows=rows_of_cells,
    size=st.sampled_from([5, 40, 1 << 20]),
    policy=st.sampled_from(["fail", "keep", "drop"]),
)
@example(rows=[(["a", "b"], "\n")] * 5, size=1 << 20, policy="fail")
@example(rows=[(["a", '"b'], "\n"), (["c", 'd"'], "\n")], size=5, policy="drop")
def test_a_large_csv_file_is_read_like_a_small_one(rows, size, policy, tmp_path_factory):
    body = "".join(",".join(cells) + end for cells, end in rows)
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_bytes(b"text,label\n" + body.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.rows.source.BLOCK_BYTES", size)
        assert read(path, 1, patch, on_bad_row=policy) == read(path, NEVER, patch, on_bad_row=policy)


@settings(max_examples=100)
@given(
    lines=st.lists(st.sampled_from(JSON_LINES), max_size=8),
    size=st.sampled_from([5, 200, 1 << 20]),
    policy=st.sampled_from(["fail", "keep", "drop"]),
)
@example(lines=['{"text": 3}', "[]", '{"text": "a"}'], size=5, policy="fail")
def test_a_large_json_lines_file_is_read_like_a_small_one(lines, size, policy, tmp_path_factory):
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_text("\n".join(['{"text": "first", "label": 1, "id": 2}', *lines]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.rows.source.BLOCK_BYTES", size)
        assert read(path, 1, patch, on_bad_row=policy) == read(path, NEVER, patch, on_bad_row=policy)


@pytest.mark.parametrize("line", JSON_LINES)
def test_every_odd_line_is_read_like_alone(line, tmp_path, monkeypatch, small_blocks):
    small_blocks(5)
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "first"}}\n{line}\n')
    assert read(path, 1, monkeypatch) == read(path, NEVER, monkeypatch)


def written(source, target, large, monkeypatch, **options):
    """Return what a file becomes, with its counts, or what is wrong with it."""
    for user in USERS:
        monkeypatch.setattr(f"salva.rows.{user}.LARGE_BYTES", large)
    options = ReadOptions(**{"on_bad_row": "drop"} | options)
    try:
        made = convert(source, target, options, output=WriteOptions(overwrite=True))
        return target.read_bytes(), made.rows_in, made.bad_rows, made.output_digest
    except SalvaError as error:
        return str(error)


@given(
    rows=rows_of_cells,
    size=st.sampled_from([5, 40, 1 << 20]),
    policy=st.sampled_from(["fail", "keep", "drop"]),
    kind=st.sampled_from(["csv", "tsv"]),
    most=st.sampled_from([10, 1 << 20]),
)
@example(rows=[(["a", '"bb\nbb\nbb\nbb"'], "\n")] * 3, size=1 << 20, policy="fail", kind="csv", most=10)
@example(rows=[(["a", '"b'], "\n"), (["c", 'd"'], "\n")], size=5, policy="drop", kind="csv", most=1 << 20)
def test_csv_is_copied_as_it_is_read_and_written(rows, size, policy, kind, most, tmp_path_factory):
    path = tmp_path_factory.mktemp("copy") / f"a.{kind}"
    path.write_bytes(b"text,label\n" + "".join(",".join(cells) + end for cells, end in rows).encode())
    options = {"delimiter": ",", "on_bad_row": policy, "max_line_bytes": most}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.rows.source.BLOCK_BYTES", size)
        fast, slow = (
            written(path, path.with_name(f"b.{kind}"), large, patch, **options) for large in (1, NEVER)
        )
    assert fast == slow


@pytest.mark.slow
@given(
    lines=st.lists(st.sampled_from(JSON_LINES), max_size=8),
    size=st.sampled_from([5, 200, 1 << 20]),
    policy=st.sampled_from(["fail", "keep", "drop"]),
    text=st.sampled_from(["text", "label,text"]),
)
@example(lines=JSON_LINES, size=1 << 20, policy="drop", text="text")
@example(lines=JSON_LINES, size=1 << 20, policy="keep", text="text")
def test_json_lines_are_copied_as_they_are_read_and_written(lines, size, policy, text, tmp_path_factory):
    path = tmp_path_factory.mktemp("copy") / "a.jsonl"
    path.write_text("\n".join(['{"label": "\\u00e9", "text": "a"}', *lines]))
    options = {"text_column": text, "on_bad_row": policy}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.rows.source.BLOCK_BYTES", size)
        fast, slow = (
            written(path, path.with_name("b.jsonl"), large, patch, **options) for large in (1, NEVER)
        )
    assert fast == slow


@pytest.mark.parametrize("large", [1, NEVER])
def test_bad_json_lines_are_listed_in_the_order_of_the_file(large, tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": 3}\n[]\n{"text": "b"}\n{}\n{"text": "a",}\n')
    _, rows, bad, _ = written(path, tmp_path / "b.jsonl", large, monkeypatch)
    assert (rows, [row.place for row in bad]) == (6, [2, 3, 5, 6])


@pytest.mark.parametrize("large", [1, NEVER])
def test_a_first_block_of_bad_json_lines_is_listed_once(large, tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text('{]\n{"text": "a"}\n')
    monkeypatch.setattr("salva.rows.source.BLOCK_BYTES", 1)
    _, rows, bad, _ = written(path, tmp_path / "b.jsonl", large, monkeypatch)
    assert (rows, [row.place for row in bad]) == (2, [1])


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_file_as_we_write_it_is_copied_byte_for_byte(kind, tmp_path):
    rows = pa.table({"text": [f'é {i}, "quoted"\n{i}' for i in range(8_000)], "n": ["1"] * 8_000})
    pq.write_table(rows, tmp_path / "a.parquet")
    convert(tmp_path / "a.parquet", tmp_path / f"b.{kind}")
    made = convert(tmp_path / f"b.{kind}", tmp_path / f"c.{kind}")
    assert made.output_digest == made.input_digest
    assert (tmp_path / f"c.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert made.rows_out == 8_000


HALF = '{"text": "a", "half": "\\ud83d"}'


@pytest.mark.slow
@given(lines=st.lists(st.sampled_from(JSON_LINES), max_size=8), size=st.sampled_from([200, 1 << 20]))
@example(lines=[HALF], size=1 << 20)
@example(lines=['{"text": "a", "k": "b", "half": "c"}', HALF], size=1 << 20)
@example(lines=['{"b": "\\u00e9", "é": [1, "\\n"], "text": "a"}'] * 2, size=1 << 20)
def test_json_lines_become_the_same_columns_with_and_without_kernels(lines, size, tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    (folder / "a.jsonl").write_text("\n".join(['{"text": "first", "label": 1, "id": 2}', *lines]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.rows.source.BLOCK_BYTES", size)
        fast, slow = (written(folder / "a.jsonl", folder / "a.csv", large, patch) for large in (1, NEVER))
    assert fast == slow


@given(numbers=st.lists(st.none() | st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=4))
def test_numbers_and_truth_values_are_written_as_python_writes_them(numbers, tmp_path_factory):
    path = tmp_path_factory.mktemp("typed") / "a.parquet"
    flags = [None if number is None else number > 0 for number in numbers]
    pq.write_table(pa.table({"text": ["a"] * len(numbers), "n": numbers, "flag": flags}), path)
    convert(path, path.with_suffix(".jsonl"))
    found = path.with_suffix(".jsonl").read_text()
    rows = [{"text": "a", "n": n, "flag": flag} for n, flag in zip(numbers, flags, strict=True)]
    assert found == "".join(json.dumps(row) + "\n" for row in rows)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.mark.slow
@given(
    rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=6),
    output=st.sampled_from(["csv", "jsonl", "tsv"]),
)
def test_large_batches_are_written_like_small_ones(rows, output, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    (folder / "a.jsonl").write_text("".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in rows))
    with pytest.MonkeyPatch.context() as patch:
        for large in (1, NEVER):
            for user in USERS:
                patch.setattr(f"salva.rows.{user}.LARGE_BYTES", large)
            convert(folder / "a.jsonl", folder / f"{large}.{output}")
    assert (folder / f"1.{output}").read_bytes() == (folder / f"{NEVER}.{output}").read_bytes()


@given(rows=st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=6))
def test_csv_is_read_as_python_reads_it(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    written = io.StringIO(newline="")
    csv.writer(written).writerows([["text", "label"], *rows])
    path.write_bytes(written.getvalue().encode())
    with pytest.MonkeyPatch.context() as patch:
        _, found, _ = read(path, 1, patch)
    assert [[row["text"], row["label"]] for row in found] == rows
