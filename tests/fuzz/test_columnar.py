"""Parquet and Arrow files with damaged bytes, and hostile columns in whole ones."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from salva.rows import ReadOptions, open_rows
from tests.fuzz.strategies import damaged, fuzz, laid_out, one_line_errors, values
from tests.rows.passing import pass_through

COLUMNS = {
    "text": ["one", "two é", None, "👍🏽" * 9],
    "label": [1, None, 3, 4],
    "list": [["a"], [], None, ["b", None]],
    "kind": pa.array(["x", "y", "x", None]).dictionary_encode(),
}
TABLE = pa.table(COLUMNS)


def parquet(**options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(TABLE, sink, **options)
    return sink.getvalue()


def arrow(table: pa.Table, opened=pa.ipc.new_file) -> bytes:
    sink = pa.BufferOutputStream()
    with opened(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


FILES = {
    "parquet": [
        parquet(),
        parquet(compression="none", use_dictionary=False, write_page_checksum=True),
        parquet(version="1.0", data_page_version="2.0", row_group_size=2),
    ],
    "arrow": [arrow(TABLE), arrow(TABLE, pa.ipc.new_stream)],
}


def check(path: Path) -> None:
    """Read a file to the end, and write it in two formats."""
    for policy in ("fail", "keep"):
        with one_line_errors(), open_rows(path, ReadOptions(on_bad_row=policy)) as rows:
            for batch in rows:
                batch.to_pylist()
    for kind in ("jsonl", "csv"):
        target = path.with_name(f"columnar.{kind}")
        with one_line_errors():
            pass_through(path, target, ReadOptions(on_bad_row="drop"))
        for made in (target, Path(f"{target}.manifest.json")):
            made.unlink(missing_ok=True)


@fuzz(kind=st.sampled_from(list(FILES)), data=st.data())
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, kind, data):
    path = tmp_path_factory.getbasetemp() / f"damaged.{kind}"
    path.write_bytes(data.draw(damaged(FILES[kind])))
    check(path)


@fuzz(rows=values, data=st.data(), kind=st.sampled_from(["arrow", "parquet", "stream"]))
def test_a_hostile_column_in_a_whole_file_gives_its_texts(tmp_path_factory, rows, data, kind):
    table = pa.table({"text": data.draw(laid_out(rows))})
    path = tmp_path_factory.getbasetemp() / f"hostile.{kind.replace('stream', 'arrow')}"
    try:
        if kind == "parquet":
            pq.write_table(table, path)
        else:
            path.write_bytes(arrow(table, pa.ipc.new_stream if kind == "stream" else pa.ipc.new_file))
    except pa.ArrowException:
        return  # Arrow itself refuses to write it: garbage in a dictionary, for example
    with open_rows(path) as found:
        assert [text for batch in found for text in batch.column("text").to_pylist()] == rows
