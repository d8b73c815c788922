"""CoNLL files and columns of spans: what is not edited comes back, spans move, and the rest is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import strategies as st

from salva.rows import ReadOptions, WriteOptions, open_rows
from salva.rows.columns import read_entities
from salva.transforms import transform_file
from tests.fuzz.strategies import damaged, fuzz, json_values, laid_out, one_line_errors, texts, twisted
from tests.rows.passing import pass_through

AGAIN = WriteOptions(overwrite=True)
CONLL = [
    b"-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\nGerman JJ B-NP S-MISC\n. . O O\n\n\n",
    b"# id 7\r\nI\tO\r\nlove\tO\r\nNew\tB-LOC\r\nYork\tI-LOC\r\nmovies\tO \r\n\r\n# the end\n",
    "\ufeffCaf\u00e9 B-X\nn't U-Y\nreally O\ngreat L-X\n\nlast O".encode(),
]
TAGS = [
    b"O",
    b"B-",
    b"B-PER",
    b"I-LOC",
    b"E-",
    b"S-X",
    b"L-X",
    b"U-X",
    b" ",
    b"\t",
    b"\n\n",
    b"\r\n",
    b"#",
    b"-DOCSTART-",
]
OPTIONS = st.fixed_dictionaries(
    {"on_bad_row": st.sampled_from(["fail", "keep", "drop"])},
    optional={"max_line_bytes": st.sampled_from([4, 20]), "encoding": st.sampled_from(["latin-1", "utf-16"])},
)


def check_conll(path: Path, options: ReadOptions | None = None, *, block: int = 1 << 20) -> None:
    """Read a file, write it again without and with edits; only edits may change what was not bad."""
    options = options or ReadOptions()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salva.rows.source.BLOCK_BYTES", block)
        with one_line_errors():
            with open_rows(path, options) as rows:
                for batch in rows:
                    batch.validate(full=True)
                    for row in batch.to_pylist():
                        read_entities(json.loads(row["spans"]), row["text"])
                bad = rows.bad.repaired + rows.bad.rejected
            made = pass_through(path, path.with_name("back.conll"), options, output=AGAIN)
            if not bad and made.rows_out and not options.encoding:
                assert path.with_name("back.conll").read_bytes() == path.read_bytes()
        with one_line_errors():
            transform_file(
                path, path.with_name("twins.conll"), preset="typos", prob=1.0, options=options, output=AGAIN
            )


@fuzz(content=damaged(CONLL, TAGS), options=OPTIONS, block=st.sampled_from([1, 7, 1 << 20]))
def test_a_damaged_conll_file_comes_back_or_is_refused(tmp_path_factory, content, options, block):
    path = tmp_path_factory.getbasetemp() / "damaged.conll"
    path.write_bytes(content)
    check_conll(path, ReadOptions(**options), block=block)


TEXT = "Maria  Lopez loved the film in Caf\u00e9 \U0001f44d\U0001f3fd Paris, really."
SPANS = [
    [{"start": 0, "end": 12, "label": "PER", "text": "Maria  Lopez"}, [31, 35, "LOC"]],
    [[0, 1, "A"], [0, 12, "B"], [39, 44, "C", {"score": 0.5}]],
    [],
]
NUMBERS = st.integers(-1, 60) | st.sampled_from([2**31, 2**63, 10**400, 1.0, True, "3", None])
ANY_SPANS = (
    twisted(SPANS[:2])
    | st.lists(st.tuples(NUMBERS, NUMBERS, texts).map(list), max_size=3)
    | st.lists(
        st.fixed_dictionaries({"start": NUMBERS, "end": NUMBERS}, optional={"label": json_values}), max_size=2
    )
    | json_values
)


def check_spans(path: Path) -> None:
    """Move the spans of a file with its edits, and keep edits out of them."""
    for protect in (False, True):
        target = path.with_name(f"moved{path.suffix}")
        with one_line_errors():
            made = transform_file(
                path, target, preset="typos", prob=1.0, spans="s", protect_spans=protect, output=AGAIN
            )
            assert made.rows_in == made.rows_out + made.rows_rejected


@fuzz(text=st.just(TEXT) | texts, spans=ANY_SPANS, nested=st.booleans())
def test_any_spans_move_or_are_refused(tmp_path_factory, text, spans, nested):
    path = tmp_path_factory.getbasetemp() / "spans.jsonl"
    cell = json.dumps(spans) if nested else spans
    path.write_text(json.dumps({"text": text, "s": cell}) + "\n", "utf-8")
    check_spans(path)


@fuzz(content=damaged([json.dumps({"text": TEXT, "s": spans}).encode() + b"\n" for spans in SPANS]))
def test_damaged_spans_move_or_are_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "damaged_spans.jsonl"
    path.write_bytes(content)
    check_spans(path)


PLACES = pa.struct([("start", pa.int64()), ("end", pa.int64())])
TYPES = [
    pa.list_(pa.int64()),
    pa.list_(pa.list_(pa.int32())),
    pa.large_list(pa.list_(pa.int64(), 2)),
    pa.list_(PLACES),
    PLACES,
    pa.map_(pa.string(), pa.int64()),
    pa.int64(),
    pa.float64(),
    pa.bool_(),
    pa.binary(),
    pa.date32(),
]
COLUMNS = [
    *([[[0, 5]]], [[0, 5]], [0, 5], 5, 0.5, True, b"[[0, 5]]", None),
    *([{"start": 0, "end": 5}], {"start": 0, "end": 5}, [("start", 0)], [], [None], [[None, 3]]),
]


@fuzz(kind=st.sampled_from(TYPES), values=st.lists(st.sampled_from(COLUMNS), min_size=2, max_size=2))
def test_spans_of_any_arrow_type_move_or_are_refused(tmp_path_factory, kind, values):
    try:
        column = pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError):
        return  # no values of this type
    path = tmp_path_factory.getbasetemp() / "typed.parquet"
    pq.write_table(pa.table({"text": [TEXT, TEXT], "s": column}), path)
    check_spans(path)


@fuzz(cells=st.lists(st.sampled_from([*map(json.dumps, SPANS), "", "[[", None]), max_size=3), data=st.data())
def test_cells_of_spans_move_in_any_layout(tmp_path_factory, cells, data):
    path = tmp_path_factory.getbasetemp() / "cells.arrow"
    table = pa.table({"text": [TEXT] * len(cells), "s": data.draw(laid_out(cells))})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    check_spans(path)
