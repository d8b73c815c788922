r"""Texts in lines: plain text files, CoNLL files, and folders with one file per text.

Plain text has one row per line, with its line end next to it. CoNLL has one token per line with its tag in
the last column, and a blank line after each sentence: a sentence is a row, its text is the tokens with a
blank between two, its spans are the entities. Hidden columns hold the lines, so that all that no edit
touches is written back byte for byte. A folder has neg/ and pos/ with one text per file, as in aclImdb.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import logging
import os
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import Strings
from salva._files import storage_errors
from salva._show import printable
from salva.errors import InputError
from salva.rows.columns import (
    Columns,
    Reader,
    ReadOptions,
    Writer,
    column_index,
    dump_spans,
    hidden_column,
    hidden_field,
    is_tag,
    join_entities,
    json_field,
    number_entities,
    spread_tags,
    string_batch,
    text_field,
)
from salva.rows.jsonl import as_table
from salva.rows.source import BadRows, Layout, Source, text_blocks

logger = logging.getLogger("salva")

LABELS = ("neg", "pos")
TEXT, SPANS, TOKENS = "text", "spans", "tokens"
_BATCH_FILES = 1000
_END = "line end"
_LINES = pa.schema([text_field(TEXT), hidden_field(_END)])


def read_txt(source: Source, options: ReadOptions, bad: BadRows) -> Reader:
    """Read the lines of a text file as rows."""

    def batches(columns: Columns) -> Iterator[pa.RecordBatch]:
        for block in text_blocks(source, options.max_line_bytes):
            rows = []
            for number, line in enumerate(_split_lines(block.data), block.first):
                problem = block.bad.get(number)
                if problem is None or bad.accepts(number, problem, repairable=True):
                    text = line.removesuffix("\n").removesuffix("\r")
                    rows.append((text, line[len(text) :]))
            yield string_batch(_LINES, rows)

    return Reader((TEXT,), batches)


def _split_lines(data: bytes) -> list[str]:
    r"""Return lines with their ends; only \n ends a line."""
    return list(io.StringIO(data.decode(), newline="\n"))


class TxtWriter(Writer):
    """Plain text, which has no room for other columns; a warning names them."""

    _is_new = True

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the texts of a batch; a text that contains a line break is refused."""
        texts, ends = batch.column(column_index(batch, self._text)).fill_null(""), hidden_column(batch, _END)
        if self._is_new and self._layout.byte_order_mark and ends is not None:
            self._stream.write(codecs.BOM_UTF8)
        # A reader would take a final CR for part of the line end.
        breaks = "\n|\r$" if ends is None else "\n"
        broken = pc.index(pc.match_substring_regex(texts, breaks), True).as_py()
        if broken >= 0:
            raise InputError(f"the text {texts[broken].as_py()!r:.40} has a line break; write jsonl or csv")
        ends = pa.scalar("\n", pa.large_string()) if ends is None else ends
        lines = pc.binary_join_element_wise(texts, ends, pa.scalar("", pa.large_string()))
        self._stream.write(Strings.from_checked(lines).data.data)
        others = [name for name in as_table(batch).schema.names if name != self._text] if self._is_new else []
        if others:
            logger.warning("txt holds only the text; left out: %s", ", ".join(others))
        self._is_new = False


_HEAD, _TAIL = "lines before", "lines after"
_HIDDEN = (TOKENS, _HEAD, _TAIL)
_SENTENCES = pa.schema([text_field(TEXT), json_field(SPANS), *map(hidden_field, _HIDDEN)])
_LINE = re.compile(r"([^ \t\r\n]+)((?:[ \t]+[^ \t\r\n]+)*?[ \t]+([^ \t\r\n]+)[ \t]*\r?\n?)")
_DOCUMENT = "-DOCSTART-"


class _Token(NamedTuple):
    """A token: where it is in the text, itself, the rest of its line, its tag, and its entity or -1."""

    start: int
    end: int
    token: str
    rest: str
    tag: str
    entity: int


