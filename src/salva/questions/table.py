"""The table of questions: one row for each question that is asked about an item under a condition.

An item is a row of the data. It is asked about as it is (the condition `clean`), and under other conditions.
A table is a folder of parquet files, its parts. Those named `made` have what makers wrote, in the order of
the items; other parts have what was asked because of earlier answers: clean questions again, twins with some
edits undone, replies that a judge graded. `table.json` says what all rows share, and is renewed when the last
part is there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from salva._arrow import as_numbers, as_strings, ints, one_array, open_disk, repeated, valid_rows
from salva._files import Unit, replacing, storage_errors, write_atomically
from salva._presets.validity import Validity
from salva._results import as_json, read_json
from salva._types import Bools, Ints64
from salva.errors import InputError
from salva.models.protocol import Message, Prompt, Text, text_id

FORMAT = 2
TABLE = "table.json"
CLEAN = "clean"
STAY, CHANGE = "stay", "change"  # what the answer must do
MEASURE, AGAIN, ALONE, BLAME, JUDGE = "measure", "again", "alone", "blame", "judge"  # why a question is asked
NO_TEXT = "the row has no text"
NO_VALUE = "the row lacks a value"
NO_ORDER = "the row has no such order"
NO_EDIT = "there is nothing to edit"
MADE = "made"

Heads: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
"""The first eight bytes of keys: of ten million, two are the same with a probability of 3 in a million."""

_LONGEST = 1 << 20  # keys in a run of the index
_GROUP_ROWS = 4096  # questions in a row group, at least
_TEXT = pa.string()
EDIT = pa.struct(
    [
        ("part", pa.int16()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("old", _TEXT),
        ("new", _TEXT),
        ("rule", _TEXT),
        ("old_start", pa.int32()),  # where `old` begins in the clean question, in the same part
    ]
)
OPTION = pa.struct([("name", _TEXT), ("text", _TEXT), ("means", _TEXT)])
SCHEMA = pa.schema(
    [
        (
            "key",
            pa.binary(16),
        ),  # digest of all that is asked: equal questions are asked once; null: not asked
        ("item", pa.int64()),  # number of the row of the data
        ("id", _TEXT),  # its name
        ("group", _TEXT),  # items of a group are not independent; null: those with the same clean question
        ("condition", _TEXT),
        ("purpose", _TEXT),
        ("must", _TEXT),  # the answer must stay that of the clean question, or change
        ("parts", pa.list_(pa.large_string())),  # a text, two texts, or the contents of the messages
        ("options", pa.list_(OPTION)),  # as shown: name and text; `means` is the name in the clean question
        ("expected", pa.list_(_TEXT)),  # accepted answers, by the names of the clean question; null: unknown
        ("edits", pa.list_(EDIT)),  # where they are in `parts`; writing `old` there undoes them
        (
            "undone",
            pa.list_(pa.int16()),
        ),  # of a question about blame: the edits of the twin that it leaves out
        ("facts", pa.map_(_TEXT, _TEXT)),  # columns of the data that grading or slices need; clean rows only
        ("characters", pa.int32()),  # of the text that may be rewritten; clean rows only
        ("unchanged", pa.bool_()),  # the twin is equal to its original, and has the answer to that
        ("why_not_asked", _TEXT),
    ]
)
_EDIT = "edits.list.element"
# How parts are written: a tenth smaller than without, at the same speed.
_WRITING: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,
    "use_dictionary": [
        *("group", "condition", "purpose", "must", "why_not_asked", "expected.list.element"),
        *(f"{_EDIT}.{name}" for name in ("part", "old", "new", "rule")),
    ],
    "column_encoding": {f"{_EDIT}.{name}": "DELTA_BINARY_PACKED" for name in ("start", "end", "old_start")},
    "write_page_checksum": True,
}


@dataclass(frozen=True, kw_only=True)
class Condition:
    """What all questions of a condition share.

    `roles` are those of its messages; without them, a question is a text or two. `replies` says whether the
    model is to reply with the name or the text of an option.
    """

    name: str
    family: str = CLEAN
    must: str = STAY
    preset: str | None = None
    severity: float | None = None
    copy: int = 0
    axis: str | None = None
    value: str | None = None
    roles: tuple[Literal["system", "user", "assistant"], ...] = ()
    replies: Literal["name", "text"] = "name"

    @property
    def is_clean(self) -> bool:
        """Whether it is the one that others are compared with."""
        return self.name == CLEAN

    @property
    def has_edits(self) -> bool:
        """Whether words change, so that some may be to blame."""
        return self.severity is not None

    @property
    def variant(self) -> str | None:
        """The other way to ask, such as `prompts=terse`."""
        return None if self.axis is None else f"{self.axis}={self.value}"


@dataclass(frozen=True, kw_only=True)
class PresetInfo:
    """A preset as it was when its twins were made; `validity` is how many of its edits readers accepted."""

    about: dict[str, Any]
    family: str
    version: str
    digest: str
    validity: Validity | None = None


@dataclass(frozen=True, kw_only=True)
class DataInfo:
    """The data, its rows per label, and the columns that were read."""

    name: str
    digest: str
    rows: int
    unlabelled: int
    labels: dict[str, int]
    text_columns: tuple[str, ...]
    label_column: str | None
    id_column: str | None


@dataclass(frozen=True, kw_only=True)
class About:
    """What is known about a table as a whole.

    `grading` is how answers are read: as labels, as words, or by a task. `made_with` are the settings on
    which the questions depend. `data` and `summaries` (what presets did, by condition) are there when all is
    made.
    """

    conditions: tuple[Condition, ...]
    grading: dict[str, Any]
    presets: dict[str, PresetInfo] = field(default_factory=dict)
    made_with: dict[str, Any] = field(default_factory=dict)
    rewritten_part: int = 0
    data: DataInfo | None = None
    summaries: dict[str, dict[str, Any]] = field(default_factory=dict)
    salva: str = ""
    format: int = FORMAT

    def condition(self, name: str) -> Condition:
        """Return the condition with a name."""
        return next(one for one in self.conditions if one.name == name)

    @property
    def task(self) -> dict[str, Any] | None:
        """The task whose questions are asked, as plain values."""
        task: dict[str, Any] | None = self.grading.get("task")
        return task

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return dict(msgspec.to_builtins(self))


def read_about(path: Path) -> About:
    """Return what a file says about a table; refuse one of another format."""
    plain = read_json(path)
    known = plain.get("format") if isinstance(plain, dict) else None
    if known != FORMAT:
        problem = "is not the description of a table of questions"
        if isinstance(known, int):
            problem = f"has format {known}, and this Salva reads format {FORMAT}"
        raise InputError.at(path, None, f"{problem}; make the questions again")
    if path.name == TABLE and plain.get("checksum") != checksum_of(plain):
        raise InputError.at(path, None, "was changed since it was written; make the questions again")
    try:
        return msgspec.convert(plain, About)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise InputError.at(path, None, f"is broken ({error})") from None


class Questions:
    """A table that was written, or some parts of it; nothing of it is in memory."""

    def __init__(self, folder: Path, about: About, parts: Sequence[str] | None = None) -> None:
        self.folder, self.about = folder, about
        self.parts = tuple(list_parts(folder) if parts is None else parts)
        files = {path: open_part(path) for path in (folder / f"{name}.parquet" for name in self.parts)}
        self._groups = [(path, file, k) for path, file in files.items() for k in range(file.num_row_groups)]

    def __len__(self) -> int:
        return sum(file.metadata.row_group(k).num_rows for _, file, k in self._groups)

    def __repr__(self) -> str:
        """Return how many questions there are, under how many conditions."""
        return f"<Questions: {len(self):,} under {len(self.about.conditions)} conditions, in {self.folder}>"

    @cached_property
    def items(self) -> list[tuple[int, int]]:
        """The first and the last item of every row group."""
        columns = (ints(block["item"]) for block in self.blocks(["item"]))
        return [(int(items.min()), int(items.max())) for items in columns]

    def blocks(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield some columns of all rows, one row group after the other."""
        for number in range(len(self._groups)):
            yield self._read(number, columns)

    def take(self, wanted: Mapping[int, Iterable[str]], columns: Sequence[str]) -> list[dict[str, Any]]:
        """Return the questions about some items under some conditions, in the order of the table."""
        found: list[dict[str, Any]] = []
        items = np.array(sorted(wanted), np.int64)
        needed = list(dict.fromkeys(["item", "condition", *columns]))
        for number, (first, last) in enumerate(self.items if wanted else ()):
            some = items[np.searchsorted(items, first) : np.searchsorted(items, last, side="right")]
            if len(some):
                table = self._read(number, needed)
                rows = table.filter(pc.is_in(table["item"], value_set=as_numbers(some))).to_pylist()
                found += [row for row in rows if row["condition"] in wanted[row["item"]]]
        return found

    def count(self) -> dict[str, int]:
        """Return how many rows there are, how many of them are not asked, and how many questions differ."""
        not_asked, heads = 0, [np.empty(0, np.uint64)]
        for table in self.blocks(["key"]):
            found, asked = read_heads(table["key"])
            not_asked += int((~asked).sum())
            heads.append(np.unique(found[asked]))
        different = len(np.unique(np.concatenate(heads)))
        return {"rows": len(self), "not_asked": not_asked, "different": different}

    def to_arrow(self) -> pa.Table:
        """Return the whole table."""
        blocks = list(self.blocks(SCHEMA.names))
        return pa.concat_tables(blocks) if blocks else SCHEMA.empty_table()  # which imports pandas

    def _read(self, number: int, columns: Sequence[str]) -> pa.Table:
        path, file, k = self._groups[number]
        with storage_errors(path):
            try:
                return file.read_row_group(k, list(columns), use_threads=False)
            except (pa.ArrowException, OSError) as error:
                raise _damaged(path, error) from None


