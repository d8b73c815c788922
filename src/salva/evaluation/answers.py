"""The labels and answers of a run as codes, row by row: for the clean texts and for every condition."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from salva._arguments import argument
from salva._arrow import as_strings, open_disk
from salva._files import replacing, storage_errors
from salva._show import shorten
from salva._types import Bools, Floats, Ints32, Ints64, PathLike
from salva.errors import InputError
from salva.evaluation.results import JudgeResult
from salva.models import align_labels
from salva.runs import Answer, RunRows
from salva.tasks import Expected

logger = logging.getLogger("salva")

SCORES = "scores.parquet"
"""The file with the scores of answers, if a task gives others than right and wrong."""

Column = TypeVar("Column", Ints32, Ints64, Floats | None)


class Graded(NamedTuple):
    """The codes of some answers, and their scores, NaN for none; None if they are only right or wrong."""

    codes: Ints32
    scores: Floats | None = None


class LabelCodes:
    """Codes for labels, -1 for none; a label of the model has the code of its label in the data."""

    has_classes = True
    """Whether the labels are classes that are worth counting one by one."""
    passes = 1
    """How many models get something for each text: the model under test, and perhaps a judge."""

    def __init__(self, data_labels: Sequence[str], label_map: Mapping[str, str]) -> None:
        self.names = list(data_labels)
        self.aligned: dict[str, str] = {}
        self._data_labels, self._label_map = tuple(data_labels), label_map
        self._codes = {name: code for code, name in enumerate(self.names)}
        self._model_codes: dict[str | None, int] = {None: -1}

    @property
    def is_binary(self) -> bool:
        """Whether the data and the model have the same two classes."""
        return len(self.names) == len(set(self.aligned.values())) == 2

    def align(self, model_labels: Iterable[str]) -> None:
        """Find the data label of each label of the model; refuse those that the data does not have."""
        new = sorted(set(model_labels) - self._model_codes.keys())
        if new:
            self.aligned = align_labels([*self.aligned, *new], self._data_labels, self._label_map)
            self._model_codes |= {label: self._code(self.aligned[label]) for label in new}
            self._warn_of_classes_without_rows(new)

    def _warn_of_classes_without_rows(self, model_labels: Sequence[str]) -> None:
        """Report labels that stand for themselves because the data has only one, which they may mean."""
        others = [label for label in model_labels if self.aligned[label] not in self._data_labels]
        if len(self._data_labels) == 1 and others:
            only, other = shorten(repr(self._data_labels[0])), shorten(repr(others[0]))
            remedy = f"if it means {only}, add {argument('label_map')}"
            logger.warning(
                "all rows have the label %s; %s is taken as another class; %s", only, other, remedy
            )

    def align_answers(self, answers: Iterable[Answer | None]) -> None:
        """Do the same for the labels of answers."""
        self.align(answer.label for answer in answers if answer is not None)

    @property
    def never_answered(self) -> list[str]:
        """The labels of the data that no label of the model stands for."""
        return [name for name in self._data_labels if name not in self.aligned.values()]

    def encode_labels(self, labels: Sequence[str | None]) -> Ints32:
        """Return the codes of labels of the data."""
        codes = (-1 if label is None else self._codes[label] for label in labels)
        return np.fromiter(codes, np.int32, len(labels))

    def grade(self, labels: Sequence[str | None], keys: Sequence[Expected] | None) -> Graded:
        """Return the codes of labels that the model answered; `keys` belong to the rows of a task."""
        self.align(label for label in set(labels) if label is not None)
        return Graded(np.fromiter((self._model_codes[label] for label in labels), np.int32, len(labels)))

    def look_ahead(self, answers: Sequence[Answer | None], keys: Sequence[Expected] | None) -> None:
        """Get ready to grade all answers to some rows: those to the clean texts, then by condition."""

    def conclude(self) -> None:
        """Do what is left to do when all rows are graded."""

    def count_calls(self) -> dict[str, int]:
        """Return how many calls went to other models than the one under test, by name."""
        return {}

    def describe_judge(self) -> JudgeResult | None:
        """Return what is known of the judge; None if there is none."""
        return None

    def decode(self, codes: Ints32) -> list[str | None]:
        """Return the labels of codes."""
        names = [*self.names, None, None, None]  # UNJUDGED, UNPARSED and -1
        return [names[code] for code in codes.tolist()]

    def _code(self, name: str) -> int:
        if name not in self._codes:
            self._codes[name] = len(self.names)
            self.names.append(name)
        return self._codes[name]


class AnswerTable:
    """One row per row of the run: its label, the answer to its clean text, and one answer per condition."""

    def __init__(self, codes: LabelCodes, rows: int, conditions: int) -> None:
        self.codes = codes
        self.labels, self.clean, *self.after = (np.full(rows, -1, np.int32) for _ in range(conditions + 2))
        # Of each condition, the rows that are asked about there; None if that is all of them.
        self.asked: list[Bools | None] = [None] * conditions
        self.truncated_clean = 0
        self.truncated = [0] * conditions
        # Of the answers, NaN for none; None if the model gave no probability at all.
        self.clean_probabilities: Floats | None = None
        self.probabilities: list[Floats | None] = [None] * conditions
        # Of the answers, NaN for none; None if they are only right or wrong.
        self.clean_scores: Floats | None = None
        self.scores: list[Floats | None] = [None] * conditions

    def fill_clean(
        self,
        first: int,
        labels: Sequence[str | None],
        answers: Sequence[Answer | None],
        keys: Sequence[Expected] | None = None,
    ) -> None:
        """Store the labels and the clean answers of some rows."""
        place = slice(first, first + len(labels))
        self.labels[place] = self.codes.encode_labels(labels)
        self.clean[place], scores = self.codes.grade([answer and answer.label for answer in answers], keys)
        self.clean_scores = self._add_scores(self.clean_scores, first, scores)
        self.truncated_clean += _count_truncated(answers)
        self.clean_probabilities = self._add_probabilities(self.clean_probabilities, first, answers)

    def fill(
        self,
        condition: int,
        first: int,
        answers: Sequence[Answer | None],
        keys: Sequence[Expected] | None = None,
    ) -> None:
        """Store the answers of some rows under a condition."""
        codes, scores = self.codes.grade([answer and answer.label for answer in answers], keys)
        self.scores[condition] = self._add_scores(self.scores[condition], first, scores)
        self.after[condition][first : first + len(answers)] = codes
        self.truncated[condition] += _count_truncated(answers)
        before = self.probabilities[condition]
        self.probabilities[condition] = self._add_probabilities(before, first, answers)

    def mark_asked(
        self, condition: int, first: int, ids: Sequence[bytes | None], clean: Sequence[bytes | None]
    ) -> None:
        """Note which of some rows have a question under a condition, if not all that have a clean one do."""
        pairs = zip(ids, clean, strict=True)
        asked = np.fromiter((name is not None or own is None for name, own in pairs), np.bool_, len(ids))
        column = self.asked[condition]
        if column is None and not asked.all():
            self.asked[condition] = column = np.ones(len(self.labels), np.bool_)
        if column is not None:
            column[first : first + len(ids)] = asked

    def pairs(self, condition: int) -> tuple[Ints32, Ints32, Ints32]:
        """Return labels, clean answers and those under a condition, of the rows that it asks about."""
        columns = self.labels, self.clean, self.after[condition]
        labels, clean, after = (self.among(condition, column) for column in columns)
        return labels, clean, after

    def among(self, condition: int, column: Column) -> Column:
        """Return the values of a column for the rows that are asked about under a condition."""
        asked = self.asked[condition]
        return column if asked is None or column is None else column[asked]

    def _add_scores(self, column: Floats | None, first: int, scores: Floats | None) -> Floats | None:
        if scores is None:
            return None
        column = np.full(len(self.labels), np.nan) if column is None else column
        column[first : first + len(scores)] = scores
        return column

    def _add_probabilities(
        self, column: Floats | None, first: int, answers: Sequence[Answer | None]
    ) -> Floats | None:
        values = [None if answer is None else answer.probability for answer in answers]
        if column is None and values.count(None) == len(values):
            return None
        column = np.full(len(self.labels), np.nan) if column is None else column
        column[first : first + len(values)] = [math.nan if value is None else value for value in values]
        return column

    def collect(self, conditions: Sequence[str], rows: RunRows) -> pa.Table:
        """Return what `write` writes."""
        ids = [as_strings(group.ids).array for group in rows]
        names = ("label", "clean", *conditions)
        codes = map(self._decoded, (self.labels, self.clean, *self.after))
        return pa.table({"id": pa.chunked_array(ids), **dict(zip(names, codes, strict=True))})

    def collect_scores(self, conditions: Sequence[str], rows: RunRows) -> pa.Table | None:
        """Return the scores of all answers: id, clean, and one column per condition; None without scores."""
        scores = dict(zip(("clean", *conditions), (self.clean_scores, *self.scores), strict=True))
        known = {name: one for name, one in scores.items() if one is not None}
        if len(known) < len(scores):
            return None
        ids = [as_strings(group.ids).array for group in rows]
        return pa.table({"id": pa.chunked_array(ids, pa.large_string()), **known})

    def _decoded(self, codes: Ints32) -> pa.DictionaryArray:
        valid = pa.py_buffer(np.packbits(codes >= 0, bitorder="little"))
        known = pa.Array.from_buffers(pa.int32(), len(codes), [valid, pa.py_buffer(codes)])
        return pa.DictionaryArray.from_arrays(known, as_strings(self.codes.names).array)

    def write_scores(self, path: PathLike, conditions: Sequence[str], rows: RunRows) -> None:
        """Write `collect_scores` to a parquet file; without scores, there is no such file."""
        table = self.collect_scores(conditions, rows)
        if table is None:
            Path(path).unlink(missing_ok=True)
            return
        with replacing(path, overwrite=True) as stream, storage_errors(path):
            pq.write_table(table, stream, compression="zstd", write_page_checksum=True)

    def write(self, path: PathLike, conditions: Sequence[str], rows: RunRows) -> None:
        """Write everything to a parquet file: id, label, clean, and one column per condition."""
        with replacing(path, overwrite=True) as stream, storage_errors(path):
            writer = None
            for group in rows:
                place = slice(group.first, group.first + len(group))
                names = ("label", "clean", *conditions)
                answers = dict(zip(names, (self.labels, self.clean, *self.after), strict=True))
                columns: dict[str, Sequence[str | None]] = {"id": group.ids}
                columns |= {name: self.codes.decode(codes[place]) for name, codes in answers.items()}
                table = pa.table({name: as_strings(values).array for name, values in columns.items()})
                writer = writer or pq.ParquetWriter(
                    stream, table.schema, compression="zstd", write_page_checksum=True
                )
                writer.write_table(table)
            if writer is not None:
                writer.close()


def read_answers(path: PathLike, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return some columns of the answers of a run, by name; None means no label or no answer."""
    table = read_answer_table(path, names)
    return {name: table[name].to_pylist() for name in names}