@dataclass(slots=True)
class _Sentence:
    """The lines of a sentence: what comes before its tokens, the tokens, and what comes after them."""

    head: str = ""
    lines: list[re.Match[str]] = field(default_factory=list)
    tail: str = ""
    problem: tuple[int, str, bool] | None = None  # the line, what is wrong, whether it can be repaired

    def add(self, number: int, line: str, problem: str | None) -> None:
        """Put a line where it belongs."""
        if problem and self.problem is None:
            self.problem = number, problem, True
        found = _LINE.fullmatch(line)
        is_token = found is not None and is_tag(found[3])
        is_remark = line.startswith(_DOCUMENT) or (line.startswith("#") and not is_token)
        if not line.strip() and self.has_tokens:
            self.tail += line
        elif not line.strip() or (not self.lines and is_remark):
            self.head += line
        elif found is not None and is_token:
            self.lines.append(found)
        elif self.problem is None or self.problem[2]:
            wrong = f"{line.strip()!r:.60} must be a token and its tag, with a blank or a tab between"
            if found is not None:
                known = "O or begin with B-, I-, E-, S-, L- or U-, such as B-PER"
                wrong = f"tag {found[3]!r:.40} must be {known}"
            self.problem = number, wrong, False

    @property
    def has_tokens(self) -> bool:
        """Whether it has tokens, or lines that should be."""
        return bool(self.lines) or self.problem is not None

    def as_row(self) -> list[str]:
        """Return the cells of the row."""
        start, tokens = 0, []
        for line, entity in zip(self.lines, number_entities([line[3] for line in self.lines]), strict=True):
            tokens.append(_Token(start, start + len(line[1]), line[1], line[2], line[3], entity))
            start += len(line[1]) + 1
        tags = [token.tag for token in tokens]
        entities = join_entities(tags, [(token.start, token.end) for token in tokens])
        spans = dump_spans([entity._asdict() for entity in entities])
        text = " ".join(token.token for token in tokens)
        return [text, spans, json.dumps(tokens), self.head, self.tail]


def read_conll(source: Source, options: ReadOptions, bad: BadRows) -> Reader:
    """Read the sentences of a CoNLL file as rows."""

    def rows_of(sentences: list[_Sentence]) -> pa.RecordBatch:
        rows = []
        for sentence in sentences:
            number, problem, repairable = sentence.problem or (0, "", False)
            if not problem or bad.accepts(number, problem, repairable=repairable):
                rows.append(sentence.as_row())
        return string_batch(_SENTENCES, rows)

    def batches(columns: Columns) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines; the last sentence waits, because remarks may follow it."""
        sentence, held = _Sentence(), list[_Sentence]()
        for block in text_blocks(source, options.max_line_bytes):
            if block.first == 1 and source.layout.byte_order_mark:
                sentence.head = "\ufeff"
            for number, line in enumerate(_split_lines(block.data), block.first):
                if sentence.tail and line.strip():
                    held.append(sentence)
                    sentence = _Sentence()
                sentence.add(number, line, block.bad.get(number))
            yield rows_of(held[:-1])
            held = held[-1:]
        if sentence.has_tokens:
            held.append(sentence)
        elif held:  # what follows the last sentence
            held[-1].tail += sentence.head
        yield rows_of(held)

    return Reader((TEXT, SPANS), batches)


class ConllWriter(Writer):
    """The sentences of a CoNLL file with their edits; rows of other formats have no tokens."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the sentences of a batch."""
        hidden = [column for role in _HIDDEN if (column := hidden_column(batch, role)) is not None]
        if not hidden:
            raise InputError("conll is written only from conll, which has tokens; write jsonl")
        texts = batch.column(column_index(batch, self._text))
        cells = zip(*(column.to_pylist() for column in (texts, *hidden)), strict=True)
        for text, tokens, head, tail in cells:
            lines = _write_tokens(text, [_Token(*token) for token in json.loads(tokens)])
            self._stream.write("".join([head, *lines, tail]).encode())


def _write_tokens(text: str, tokens: list[_Token]) -> list[str]:
    """Return one line per word of the text, each with what the line of its token has.

    The words of every entity, of which there may be more or fewer than tokens, are tagged again.
    """
    words = list(_pair_words(text, tokens))
    tags = [token.tag for _, token in words]
    if [token for _, token in words] != tokens:
        for number in {token.entity for token in tokens} - {-1}:
            places = [place for place, (_, token) in enumerate(words) if token.entity == number]
            own = [token.tag for token in tokens if token.entity == number]
            for place, tag in zip(places, spread_tags(own, len(places)), strict=False):
                tags[place] = tag
    lines = []
    for (word, token), tag in zip(words, tags, strict=True):
        before, _, after = token.rest.rpartition(token.tag)
        lines.append(f"{word}{before}{tag}{after}")
    return lines


