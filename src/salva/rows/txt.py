r"""Plain text: one row per line; line ends are kept next to the text, so that files are restored exactly."""

from __future__ import annotations

import codecs
import logging
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from salva.errors import InputError
from salva.rows.bad_rows import BadRows
from salva.rows.batches import column_index, hidden_column, hidden_field, plain, text_field
from salva.rows.options import ReadOptions
from salva.rows.source import Block, Source, text_blocks

logger = logging.getLogger("salva")

_END = "line end"
_MARK = b"salva:byte_order_mark"
_SCHEMA = pa.schema([text_field("text"), hidden_field(_END)])


class TxtReader:
    """Rows of a text file."""

    names = ("text",)

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._blocks = text_blocks(source, max_line_bytes=options.max_line_bytes)
        self._bad = bad

    def batches(self, text: Sequence[str], also: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines."""
        for block in self._blocks:
            lines = block.text.split("\n")
            last = lines.pop()
            ends = ["\n"] * len(lines)
            if last:
                lines.append(last)
                ends.append("")
            for i, line in enumerate(lines):
                if line.endswith("\r"):
                    lines[i], ends[i] = line[:-1], "\r" + ends[i]
            yield self._batch(block, lines, ends)

    def _batch(self, block: Block, lines: list[str], ends: list[str]) -> pa.RecordBatch:
        dropped = [
            n for n, problem in block.bad.items() if not self._bad.accepts(n, problem, repairable=True)
        ]
        for number in reversed(dropped):
            del lines[number - block.first], ends[number - block.first]
        columns = [pa.array(lines, pa.large_string()), pa.array(ends, pa.large_string())]
        schema = _SCHEMA.with_metadata({_MARK: "1"} if block.marked else None)
        return pa.RecordBatch.from_arrays(columns, schema=schema)


class TxtWriter:
    """Plain text, which has no room for other columns; a warning names them."""

    def __init__(self, stream: BinaryIO, text: str) -> None:
        self._stream, self._text = stream, text
        self._has_warned = False

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the texts of a batch; a text that contains a line break is refused."""
        if _MARK in (batch.schema.metadata or {}):
            self._stream.write(codecs.BOM_UTF8)
        self._stream.write(_encode_lines(batch, self._text))
        if not self._has_warned:
            self._has_warned = True
            others = [name for name in plain(batch).schema.names if name != self._text]
            if others:
                logger.warning("txt holds only the text; left out: %s", ", ".join(others))

    def close(self) -> None:
        """Do nothing: every row is written at once."""


def _encode_lines(batch: pa.RecordBatch, text: str) -> bytes:
    ends = hidden_column(batch, _END)
    texts = batch.column(column_index(batch, text)).fill_null("")
    # A reader would take a final CR for part of the line end.
    broken = pc.index(pc.match_substring_regex(texts, "\n" if ends is not None else "\n|\r$"), True).as_py()
    if broken >= 0:
        raise InputError(f"the text {texts[broken].as_py()!r:.40} has a line break; write jsonl or csv")
    ends = pa.scalar("\n", pa.large_string()) if ends is None else ends
    lines = pc.binary_join_element_wise(texts, ends, pa.scalar("", pa.large_string()))
    return "".join(lines.to_pylist()).encode()
