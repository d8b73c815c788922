r"""Texts in lines: plain text files, CoNLL files, and folders with one file per text.

Plain text has one row per line, with its line end next to it. CoNLL has one token per line with its tag in
the last column, and a blank line after each sentence: a sentence is a row, its text is the tokens with a
blank between two, its spans are the entities. Hidden columns hold the lines, so that all that no edit
touches is written back byte for byte. A folder has neg/ and pos/ with one text per file, as in aclImdb.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import logging
import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from salva._arrow import Strings
from salva._files import storage_errors
from salva._show import printable
from salva.errors import InputError
from salva.rows.columns import (
    ReadOptions,
    column_index,
    hidden_column,
    hidden_field,
    json_field,
    string_batch,
    text_field,
)
from salva.rows.jsonl import as_table
from salva.rows.source import BadRows, Block, Layout, Source, text_blocks
from salva.rows.spans import dump_spans, is_tag, join_entities, number_entities, spread_tags

logger = logging.getLogger("salva")

LABELS = ("neg", "pos")
TEXT, SPANS, TOKENS = "text", "spans", "tokens"
_BATCH_FILES = 1000
_END = "line end"
_LINES = pa.schema([text_field("text"), hidden_field(_END)])


class TxtReader:
    """Rows of a text file."""

    names = ("text",)

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._blocks = text_blocks(source, max_line_bytes=options.max_line_bytes)
        self._bad, self._layout = bad, source.layout

    def batches(self, text: Sequence[str], spans: str | None) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines."""
        for block in self._blocks:
            self._layout.byte_order_mark |= block.marked
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
        return string_batch(_LINES, list(zip(lines, ends, strict=True)))


class TxtWriter:
    """Plain text, which has no room for other columns; a warning names them."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        self._stream, self._text, self._layout = stream, text, layout
        self._is_new = True

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the texts of a batch; a text that contains a line break is refused."""
        if self._is_new and self._layout.byte_order_mark:
            self._stream.write(codecs.BOM_UTF8)
        texts, ends = batch.column(column_index(batch, self._text)).fill_null(""), hidden_column(batch, _END)
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

    def close(self) -> None:
        """Do nothing: every row is written at once."""


_HEAD, _TAIL = "lines before", "lines after"
_HIDDEN = [hidden_field(role) for role in (TOKENS, _HEAD, _TAIL)]
_SENTENCES = pa.schema([text_field(TEXT), json_field(SPANS), *_HIDDEN])
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
    problem: tuple[int, str, bool] | None = None

    @property
    def has_tokens(self) -> bool:
        """Whether it has tokens, or lines that should be."""
        return bool(self.lines) or self.problem is not None

    def as_row(self) -> list[str]:
        """Return the cells of the row."""
        tokens = self._tokens()
        places = [(token.start, token.end) for token in tokens]
        found = join_entities([token.tag for token in tokens], places)
        spans = [{"start": start, "end": end, "label": label} for start, end, label in found]
        text = " ".join(token.token for token in tokens)
        return [text, dump_spans(spans), json.dumps(tokens), self.head, self.tail]

    def _tokens(self) -> list[_Token]:
        start, tokens = 0, []
        for line, entity in zip(self.lines, number_entities([line[3] for line in self.lines]), strict=True):
            tokens.append(_Token(start, start + len(line[1]), line[1], line[2], line[3], entity))
            start += len(line[1]) + 1
        return tokens


class ConllReader:
    """Sentences of a CoNLL file."""

    names = (TEXT, SPANS)

    def __init__(self, source: Source, options: ReadOptions, bad: BadRows) -> None:
        self._blocks = text_blocks(source, max_line_bytes=options.max_line_bytes)
        self._bad = bad

    def batches(self, text: Sequence[str], spans: str | None) -> Iterator[pa.RecordBatch]:
        """Yield one batch per block of lines; the last sentence waits, because remarks may follow it."""
        sentence, held = _Sentence(), list[_Sentence]()
        for block in self._blocks:
            sentence.head += "\ufeff" if block.marked else ""
            for number, line in enumerate(_split_lines(block.text), block.first):
                if sentence.tail and line.strip():
                    held.append(sentence)
                    sentence = _Sentence()
                self._add(sentence, number, line, block.bad.get(number))
            yield self._batch(held[:-1])
            held = held[-1:]
        if sentence.has_tokens:
            held.append(sentence)
        elif held:  # what follows the last sentence
            held[-1].tail += sentence.head
        yield self._batch(held)

    def _add(self, sentence: _Sentence, number: int, line: str, problem: str | None) -> None:
        """Put a line where it belongs in a sentence."""
        if problem and sentence.problem is None:
            sentence.problem = number, problem, True
        if not line.strip() and sentence.has_tokens:
            sentence.tail += line
        elif not line.strip() or (not sentence.lines and _is_remark(line)):
            sentence.head += line
        else:
            found = _LINE.fullmatch(line)
            if found is not None and is_tag(found[3]):
                sentence.lines.append(found)
            elif sentence.problem is None or sentence.problem[2]:
                sentence.problem = number, _describe(line, found), False

    def _batch(self, sentences: list[_Sentence]) -> pa.RecordBatch:
        return string_batch(
            _SENTENCES, [sentence.as_row() for sentence in sentences if self._accepts(sentence)]
        )

    def _accepts(self, sentence: _Sentence) -> bool:
        if sentence.problem is None:
            return True
        number, problem, repairable = sentence.problem
        return self._bad.accepts(number, problem, repairable=repairable)


