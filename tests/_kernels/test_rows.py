"""Kernels that read and write rows, against Python's csv and json."""

from __future__ import annotations

import csv
import io
import json
from json.encoder import encode_basestring

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from salva.rows.cells import PlainRows, encode_plain
from salva.rows.lines import AT_END, Insertion, PlainLines, encode_strings, put_into_lines

cells = st.text(st.sampled_from('ab,"\n\r é\U0001f600'), max_size=20)
tables = st.lists(st.lists(cells, min_size=3, max_size=3), max_size=5)
texts = st.lists(
    st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20), min_size=1, max_size=5
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def column(values):
    return pa.array(values, pa.large_string())


@given(rows=tables)
def test_cells_are_those_of_python(rows):
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    columns, end = PlainRows(",", 3).read(written.getvalue().encode(), 0)
    assert [list(row) for row in zip(*(column.to_pylist() for column in columns), strict=True)] == rows
    assert end == len(written.getvalue().encode())


@given(rows=tables.filter(bool))
def test_python_reads_written_cells(rows):
    data = encode_plain([column(cells) for cells in zip(*rows, strict=True)], ",")
    assert list(csv.reader(io.StringIO(bytes(data).decode(), newline=""), strict=True)) == rows


raw_cells = cells.map(lambda cell: '"' + cell.replace('"', '""') + '"') | st.sampled_from(
    ["", "a", 'a"b""', "a long cell without quotes, é".replace(",", ";"), 'one with a quote at its end"']
)


def as_written(cell, alone):
    """Return a cell with quotes only if it needs them."""
    needed = any(mark in cell for mark in ',"\r\n') or (alone and not cell)
    return '"' + cell.replace('"', '""') + '"' if needed else cell


@given(
    rows=st.integers(1, 3).flatmap(
        lambda n: st.lists(st.lists(raw_cells, min_size=n, max_size=n), max_size=5)
    ),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\n\n"]), min_size=5, max_size=5),
)
def test_copied_rows_are_what_python_reads_and_writes(rows, ends):
    width = len(rows[0]) if rows else 1
    data = "".join(",".join(row) + end for row, end in zip(rows, ends, strict=False)).encode()
    copied, end = PlainRows(",", width).copy(data, 0, len(data))
    read = [row for row in csv.reader(io.StringIO(data.decode(), newline=""), strict=True) if row]
    lines = [",".join(as_written(cell, width == 1) for cell in row) + "\n" for row in read]
    assert [line for column in copied for line in column.to_pylist()] == lines
    assert end == len(data)


def test_copying_rows_stops_before_a_row_that_is_odd_or_long():
    rows = PlainRows(",", 2)
    for data, end in {b"a,b\nc\nd,e\n": 4, b"a,b\nc,ddd\n": 4, b"a,b\nc,d": 4, b'"a"b,c\n': 0}.items():
        copied, place = rows.copy(data, 0, 5)
        assert (b"".join(bytes(part.buffers()[2]) for part in copied), place) == (data[:end], end)


@given(texts=texts, other=values, ascii=st.booleans())
def test_texts_and_values_are_those_of_python(texts, other, ascii):  # noqa: A002
    rows = [{"x": other, "text": text, "label": other} for text in texts]
    lines = [json.dumps(row, ensure_ascii=ascii) for row in rows]
    data = "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")
    (decoded, labels, kept, starts, stops), end = PlainLines(["text"], ["label"], placed=1).read(data, 0)
    assert end == len(data)
    assert decoded.to_pylist() == texts
    assert labels.to_pylist() == [json.dumps(other, ensure_ascii=ascii)] * len(texts)
    assert kept.to_pylist() == lines
    for line, start, stop, text in zip(lines, starts.to_pylist(), stops.to_pylist(), texts, strict=True):
        assert json.loads(line.encode()[start:stop]) == text


PIECES = [*"ab é\U0001f600\x7f", "long enough for eight bytes at a time"]
PIECES += [
    r"\"",
    r"\\\\",
    r"\/",
    r"\b",
    r"\f",
    r"\n",
    r"\r",
    r"\t",
    r"\u0041",
    r"\u00e9",
    r"\u20AC",
    r"\u0022",
    r"\u005c",
]
PIECES += [r"\u000A", r"\u000b", r"\u001F", r"\u001f", r"\u0000", r"\u007f", r"\ud83d\ude00", r"\uD83D\uDE00"]
raw_texts = st.just("null") | st.lists(st.sampled_from(PIECES), max_size=8).map(
    lambda some: f'"{"".join(some)}"'
)


@given(
    rows=st.lists(st.tuples(raw_texts, raw_texts, st.booleans()), max_size=5),
    other=values,
    blank=st.sampled_from(["", "\n", " \t\r\n"]),
    last=st.sampled_from(["", "\n"]),
)
def test_copied_lines_have_their_texts_as_python_encodes_them(rows, other, blank, last):
    def line(first, second, turned):
        a, b = f'"a": {first}', f' "b" :{second}'
        return f'{{{b if turned else a}, "x": {json.dumps(other)} ,{a if turned else b}}} \r'

    def encoded(raw):
        return raw if raw == "null" else encode_basestring(json.loads(raw))

    data = ("\n" + blank).join(line(*row) for row in rows) + last
    copied, end = PlainLines(["a", "b"], []).copy(data.encode())
    expected = [line(encoded(a), encoded(b), turned) + "\n" for a, b, turned in rows]
    assert [found for column in copied for found in column.to_pylist()] == expected
    assert end == len(data.encode())


def test_copying_lines_stops_before_a_line_that_is_odd():
    good = b'{"a": "x"}\n'
    for odd in (b'{"b": 1}', b'{"a": 1}', rb'{"a": "\ud83d"}', b'{"a": "x"} x', b'{"a": "x', b"[]", b"{}"):
        [copied], end = PlainLines(["a"], []).copy(good + odd + b"\n" + good)
        assert (copied.to_pylist(), end) == ([good.decode()], len(good))


@given(texts=texts)
def test_strings_are_encoded_as_by_python(texts):
    expected = ["null" if text is None else encode_basestring(text) for text in texts]
    assert encode_strings(column(texts)).to_pylist() == expected


def test_columns_go_to_their_places_in_a_line():
    lines = column(['{"b": 1, "a": "é"} ', '{"a": 2, "b": 3}'])
    numbers = [pa.array(places).to_numpy() for places in ([14, 6], [18, 7], [6, 14], [7, 15], [AT_END] * 2)]
    a, a_end, b, b_end, end = numbers
    put = put_into_lines(
        lines,
        [
            Insertion("", column(["A", "AA"]), a, a_end),
            Insertion("", column(["B", "BB"]), b, b_end),
            Insertion(', "c": ', column(["C", "CC"]), end, end),
            Insertion(', "d": ', column(["D", "DD"]), end, end),
        ],
    )
    assert bytes(put).decode() == '{"b": B, "a": A, "c": C, "d": D} \n{"a": AA, "b": BB, "c": CC, "d": DD}\n'
