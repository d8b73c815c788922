"""Kernels that read and write rows, against Python's csv and json."""

from __future__ import annotations

import csv
import io
import json
from json.encoder import encode_basestring

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from salva.datasets.cells import PlainRows, encode_plain
from salva.datasets.lines import AT_END, Insertion, PlainLines, encode_strings, put_into_lines

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


@settings(deadline=None, max_examples=60)
@given(rows=tables)
def test_cells_are_those_of_python(rows):
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    columns, end = PlainRows(",", 3).read(written.getvalue().encode(), 0)
    assert [list(row) for row in zip(*(column.to_pylist() for column in columns), strict=True)] == rows
    assert end == len(written.getvalue().encode())


@settings(deadline=None, max_examples=60)
@given(rows=tables.filter(bool))
def test_python_reads_written_cells(rows):
    data = encode_plain([column(cells) for cells in zip(*rows, strict=True)], ",")
    assert list(csv.reader(io.StringIO(bytes(data).decode(), newline=""), strict=True)) == rows


@settings(deadline=None, max_examples=60)
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


@settings(deadline=None, max_examples=60)
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