def _split_lines(text: str) -> list[str]:
    r"""Return the lines of a text with their ends; only \n ends a line."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def _is_remark(line: str) -> bool:
    """Return whether a line before a sentence is a comment or the mark of a document."""
    found = _LINE.fullmatch(line)
    return line.startswith(_DOCUMENT) or (line.startswith("#") and not (found and is_tag(found[3])))


def _describe(line: str, found: re.Match[str] | None) -> str:
    if found is None:
        return f"{line.strip()!r:.60} must be a token and its tag, with a blank or a tab between"
    return f"tag {found[3]!r:.40} must be O or begin with B-, I-, E-, S-, L- or U-, such as B-PER"


class ConllWriter:
    """The sentences of a CoNLL file with their edits; rows of other formats have no tokens."""

    def __init__(self, stream: BinaryIO, text: str, layout: Layout) -> None:
        self._stream, self._text = stream, text

    def write(self, batch: pa.RecordBatch) -> None:
        """Write the sentences of a batch."""
        hidden = [
            column for role in (TOKENS, _HEAD, _TAIL) if (column := hidden_column(batch, role)) is not None
        ]
        if not hidden:
            raise InputError("conll is written only from conll, which has tokens; write jsonl")
        texts = batch.column(column_index(batch, self._text)).to_pylist()
        cells = zip(texts, *(column.to_pylist() for column in hidden), strict=True)
        for text, tokens, head, tail in cells:
            lines = _write_tokens(text, [_Token(*token) for token in json.loads(tokens)])
            self._stream.write("".join([head, *lines, tail]).encode())

    def close(self) -> None:
        """Do nothing: every row is written at once."""


class _Word(NamedTuple):
    """A word of the new text, and the token whose line it gets."""

    text: str
    token: _Token


def _write_tokens(text: str, tokens: list[_Token]) -> list[str]:
    """Return one line per word of the text, each with what the line of its token has."""
    words = list(_pair_words(text, tokens))
    tags = [word.token.tag for word in words]
    if [word.token for word in words] != tokens:
        _retag(words, tokens, tags)
    return [word.text + _with_tag(word.token, tag) for word, tag in zip(words, tags, strict=True)]


def _pair_words(text: str, tokens: list[_Token]) -> Iterator[_Word]:
    """Yield every word with its token: of several, the first that is in an entity."""
    next_token = 0
    for found in re.finditer(r"[^ \t\n]+", text):
        start, end = found.span()
        while next_token < len(tokens) - 1 and tokens[next_token].end <= start:
            next_token += 1
        last = bisect_left(tokens, end, lo=next_token, key=lambda token: token.start)
        touching = [token for token in tokens[next_token:last] if token.end > start]
        inside = [token for token in touching if token.entity >= 0]
        yield _Word(found[0], (inside or touching or tokens[next_token : next_token + 1])[0])


def _retag(words: list[_Word], tokens: list[_Token], tags: list[str]) -> None:
    """Tag the words of every entity again, of which there may be more or fewer than tokens."""
    for number in {token.entity for token in tokens} - {-1}:
        places = [place for place, word in enumerate(words) if word.token.entity == number]
        own = [token.tag for token in tokens if token.entity == number]
        for place, tag in zip(places, spread_tags(own, len(places)), strict=False):
            tags[place] = tag


def _with_tag(token: _Token, tag: str) -> str:
    """Return the rest of a token's line with another tag."""
    if tag == token.tag:
        return token.rest
    before, _, after = token.rest.rpartition(token.tag)
    return f"{before}{tag}{after}"


class FolderReader:
    """Rows of a folder: negatives first, ordered by the numbers in the file names."""

    names = ("id", "text", "label")

    def __init__(self, folder: Path, options: ReadOptions, bad: BadRows) -> None:
        self._folder = folder
        self._encoding = options.encoding or "utf-8"
        self._bad = bad
        self._hash = hashlib.sha256()
        self._files = 0
        missing = [label for label in LABELS if not (folder / label).is_dir()]
        if missing:
            raise InputError.at(folder, None, _describe_layout(folder, missing))
        bad.numbered_by = "row"

    def batches(self, text: Sequence[str], spans: str | None) -> Iterator[pa.RecordBatch]:
        """Yield batches of a thousand files."""
        schema = pa.schema(map(text_field, self.names))
        rows: list[tuple[str, str, str]] = []
        number = 0
        paths = {label: _list_texts(self._folder / label) for label in LABELS}
        self._files = sum(map(len, paths.values()))
        for label in LABELS:
            for path in paths[label]:
                number += 1
                rows.extend(self._row(path, label, number))
                if len(rows) == _BATCH_FILES:
                    yield string_batch(schema, rows)
                    rows = []
        if number == 0:
            raise InputError.at(self._folder, None, "no rows; neg/ and pos/ contain no .txt files")
        yield string_batch(schema, rows)

    def estimate_rows(self, read: int) -> int | None:
        """Return how many rows there are: one per file, or as many as were read."""
        return max(read, self._files)

    def digest(self) -> str:
        """Return a digest of the names and contents read so far."""
        return f"sha256:{self._hash.hexdigest()}"

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


def _describe_layout(folder: Path, missing: list[str]) -> str:
    problem = f"is a folder without {' and '.join(f'{label}/' for label in missing)}"
    splits = [name for name in ("train", "test") if (folder / name / "pos").is_dir()]
    hint = f"pass one of its folders ({', '.join(splits)})" if splits else "pass a file"
    return f"{problem}; {hint}"
