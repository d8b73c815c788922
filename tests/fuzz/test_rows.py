"""Rows as text: Arrow, msgspec and Python agree on rows, errors and output, whatever a file holds."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from salva.rows import ReadOptions, WriteOptions, open_rows
from tests.fuzz.strategies import damaged, fuzz, one_line_errors, outcome, texts
from tests.rows.passing import pass_through
from tests.rows.test_libraries import both

CSV = [
    b"text,label\na,1\nb,2\n",
    b'id,text,label\r\n1,"a ""quoted"", cell",pos\r\n2,"two\nlines",neg\r\n',
    b'text\n"a"\n\n""\n',
    "text;n\né;👍🏽\n".encode(),
    b"\xef\xbb\xbftext,n\n" + b"long " * 20 + b",2\n",
]
TSV = [content.replace(b",", b"\t") for content in CSV]
JSON = [
    b'{"text": "a", "label": 1}\n{"label": 2, "text": "b"}\n',
    b'{"text": "caf\\u00e9 \\ud83d\\ude00 \\"q\\"", "n": [1, {"a": null}], "id": "x"}\r\n\n{"text": null}\n',
    b' { "te\\u0078t" : "b" , "n" : -0.5e+3 } \n{"text": "' + b"long " * 20 + b'"}',
]
TXT = [b"one\ntwo\r\n\nlast", "é\u2028👍🏽\n\xa0\n".encode()]
FILES = {"csv": CSV, "tsv": TSV, "jsonl": JSON, "txt": TXT}
TOKENS = [
    b'{"text": "x"}\n',
    b'"x","y"\n',
    b'""',
    b"\\u00",
    b"\\ud83d",
    b'"text": ',
    b"1e5",
    b"[" * 70,
    b"\r\n",
]
OPTIONS = st.fixed_dictionaries(
    {"on_bad_row": st.sampled_from(["fail", "keep", "drop"])},
    optional={
        "max_line_bytes": st.sampled_from([1, 16, 100]),
        "delimiter": st.sampled_from([";", "\t", "é", " "]),
        "encoding": st.sampled_from(
            ["latin-1", "utf-16", "utf-8-sig", "cp1252", "utf-7", "shift_jis", "utf-32-be"]
        ),
        "text_column": st.sampled_from(["text", "label", "text,label", "é"]),
    },
)
KINDS = ["csv", "tsv", "jsonl", "txt", "parquet", "arrow"]


def read(path: Path, options: ReadOptions) -> object:
    """Return the rows of a file and what was wrong with some of them; or why it is refused."""

    def rows_of() -> object:
        with open_rows(path, options) as rows:
            batches = list(rows)
            for batch in batches:
                batch.validate(full=True)
            return pa.Table.from_batches(batches).to_pylist(), rows.bad.repaired, rows.bad.listed

    return outcome(rows_of)


def write(path: Path, options: ReadOptions, kind: str) -> object:
    """Return the bytes of a file in another format, and the counts of its manifest; or why it is refused."""
    target = path.with_name(f"written.{kind}")

    def convert_it() -> object:
        made = pass_through(path, target, options, output=WriteOptions(overwrite=True))
        assert made.rows_in == made.rows_out + made.rows_rejected
        return target.read_bytes(), made.rows_in, made.rows_repaired, made.bad_rows

    return outcome(convert_it)


def check(path: Path, options: ReadOptions | None = None, *, block: int = 1 << 20, kind: str = "csv") -> None:
    """Read and write a file as usual and by Python alone, and compare everything."""
    options = options or ReadOptions()
    usual, slow = both(lambda: (read(path, options), write(path, options, kind)), block)
    assert usual == slow


@pytest.mark.parametrize("kind", FILES)
@fuzz(
    data=st.data(),
    options=OPTIONS,
    block=st.sampled_from([1, 2, 3, 5, 7, 16, 40, 1 << 20]),
    other=st.sampled_from(KINDS),
)
def test_libraries_and_python_agree_wherever_blocks_end(tmp_path_factory, kind, data, options, block, other):
    path = tmp_path_factory.getbasetemp() / f"rows.{kind}"
    path.write_bytes(data.draw(damaged(FILES[kind], TOKENS)))
    check(path, ReadOptions(**options), block=block, kind=other)


PACKED = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}


@fuzz(
    kind=st.sampled_from(list(FILES)),
    end=st.sampled_from(list(PACKED)),
    data=st.data(),
    several=st.booleans(),
)
def test_packed_files_are_read_or_refused(tmp_path_factory, kind, end, data, several):
    whole = PACKED[end](FILES[kind][0]) * (1 + several)
    path = tmp_path_factory.getbasetemp() / f"packed.{kind}.{end}"
    path.write_bytes(data.draw(st.just(whole) | damaged([whole])))
    check(path)


@fuzz(
    rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=4),
    kind=st.sampled_from(["csv", "tsv", "jsonl"]),
)
def test_what_is_written_is_read_back(tmp_path_factory, rows, kind):
    folder = tmp_path_factory.mktemp("rows")
    table = pa.table({"text": [a for a, _ in rows], "n": [b for _, b in rows]})
    with pa.ipc.new_file(folder / "a.arrow", table.schema) as writer:
        writer.write_table(table)
    pass_through(folder / "a.arrow", folder / f"b.{kind}")
    check(folder / f"b.{kind}")
    with open_rows(folder / f"b.{kind}") as found:
        read_back = [text for batch in found for text in batch.column("text").to_pylist()]
    assert read_back == [a for a, _ in rows]


@fuzz(names=st.lists(st.binary(min_size=1, max_size=6), max_size=3), data=st.data())
def test_a_folder_of_texts_is_read_or_refused(tmp_path_factory, names, data):
    folder = tmp_path_factory.mktemp("folder")
    for label in ("neg", "pos"):
        (folder / label).mkdir()
    for name in {os.fsdecode(name) for name in names if not set(name) & set(b"/\0")}:
        (folder / "neg" / f"{name}.txt").write_bytes(data.draw(damaged(TXT)))
    options = ReadOptions(**data.draw(OPTIONS))
    assert read(folder, options) == read(folder, options)


@fuzz(text=texts, options=OPTIONS)
def test_standard_options_hold_for_any_text_file(tmp_path_factory, text, options):
    """A text file that is accepted comes back byte for byte, unless bad bytes were repaired."""
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_text(text, "utf-8", newline="")
    settings = {"on_bad_row": options["on_bad_row"]}
    with one_line_errors():
        pass_through(
            path, path.with_name("back.txt"), ReadOptions(**settings), output=WriteOptions(overwrite=True)
        )
        assert path.with_name("back.txt").read_bytes() == path.read_bytes()
