"""Answers that were made elsewhere, found by the key of the question: `answers:PATH` and `log:PATH`.

`answers:` is a file, or a folder with answers.jsonl, answers.csv or answers.parquet, such as the suite that
`salva questions` made. Each row has the key of a question, as `key` or `id`, in hexadecimal or in bytes, and
its `label`, or one column `p_CLASS` with the probability of each class, or, for a question of a task, the
reply as `output`; it may have the `status` of the answer. Rows may be in any order. `log:` is a log of
lm-evaluation-harness or Inspect, or a folder with such files.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from salva._arrow import open_disk
from salva.errors import InputError
from salva.harnesses import Reply, read_log, read_samples
from salva.models.outputs import KNOWN_STATUSES, OutputError, answers_of, class_names, texts_of
from salva.models.protocol import (
    PER_CHARACTER,
    REFUSED,
    STATUSES,
    TRUNCATED,
    Adapted,
    Answer,
    Answers,
    ModelOptions,
    Status,
    Text,
    combined,
    of_files,
    text_id,
)
from salva.rows import ReadOptions, open_rows
from salva.rows.jsonl import as_table
from salva.rows.read import parse_name

_NAMES, _QUESTIONS = ("answers.jsonl", "answers.csv", "answers.parquet"), "questions.parquet"
_KEYS = ("key", "id")
_ID = re.compile(r"[0-9a-fA-F]{32}")
_PREFIX, _STATUS = "p_", "status"
_LOGS = (".eval", ".json", ".jsonl")
_STOPPED: dict[str, Status] = {"limit": TRUNCATED, "refusal": REFUSED}


class RecordedModel(Adapted):
    """Answers looked up by key; nothing else can be asked, and a question without one fails."""

    def __init__(
        self,
        name: str,
        digest: str,
        answers: dict[str, Answer],
        explain: Callable[[str], str],
        options: ModelOptions,
        *,
        classes: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(name, digest, options.batch_size or 4096, classes)
        self._answers, self._explain = answers, explain

    def predict(self, texts: list[Text]) -> Answers:
        """Return the recorded answers to texts."""
        return self.find([text_id(text) for text in texts], texts)

    def find(self, keys: Sequence[bytes], texts: Sequence[Text]) -> Answers:
        """Return the recorded answers to questions; by default, a question has the answer to its text."""
        return Answers.of_each([self._find(key.hex(), text) for key, text in zip(keys, texts, strict=True)])

    def _find(self, key: str, text: Text) -> Answer:
        known = self._answers.get(key) or self._answers.get(text_id(text).hex())
        return known or Answer(error=self._explain(key))


def open_answers(rest: str, options: ModelOptions) -> RecordedModel:
    """Open `answers:PATH`: labels of texts, or with `writes` replies to the questions of a task."""
    path = _find_answers(rest)
    known = _read_answers(path, options)
    files, named = of_files([path]), options.model_id
    about = ("generate", files, named) if options.writes else (files, named, options.logits)
    labels = {one.label for one in known.values() if one.label is not None}
    return RecordedModel(
        f"answers:{rest}",
        combined("answers", *about),
        known,
        _explain_missing(path),
        options,
        classes=None if options.writes else tuple(sorted(labels)),
    )


def open_log(rest: str, options: ModelOptions) -> RecordedModel:
    """Open `log:PATH`."""
    path = Path(rest)
    if path.is_dir():
        samples = sorted(path.rglob("samples_*.jsonl"))
        paths = samples or sorted(path.rglob("*.eval")) or sorted(path.rglob("*.json"))
    else:
        paths = [path] if rest and path.suffix in _LOGS and path.is_file() else []
    if not paths:
        problem = "holds no log; name samples_*.jsonl of lm-eval, .eval or .json of Inspect, or their folder"
        raise InputError.at(rest or "log:", None, problem)
    by_length = options.choose_by == PER_CHARACTER
    return RecordedModel(
        f"log:{rest}",
        combined("log", of_files(paths), options.model_id, by_length),
        _read_logs(paths, per_character=by_length),
        lambda _: "the logs have no reply to this question",
        options,
    )


def _find_answers(rest: str) -> Path:
    path = Path(rest)
    if rest and path.is_file():
        if parse_name(path).format is None:
            raise InputError.at(path, None, "has no known ending; call it .jsonl, .csv or .parquet")
        return path
    if not rest or not path.is_dir():
        problem = "is not a file or folder; give a file with answers, or a folder that has one"
        raise InputError.at(rest or "answers:", None, problem)
    files = [path / name for name in _NAMES if (path / name).is_file()]
    if not files:
        raise InputError.at(path, None, f"has no answers; put {', '.join(_NAMES[:2])} or {_NAMES[2]} there")
    if len(files) > 1:
        raise InputError.at(path, None, f"has both {files[0].name} and {files[1].name}; keep one")
    return files[0]


def _read_answers(path: Path, options: ModelOptions) -> dict[str, Answer]:
    """Return the answers in a file by the keys of questions; one may occur twice with the same answer."""
    known: dict[str, tuple[int, Answer]] = {}
    name, as_bytes = _find_key(path)
    before = 0
    for batch in _batches(path, name, as_bytes=as_bytes):
        columns = {column: batch.column(i).to_pylist() for i, column in enumerate(batch.schema.names)}
        ids = [key.hex() if isinstance(key, bytes) else key for key in columns.pop(name)]
        statuses = _read_statuses(path, before, columns.pop(_STATUS, [None] * len(ids)))
        try:
            answers = _read_columns(path, before, name, columns, options)
        except OutputError as error:
            raise InputError.at(path, None, f"rows from {before + 1} on: {error}") from None
        # What the file lacks does not explain a refusal.
        errors = [None if s == REFUSED else error for s, error in zip(statuses, answers.errors, strict=True)]
        settled = Answers.of(
            answers.labels, probabilities=answers.probabilities, statuses=statuses, errors=errors
        )
        found = map(Answer, settled.labels, settled.probabilities, settled.statuses, settled.errors)
        for row, (raw, answer) in enumerate(zip(ids, found, strict=True), before + 1):
            if raw is None or not _ID.fullmatch(raw):
                problem = (
                    f"row {row}: {name} {raw!r:.60} must be 32 hexadecimal digits, the key of a question"
                )
                raise InputError.at(path, None, problem)
            first, other = known.setdefault(raw.lower(), (row, answer))
            if other != answer:
                problem = f"rows {first} and {row} answer {name} {raw.lower()} differently; keep one"
                raise InputError.at(path, None, problem)
        before += len(ids)
    return {key: answer for key, (_, answer) in known.items()}


def _find_key(path: Path) -> tuple[str, bool]:
    """Return which column has the keys, and whether they are bytes."""
    with open_rows(path, needs_text=False) as rows:
        schema = as_table(next(iter(rows))).schema
    found = [name for name in _KEYS if name in schema.names]
    if len(found) == 1:
        binary = (pa.types.is_fixed_size_binary, pa.types.is_binary, pa.types.is_large_binary)
        return found[0], any(test(schema.field(found[0]).type) for test in binary)
    listed = ", ".join(map(repr, schema.names))
    problem = "has both key and id; keep one" if found else f"has no column key or id; columns: {listed}"
    raise InputError.at(path, None, problem)


def _batches(path: Path, key: str, *, as_bytes: bool) -> Iterator[pa.RecordBatch]:
    """Yield the rows with all their columns; only the keys are read as text, if they are not bytes."""
    options = None if as_bytes else ReadOptions(text_column=key)
    with open_rows(path, options, needs_text=not as_bytes) as rows:
        for batch in rows:
            if batch.num_rows:
                yield as_table(batch)


def _read_statuses(path: Path, before: int, values: Sequence[Any]) -> list[Status | None]:
    for row, value in enumerate(values, before + 1):
        if value not in (None, "", *STATUSES):
            problem = f"row {row}: status {value!r:.40} must be one of {KNOWN_STATUSES}"
            raise InputError.at(path, None, problem)
    return [value or None for value in values]


def _read_columns(
    path: Path, before: int, key: str, columns: dict[str, list[Any]], options: ModelOptions
) -> Answers:
    """Return the answers in some rows, after others that are `before` them, from all columns but the key."""
    names = list(columns)
    classes = [name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)]
    only, expected = "label", f"label, or {key} and p_CLASS for each class"
    if options.writes:
        classes, only, expected = [], "output", "output, the whole reply"
    if names != [only] and (not classes or len(classes) < len(names)):
        shown = ", ".join(map(repr, names)) or "nothing else"
        raise InputError.at(path, None, f"has {key} and {shown}; expected {key} and {expected}")
    if not classes:
        return (texts_of if options.writes else answers_of)(columns[only], len(columns[only]))
    table = [
        [_number(path, row, name, value) for name, value in zip(names, values, strict=True)]
        for row, values in enumerate(zip(*columns.values(), strict=True), before + 1)
    ]
    return answers_of(table, len(table), classes=class_names(classes), logits=options.logits)


def _number(path: Path, row: int, name: str, value: object) -> float:
    try:
        return float("nan") if value in {None, ""} else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError.at(path, None, f"row {row}: {name} is {value!r:.40}, not a number") from None


def _explain_missing(path: Path) -> Callable[[str], str]:
    """Return what says why a question has no answer in a file."""
    asked = functools.cache(lambda: _read_keys(path.with_name(_QUESTIONS)))

    def explain(key: str) -> str:
        if asked() and key not in asked():
            again = "make them again with the presets, severities, seed and rows of this run"
            return f"the question is not among those in {_QUESTIONS}; {again}"
        return f"no answer for key {key}"

    return explain


def _read_keys(path: Path) -> set[str]:
    """Return the keys of the questions in a suite; none if the file is gone or is not a suite."""
    try:
        keys = pq.ParquetFile(open_disk(path)).read([_KEYS[0]])[_KEYS[0]].to_pylist()
    except (pa.ArrowException, OSError, KeyError):
        return set()
    return {key.hex() for key in keys if isinstance(key, bytes)}


def _read_logs(paths: Sequence[Path], *, per_character: bool) -> dict[str, Answer]:
    known: dict[str, Reply] = {}
    for path in paths:
        samples = path.suffix == ".jsonl"
        for reply in read_samples(path, per_character=per_character) if samples else read_log(path):
            if known.setdefault(reply.salva, reply).text != reply.text:
                problem = f"has two different replies to the question {reply.salva}"
                raise InputError.at(path, None, f"{problem}; name the log of one run")
    return {
        key: Answer(reply.text, None, reply.stopped and _STOPPED[reply.stopped], reply.error)
        for key, reply in known.items()
    }