@contextlib.contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder and its parents; if the block ends with an error, remove the new ones that are empty."""
    with storage_errors(folder):
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for place in missing:
                place.rmdir()
        raise


def open_part(path: Path) -> pq.ParquetFile:
    """Open a part of a table; refuse a file that is cut off, or has other columns."""
    with storage_errors(path):
        try:
            file = pq.ParquetFile(open_disk(path), page_checksum_verification=True)
            is_part = file.schema_arrow == SCHEMA
        except (pa.ArrowException, OSError, UnicodeError) as error:
            raise _damaged(path, error) from None
    if not is_part:
        raise InputError.at(path, None, "is not a part of a table of questions, or has another format")
    return file


def _damaged(path: Path, error: BaseException) -> InputError:
    return InputError.at(path, None, f"is damaged ({str(error).splitlines()[0]}); make the questions again")


def list_parts(folder: Path) -> list[str]:
    """Return the names of the parts that are there: what makers wrote, then the others."""
    names = (path.stem for path in folder.glob("*.parquet") if not path.name.startswith("."))
    return sorted(names, key=lambda name: (not name.startswith(MADE), name))


def list_made(folder: Path) -> list[str]:
    """Return the names of the parts that makers wrote."""
    return [name for name in list_parts(folder) if name.startswith(MADE)]


def write_part(
    path: Path,
    blocks: Iterable[pa.Table],
    note: Callable[[], Any] | None = None,
    *,
    unit: Unit | None = None,
) -> None:
    """Write a part as a whole or not at all; after the last block, `note` returns what to keep about it.

    A part of a `unit` gets its name together with the other files.
    """
    with (
        replacing(path, overwrite=True, unit=unit) as stream,
        storage_errors(path),
        pq.ParquetWriter(stream, SCHEMA, **_WRITING) as writer,
    ):
        for block in _gather(blocks):
            writer.write_table(block, row_group_size=max(1, len(block)))
        if note is not None:
            writer.add_key_value_metadata({"salva": json.dumps(note())})


def _gather(blocks: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield blocks that are large enough for a row group; the questions about an item stay together."""
    waiting: list[pa.Table] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= _GROUP_ROWS:
            yield _by_item(waiting)
            waiting = []
    if any(map(len, waiting)):
        yield _by_item(waiting)


