"""Edits in files: texts come back byte for byte, and files that do not belong to a text are refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

import salva
from salva._arrow import as_strings
from salva.rows import WriteOptions
from salva.transforms.twins import EDIT_COLUMNS, revert_column
from tests.fuzz.strategies import damaged, fuzz, laid_out, one_line_errors, outcome, texts

AGAIN = WriteOptions(overwrite=True)
SPLICED = {"preset": "typos", "render": "splice", "prob": 1.0, "output": AGAIN}
LINES = "The acting was really great\nI loved this movie\n\nCafé naïve story\r\nlast line"


def made(folder: Path, text: str, kind: str = "txt") -> Path:
    """Write a text file, its twin and its edits; return the edits."""
    (folder / f"in.{kind}").write_text(text, "utf-8", newline="")
    edits = folder / "edits.parquet"
    salva.transform_file(folder / f"in.{kind}", folder / f"out.{kind}", edits=edits, **SPLICED)
    return edits


def check(path: Path) -> None:
    """Undo the edits of a file in the text that its undamaged form belongs to."""
    folder = path.parent
    if not (folder / "out.txt").exists():
        made(folder, LINES)
    with one_line_errors():
        salva.revert_file(folder / "out.txt", folder / "back.txt", edits=path, output=AGAIN)


@fuzz(text=texts, block=st.sampled_from([3, 40, 1 << 20]))
def test_a_text_file_comes_back_byte_for_byte(tmp_path_factory, text, block):
    folder = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.rows.source.BLOCK_BYTES", block)
        refused = outcome(lambda: made(folder, f"{text}\n{LINES}"))
        if isinstance(refused, str):
            return
        salva.revert_file(folder / "out.txt", folder / "back.txt", edits=refused, output=AGAIN)
    assert (folder / "back.txt").read_bytes() == (folder / "in.txt").read_bytes()


@fuzz(data=st.data(), kind=st.sampled_from(["parquet", "arrow"]))
def test_damaged_edits_are_read_or_refused(tmp_path_factory, data, kind):
    folder = tmp_path_factory.getbasetemp() / "damaged_edits"
    folder.mkdir(exist_ok=True)
    whole = folder / f"whole.{kind}"
    if not whole.exists():
        table = pq.read_table(made(folder, LINES))
        if kind == "parquet":
            pq.write_table(table, whole, compression="none")
        else:
            whole.write_bytes(_arrow(table))
    path = folder / f"bad.{kind}"
    path.write_bytes(data.draw(damaged([whole.read_bytes()])))
    check(path)


def _arrow(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


numbers = st.integers(-2, 12) | st.sampled_from([2**31, 2**62, 2**63 - 1, -(2**63)])
cells = st.sampled_from(["", "a", "é", "acting", "👍🏽", "x" * 40]) | st.none()
column_types = st.sampled_from([pa.int64(), pa.int8(), pa.uint64(), pa.float64(), pa.string(), pa.date32()])


@fuzz(data=st.data(), count=st.integers(0, 4))
def test_edits_with_false_numbers_and_types_are_refused(tmp_path_factory, data, count):
    """Whatever the columns of a table of edits hold, nothing but a refusal or some text comes of it."""
    folder = tmp_path_factory.getbasetemp() / "false_edits"
    folder.mkdir(exist_ok=True)
    about = pq.read_schema(made(folder, LINES)).metadata
    columns = {}
    for name in EDIT_COLUMNS:
        drawn = st.lists(numbers if name in EDIT_COLUMNS[:5] else cells, min_size=count, max_size=count)
        column = pa.array(data.draw(drawn))
        wanted = data.draw(st.none() | column_types)
        try:
            columns[name] = column if wanted is None else column.cast(wanted)
        except pa.ArrowException:
            columns[name] = column
    table = pa.table(columns).replace_schema_metadata(about)
    pq.write_table(table, folder / "edits.parquet")
    check(folder / "edits.parquet")


@fuzz(rows=st.lists(texts, min_size=1, max_size=3), data=st.data())
def test_edits_undo_in_any_layout(rows, data):
    twins = salva.preset("typos", render="splice", prob=1.0).transform(rows, seed=1)
    words = {name: data.draw(laid_out(twins.edits[name].to_pylist())) for name in ("old", "new")}
    edits = pa.table({name: words.get(name, twins.edits[name]) for name in EDIT_COLUMNS})
    assert revert_column(as_strings(twins.transformed), edits).to_pylist() == rows


@fuzz(rows=st.lists(texts, min_size=1, max_size=3), swapped=st.permutations(range(3)), data=st.data())
def test_edits_of_other_texts_are_refused_or_undone(rows, swapped, data):
    transform = salva.preset("typos", render="splice", prob=1.0)
    edits = transform.transform(rows, seed=1).edits
    others = [rows[k] for k in swapped if k < len(rows)]
    with one_line_errors():
        revert_column(as_strings(others), edits.slice(data.draw(st.integers(0, 3))))
