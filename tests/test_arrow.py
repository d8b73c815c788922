"""String columns of every make become one checked layout."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._arrow import BadRowError, as_strings, is_utf8, repair
from salva.errors import InputError

TEXTS = ["", "a", "naïve", "👩‍👩‍👧 film", "x" * 100]
HEX = ["eda080", "edb080", "ff", "c0", "c080", "e08080", "f4908080", "f5", "80", "c3", "e282", "f09f98"]
LAYOUTS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "string": lambda v: pa.array(v, pa.string()),
    "large_string": lambda v: pa.array(v, pa.large_string()),
    "string_view": lambda v: pa.array(v, pa.string_view()),
    "binary": lambda v: pa.array([x if x is None else x.encode() for x in v], pa.binary()),
    "dictionary": lambda v: pa.array(v, pa.string()).dictionary_encode(),
    "sliced": lambda v: pa.array(["before", *v, "after"])[1:-1],
    "sliced large": lambda v: pa.array(["before", None, *v], pa.large_string())[2:],
    "chunked": lambda v: pa.chunked_array([v[:1], [], v[1:]], pa.string()),
    "sliced chunks": lambda v: pa.chunked_array([["x", *v[:2]], v[2:]], pa.string())[1:],
    "polars": lambda v: pl.Series(v, dtype=pl.String),
    "pandas": lambda v: pd.Series(v, dtype="str"),
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
}


def unpack(strings):
    texts = [
        bytes(strings.data[a:b]).decode() for a, b in zip(strings.offsets, strings.offsets[1:], strict=False)
    ]
    return [
        t if valid else None for t, valid in zip(texts, strings.array.is_valid().to_pylist(), strict=True)
    ]


@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("values", [TEXTS, [None, "a", None, "b"], ["only"], [None], []], ids=repr)
def test_every_layout_gives_the_same_column(make, values):
    strings = as_strings(make(values))
    strings.array.validate(full=True)
    assert strings.array.type == pa.large_string()
    assert strings.array.offset == 0
    assert strings.offsets[0] == 0
    assert strings.offsets[-1] == len(strings.data)
    assert unpack(strings) == strings.array.to_pylist() == values


@given(
    st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))),
    st.integers(0, 5),
    st.integers(0, 5),
)
def test_any_slice_of_any_text_comes_through(values, start, stop):
    end = max(0, len(values) - stop)
    assert as_strings(pa.array(values, pa.string())[start:end]).array.to_pylist() == values[start:end]


def test_a_null_column_is_a_column_of_nulls():
    assert as_strings(pa.nulls(2)).array.to_pylist() == [None, None]


STRING = pa.string()


def column_of(offsets, data, kind=STRING):
    width = np.int64 if kind == pa.large_string() else np.int32
    return pa.Array.from_buffers(
        kind, len(offsets) - 1, [None, pa.py_buffer(width(offsets)), pa.py_buffer(data)]
    )


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3"], ids=repr
)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_bad_utf8_is_refused_with_its_row(bad, kind):
    column = column_of([0, 2, 2 + len(bad)], b"ok" + bad, kind)
    with pytest.raises(BadRowError, match=r"row 1: byte 0x.. at offset 0 is not UTF-8"):
        as_strings(column)
    with pytest.raises(BadRowError, match="row 4:"):
        as_strings(pa.chunked_array([pa.array(["a"] * 3, kind), column]))


def test_bad_utf8_in_a_dictionary_or_a_binary_column_is_refused_with_its_row():
    words = column_of([0, 1, 2], b"a\xff")
    with pytest.raises(BadRowError, match="row 2:"):
        as_strings(pa.DictionaryArray.from_arrays(pa.array([0, 0, 1]), words))
    with pytest.raises(BadRowError, match="row 1:"):
        as_strings(pa.array([b"a", b"\xff"]))


@pytest.mark.parametrize("offsets", [[0, 1 << 30, 3], [0, 2, 1, 3], [0, -5, 3]], ids=repr)
def test_lying_offsets_are_refused_before_anything_reads_them(offsets):
    with pytest.raises(InputError, match="broken Arrow column"):
        as_strings(column_of(offsets, b"abc"))


def test_a_dictionary_index_out_of_range_is_refused():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 7]), pa.array(["a"]), safe=False)
    with pytest.raises(InputError, match="out of range"):
        as_strings(column)


@pytest.mark.parametrize(
    "column", [pa.array([1]), pa.array([["a"]]), pa.array([{"a": "b"}])], ids=lambda c: str(c.type)
)
def test_a_column_without_text_is_refused_by_its_type(column):
    with pytest.raises(InputError, match=r"does not hold text"):
        as_strings(column)


def test_python_values_are_refused_with_their_place():
    with pytest.raises(BadRowError, match="row 2: 3 is int, not str"):
        as_strings([pd.NA, "a", 3])
    with pytest.raises(BadRowError, match=r"row 1: .* is ndarray, not str"):
        as_strings(["a", np.array([1, 2])])
    with pytest.raises(ValueError, match=r"row 2: lone surrogate '\\ud800' at position 1"):
        as_strings(["a", None, "b\ud800"])


def test_repair_puts_a_replacement_for_bad_bytes_and_names_the_rows():
    column, bad = repair(column_of([0, 1, 3, 3], b"a\xffb"))
    assert column.to_pylist() == ["a", "\ufffdb", ""]
    assert bad == [1]


def test_the_bytes_of_a_slice_are_not_copied():
    column = pa.array(["x" * 1000, "y" * 1000], pa.large_string())[1:]
    assert as_strings(column).data.ctypes.data == column.buffers()[2].address + 1000


def test_gate_strings_are_not_checked_again():
    strings = as_strings(["a", None])
    assert as_strings(strings) is strings


# Half surrogate pairs, bytes that no character has, too many bytes for one, more than Unicode has, and parts.
@given(st.lists(st.sampled_from([b"a", "é😀".encode(), *map(bytes.fromhex, HEX)])).map(b"".join))
def test_bytes_are_utf8_if_python_decodes_them(data):
    try:
        data.decode()
        expected = True
    except UnicodeDecodeError:
        expected = False
    assert is_utf8(data) == expected