def _pair_words(text: str, tokens: list[_Token]) -> Iterator[tuple[str, _Token]]:
    """Yield every word with its token: of several, the first that is in an entity."""
    next_token = 0
    for found in re.finditer(r"[^ \t\n]+", text):
        start, end = found.span()
        while next_token < len(tokens) - 1 and tokens[next_token].end <= start:
            next_token += 1
        last = bisect_left(tokens, end, lo=next_token, key=lambda token: token.start)
        touching = [token for token in tokens[next_token:last] if token.end > start]
        inside = [token for token in touching if token.entity >= 0]
        yield found[0], (inside or touching or tokens[next_token : next_token + 1])[0]


class TextFolder:
    """A folder as one input, instead of a `Source`: negatives first, ordered by the numbers in the names."""

    may_block = False

    def __init__(self, folder: Path, options: ReadOptions, bad: BadRows) -> None:
        self.layout = Layout()
        self._folder, self._bad = folder, bad
        self._encoding = options.encoding or "utf-8"
        self._hash = hashlib.sha256()
        self._files = 0
        missing = [label for label in LABELS if not (folder / label).is_dir()]
        if missing:
            problem = f"is a folder without {' and '.join(f'{label}/' for label in missing)}"
            splits = [name for name in ("train", "test") if (folder / name / "pos").is_dir()]
            hint = f"pass one of its folders ({', '.join(splits)})" if splits else "pass a file"
            raise InputError.at(folder, None, f"{problem}; {hint}")
        bad.numbered_by = "row"
        self.reader = Reader(("id", TEXT, "label"), self._batches)

    def estimate_rows(self, read: int) -> int | None:
        """Return how many rows there are: one per file, or as many as were read."""
        return max(read, self._files)

    def finish(self) -> str:
        """Return a digest of the names and contents read so far."""
        return f"sha256:{self._hash.hexdigest()}"

    def _batches(self, columns: Columns) -> Iterator[pa.RecordBatch]:
        """Yield batches of a thousand files."""
        schema = pa.schema(map(text_field, self.reader.names))
        found = [(label, path) for label in LABELS for path in _list_texts(self._folder / label)]
        self._files = len(found)
        if not found:
            raise InputError.at(self._folder, None, "no rows; neg/ and pos/ contain no .txt files")
        for first in range(0, len(found), _BATCH_FILES):
            paths = enumerate(found[first : first + _BATCH_FILES], first + 1)
            rows = [row for number, (label, path) in paths for row in self._row(path, label, number)]
            yield string_batch(schema, rows)

    def _row(self, path: Path, label: str, number: int) -> Iterator[tuple[str, str, str]]:
        with storage_errors(path):
            content = path.read_bytes()
        name = f"{label}/{path.stem}".encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        self._hash.update(f"{name}\0{len(content)}\0".encode() + content)
        content = content.removeprefix(codecs.BOM_UTF8)
        try:
            text = content.decode(self._encoding)
            text.encode()
        except UnicodeError as error:
            shown = printable(name).replace("\n", "\\n")
            problem = f"{shown}.txt: byte {getattr(error, 'start', 0)} is not {self._encoding}"
            if not self._bad.accepts(number, problem, repairable=True):
                return
            text = content.decode(self._encoding, "replace").encode("utf-8", "replace").decode()
        yield name, text, label


def _list_texts(folder: Path) -> list[Path]:
    """Return the data files of a folder, without hidden files, leftovers and marker files."""
    with storage_errors(folder):
        paths = [Path(entry.path) for entry in os.scandir(folder) if entry.is_file()]
    data = [path for path in paths if path.suffix == ".txt" and not path.name.startswith((".", "_"))]
    return sorted(
        data, key=lambda path: ([int(digits) for digits in re.findall(r"[0-9]+", path.name)], path.name)
    )