def read_answer_table(path: PathLike, names: Sequence[str] | None = None) -> pa.Table:
    """Return some columns of the answers of a run, or all: id, label, clean, and one column per condition."""
    with storage_errors(path):
        try:
            columns = None if names is None else list(names)
            return pq.read_table(open_disk(path), columns=columns, page_checksum_verification=True)
        except (pa.ArrowException, OSError) as error:
            raise InputError.at(path, None, f"is damaged ({str(error).splitlines()[0]})") from None


def list_answers(table: pa.Table, texts: Mapping[str, pa.Array]) -> pa.Table:
    """Return the answers of a run as one row per row and condition, with the clean texts of the rows.

    Whether an answer is right, or changed, is null if there is no answer or, for right, no label.
    """
    size, strings = len(table), pa.large_string()
    id_, label, before, *after = (column.cast(strings) for column in table.columns)
    # A text that occurs under every condition is kept once.
    rows = pa.array(np.arange(size))
    kept = {name: pa.DictionaryArray.from_arrays(rows, one) for name, one in texts.items()}
    parts = [
        pa.table(
            {
                "row": rows,
                "id": id_,
                "condition": pa.repeat(pa.scalar(name, strings), size),
                "label": label,
                "before": before,
                "after": answer,
                "right_before": pc.equal(before, label),
                "right_after": pc.equal(answer, label),
                "changed": pc.not_equal(before, answer),
                **kept,
            }
        )
        for name, answer in zip(table.column_names[3:], after, strict=True)
    ]
    return pa.concat_tables(parts)


def _count_truncated(answers: Sequence[Answer | None]) -> int:
    return sum(answer is not None and answer.truncated for answer in answers)
