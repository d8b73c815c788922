"""`predictions:DIRECTORY`: answers that were made elsewhere for the texts that `--export` wrote.

Next to `texts.jsonl` is answers.jsonl, answers.csv or answers.parquet, with the id of each text and its
`label`, or one column `p_CLASS` with the probability of each class; rows may be in any order. The replies to
the questions of a task are in a column `output`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from salva._arguments import argument
from salva.errors import InputError, SalvaError
from salva.models.options import ModelOptions
from salva.models.outputs import OutputError, answers_of, class_names, texts_of
from salva.models.protocol import Answers, Text, combined, of_files, text_id
from salva.rows import ReadOptions, open_rows
from salva.rows.jsonl import as_table

_NAMES = ("answers.jsonl", "answers.csv", "answers.parquet")
_ID = re.compile(r"[0-9a-fA-F]{32}")
_PREFIX = "p_"


class _Known(NamedTuple):
    """One answer in the file: its row and its content."""

    row: int
    label: str | None
    probability: float | None
    error: str | None


class PredictionsModel:
    """Answers looked up by the id of the text; a text without one fails."""

    fixed = True
    """True: no other text can be asked about."""

    def __init__(self, path: Path, name: str, options: ModelOptions) -> None:
        self.name = name
        self.batch_size = options.batch_size or 4096
        self._logits = options.logits
        self._known: dict[bytes, _Known] = {}
        self._folder = path.parent
        self._exported: set[bytes] | None = None
        self._read(path)
        labels = {known.label for known in self._known.values()}
        self.classes: tuple[str, ...] | None = tuple(sorted(label for label in labels if label is not None))
        self.digest = combined("predictions", of_files([path]), options.model_id, options.logits)

    def _answers(self, path: Path, row: int, batch: pa.RecordBatch) -> Answers:
        """Return the answers in some rows, of which the first has this number."""
        return _batch_answers(path, row, batch, logits=self._logits)

    def predict(self, texts: list[Text]) -> Answers:
        """Return the answers from the file."""
        ids = [text_id(text) for text in texts]
        answers = [self._known.get(key) for key in ids]
        return Answers.of(
            [None if known is None else known.label for known in answers],
            probabilities=[None if known is None else known.probability for known in answers],
            errors=[
                self._explain_missing(key) if known is None else known.error
                for key, known in zip(ids, answers, strict=True)
            ],
        )

    def _explain_missing(self, key: bytes) -> str:
        if self._exported is None:
            self._exported = _exported_ids(self._folder / "texts.jsonl")
        if self._exported and key not in self._exported:
            again = f"{argument('export')} again with the presets, severities, seed and rows of this run"
            return f"the text is not among those that were exported; use {again}"
        return f"no answer for id {key.hex()}"

    def close(self) -> None:
        """Do nothing: the file is already closed."""

    def _read(self, path: Path) -> None:
        row = 0
        for batch in _batches(path):
            answers = self._answers(path, row, batch)
            for i, raw in enumerate(batch.column("id").to_pylist()):
                row += 1
                if raw is None or not _ID.fullmatch(raw):
                    problem = f"row {row}: id {raw!r:.60} must be 32 hexadecimal digits, as in texts.jsonl"
                    raise InputError.at(path, None, problem)
                known = _Known(row, answers.labels[i], answers.probabilities[i], answers.errors[i])
                self._add(path, bytes.fromhex(raw), known)

    def _add(self, path: Path, key: bytes, known: _Known) -> None:
        other = self._known.setdefault(key, known)
        if other[1:] != known[1:]:
            problem = f"rows {other.row} and {known.row} answer id {key.hex()} differently"
            raise InputError.at(path, None, f"{problem}; keep one")


class PredictedReplies(PredictionsModel):
    """Replies to the questions of a task, looked up in the same way."""

    def __init__(self, path: Path, name: str, options: ModelOptions) -> None:
        super().__init__(path, name, options)
        self.classes = None
        self.digest = combined("predictions", "generate", of_files([path]), options.model_id)

    def _answers(self, path: Path, row: int, batch: pa.RecordBatch) -> Answers:
        names = [name for name in batch.schema.names if name != "id"]
        if names != ["output"]:
            shown = ", ".join(map(repr, names)) or "nothing else"
            raise InputError.at(path, None, f"has id and {shown}; expected id and output, the whole reply")
        try:
            return texts_of(batch.column("output").to_pylist(), batch.num_rows)
        except OutputError as error:
            raise InputError.at(path, None, f"rows from {row + 1} on: {error}") from None


def open_predictions(rest: str, options: ModelOptions) -> PredictionsModel:
    """Open `predictions:DIRECTORY`."""
    return PredictionsModel(_find_answers(rest), f"predictions:{rest}", options)


def open_predicted_replies(rest: str, options: ModelOptions) -> PredictedReplies:
    """Open `predictions:DIRECTORY` with replies to the questions of a task."""
    return PredictedReplies(_find_answers(rest), f"predictions:{rest}", options)


def _find_answers(rest: str) -> Path:
    folder = Path(rest)
    if not rest or not folder.is_dir():
        problem = f"is not a folder; give the one that {argument('export')} wrote"
        raise InputError.at(rest or "predictions:", None, problem)
    files = [folder / name for name in _NAMES if (folder / name).is_file()]
    if not files:
        raise InputError.at(folder, None, f"has no answers; put {', '.join(_NAMES[:2])} or {_NAMES[2]} there")
    if len(files) > 1:
        raise InputError.at(folder, None, f"has both {files[0].name} and {files[1].name}; keep one")
    return files[0]


def _exported_ids(path: Path) -> set[bytes]:
    """Return the ids of the exported texts; none if the file is gone or is not what was exported."""
    try:
        ids = [raw for batch in _batches(path) for raw in batch.column("id").to_pylist()]
    except SalvaError:
        return set()
    return {bytes.fromhex(raw) for raw in ids if raw is not None and _ID.fullmatch(raw)}


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the rows with all their columns; only the id is read as text."""
    with open_rows(path, ReadOptions(text_column="id")) as rows:
        for batch in rows:
            if batch.num_rows:
                yield as_table(batch)


def _batch_answers(path: Path, row: int, batch: pa.RecordBatch, *, logits: bool) -> Answers:
    columns: Mapping[str, list[Any]] = {
        name: batch.column(i).to_pylist() for i, name in enumerate(batch.schema.names) if name != "id"
    }
    classes = [name.removeprefix(_PREFIX) for name in columns if name.startswith(_PREFIX)]
    if set(columns) != {"label"} and (not classes or len(classes) < len(columns)):
        shown = ", ".join(map(repr, columns)) or "nothing else"
        problem = f"has id and {shown}; expected id and label, or id and p_CLASS for each class"
        raise InputError.at(path, None, problem)
    try:
        if not classes:
            return answers_of(columns["label"], batch.num_rows)
        return _of_probabilities(path, row, columns, class_names(classes), logits=logits)
    except OutputError as error:
        raise InputError.at(path, None, f"rows from {row + 1} on: {error}") from None


def _of_probabilities(
    path: Path, row: int, columns: Mapping[str, list[Any]], classes: tuple[str, ...], *, logits: bool
) -> Answers:
    table = [
        [_number(path, row + i, name, value) for name, value in zip(columns, cells, strict=True)]
        for i, cells in enumerate(zip(*columns.values(), strict=True), 1)
    ]
    return answers_of(table, len(table), classes=classes, logits=logits)


def _number(path: Path, row: int, name: str, value: object) -> float:
    try:
        return float("nan") if value in {None, ""} else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError.at(path, None, f"row {row}: {name} is {value!r:.40}, not a number") from None