def _by_item(blocks: Sequence[pa.Table]) -> pa.Table:
    """Return blocks as one, all questions about an item side by side.

    Texts and their twins are alike: they take half the space so.
    """
    whole = pa.concat_tables(blocks).combine_chunks()
    order = np.argsort(ints(whole["item"]), kind="stable")
    return whole if (np.diff(order) == 1).all() else whole.take(as_numbers(order))


def make_block(size: int, **columns: Any) -> pa.Table:
    """Return some questions; a single text is that of all, and what is not given is null."""
    arrays = []
    for column in SCHEMA:
        value = columns.get(column.name)
        if value is None:
            arrays.append(pa.nulls(size, column.type))
        elif isinstance(value, str):
            arrays.append(repeated(value, size))
        elif isinstance(value, pa.Array):
            arrays.append(value.cast(column.type))
        else:
            arrays.append(as_keys(value) if column.name == "key" else as_column(value, column.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def as_column(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return plain values as a column; `pa.array` would import pandas, which takes half a second."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return as_strings(values).array.cast(kind)
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        offsets = np.cumsum([0, *(len(value or ()) for value in values)], dtype=np.int32)
        flat = [one for value in values for one in value or ()]
        if pa.types.is_map(kind):
            flat = [dict(zip(("key", "value"), pair, strict=True)) for pair in flat]
        buffers, children = (
            [_valid_bits(values), pa.py_buffer(offsets)],
            [as_column(flat, kind.field(0).type)],
        )
        return pa.Array.from_buffers(kind, len(values), buffers, children=children)
    if pa.types.is_struct(kind):
        children = [as_column([one.get(own.name) for one in values], own.type) for own in kind]
        return pa.StructArray.from_arrays(children, fields=list(kind))
    stored = pa.int8() if pa.types.is_boolean(kind) else kind
    filled = np.array([0 if value is None else value for value in values], stored.to_pandas_dtype())
    return pa.Array.from_buffers(stored, len(values), [_valid_bits(values), pa.py_buffer(filled)]).cast(kind)


def _valid_bits(values: Sequence[Any]) -> pa.Buffer | None:
    """Return which values there are, as Arrow keeps it; None if all are, which needs no bits."""
    valid = [value is not None for value in values]
    return None if all(valid) else pa.py_buffer(np.packbits(valid, bitorder="little"))


def key_of(text: Text, time: int = 0, manner: str = "") -> bytes:
    """Return the key of a question that was asked so many times before; `manner` tells others apart.

    >>> key_of("fine") == text_id("fine"), key_of("fine", 1) == key_of("fine", 2)
    (True, False)
    """
    usual, again = text_id(text), f"{time}{manner}".encode()
    return hashlib.blake2b(usual + again, digest_size=16).digest() if time or manner else usual


def keys_of(inputs: Sequence[Text | None], time: int = 0, manner: str = "") -> list[bytes | None]:
    """Return the keys of questions; None is that of none."""
    return [None if text is None else key_of(text, time, manner) for text in inputs]


def as_keys(keys: Sequence[bytes | None]) -> pa.Array:
    """Return keys as a column."""
    data = b"".join(key or bytes(16) for key in keys)
    return pa.Array.from_buffers(pa.binary(16), len(keys), [_valid_bits(keys), pa.py_buffer(data)])


def read_heads(column: pa.ChunkedArray) -> tuple[Heads, Bools]:
    """Return the heads of a column of keys, and which rows have one."""
    array = one_array(column)
    asked = valid_rows(array) if len(array) else np.empty(0, np.bool_)
    filled = array.fill_null(bytes(16)) if array.null_count else array
    data = filled.buffers()[1]
    heads = np.frombuffer(data or b"", "<u8")[::2]
    return heads[filled.offset : filled.offset + len(filled)].copy(), asked


def inputs_of(block: pa.Table, about: About) -> list[Text | None]:
    """Return questions as a model gets them; the block has parts, options and condition."""
    column = block["parts"].combine_chunks()
    if not any(one.roles for one in about.conditions):
        if len(column.values) == len(column) and not column.null_count:
            return list(column.flatten().to_pylist())
        return [as_input(parts) for parts in column.to_pylist()]
    known = {one.name: one for one in about.conditions}
    rows = zip(column.to_pylist(), block["options"].to_pylist(), block["condition"].to_pylist(), strict=True)
    return [as_input(parts, known[name], options or ()) for parts, options, name in rows]


def as_input(
    parts: Sequence[str] | None, condition: Condition | None = None, options: Sequence[Mapping[str, str]] = ()
) -> Text | None:
    """Return a question as a model gets it: a text, a pair of texts, or a prompt."""
    if parts is None:
        return None
    if condition is None or not condition.roles:
        return parts[0] if len(parts) == 1 else (parts[0], parts[1])
    replies = tuple(option[condition.replies] for option in options)
    return Prompt(tuple(map(Message, condition.roles, parts)), replies)


def undo(
    parts: Sequence[str], edits: Sequence[Mapping[str, Any]], undone: Iterable[int] | None = None
) -> list[str]:
    """Return the parts of a question without some of its edits, by default without all.

    >>> undo(["a fine flick"], [{"part": 0, "start": 2, "end": 6, "old": "good"}])
    ['a good flick']
    """
    texts = list(parts)
    chosen = range(len(edits)) if undone is None else undone
    for edit in sorted((edits[k] for k in chosen), key=lambda one: -one["start"]):
        text = texts[edit["part"]]
        texts[edit["part"]] = text[: edit["start"]] + edit["old"] + text[edit["end"] :]
    return texts


def write_about(folder: Path, about: About) -> None:
    """Write what is known about a table."""
    plain = about.as_dict()
    content = as_json({**plain, "checksum": checksum_of(plain)})
    write_atomically(folder / TABLE, content, overwrite=True)


def checksum_of(plain: Mapping[str, Any]) -> str:
    """Return the digest of everything in a description but itself, to find what was changed by accident."""
    whole = json.dumps({**plain, "checksum": None}, sort_keys=True)
    return f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"


def open_questions(folder: Path, parts: Sequence[str] | None = None) -> Questions:
    """Open the table in a folder."""
    place = folder / TABLE
    if not place.is_file():
        raise InputError.at(folder, None, f"holds no questions ({TABLE} is missing)")
    return Questions(folder, read_about(place), parts)


def open_made(folder: Path) -> Questions:
    """Open what makers wrote in a folder."""
    return open_questions(folder, list_made(folder))


def short_name(digest: str) -> str:
    """Return eight digits of a digest, for the names of parts that belong to one model."""
    return digest.removeprefix("sha256:")[:8]


class _Run(NamedTuple):
    """Some keys in ascending order, with the place of each."""

    heads: Heads
    places: np.ndarray[Any, np.dtype[np.uint32]]


class KeyIndex:
    """Where keys are; of equal keys, the one that was added last.

    Keys are kept in sorted runs, each more than twice as long as the next, so that adding is cheap and few
    runs are searched; a run of a million keys stays as it is, because sorting takes three times its memory. A
    dict of as many keys takes ten times the memory.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def __len__(self) -> int:
        return sum(len(run.heads) for run in self._runs)

    def find(self, heads: Heads) -> Ints64:
        """Return the place of every key, -1 if it is not known."""
        found = np.full(len(heads), -1, np.int64)
        for run in self._runs:
            at = np.searchsorted(run.heads, heads)
            at[at == len(run.heads)] = 0
            hits = run.heads[at] == heads
            found[hits] = run.places[at[hits]]
        return found

    def add(self, heads: Heads, places: Ints64) -> None:
        """Add keys with their places."""
        if not len(heads):
            return
        run = _sort(heads, places.astype(np.uint32))
        while self._runs and len(self._runs[-1].heads) <= min(2 * len(run.heads), _LONGEST - len(run.heads)):
            older = self._runs.pop()
            heads = np.concatenate([older.heads, run.heads])
            run = _sort(heads, np.concatenate([older.places, run.places]))
        self._runs.append(run)

    def find_repeats(self, heads: Heads) -> Ints64:
        """Return which of some keys are known, or occur among them before; then add all of them."""
        _, first = np.unique(heads, return_index=True)
        fresh = (self.find(heads) < 0) & np.isin(np.arange(len(heads)), first)
        self.add(heads[fresh], np.flatnonzero(fresh))
        return np.flatnonzero(~fresh)


def _sort(heads: Heads, places: np.ndarray[Any, np.dtype[np.uint32]]) -> _Run:
    """Return keys in order; of equal ones, the last."""
    ordered, last = np.unique(heads[::-1], return_index=True)
    return _Run(ordered, places[::-1][last])


def heads_of(keys: Sequence[bytes]) -> Heads:
    """Return the heads of keys of sixteen bytes."""
    return np.frombuffer(b"".join(keys), "<u8").reshape(-1, 2)[:, 0].copy()
