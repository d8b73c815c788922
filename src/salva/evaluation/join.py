"""Questions joined with answers: for every condition, the answer to each item, from which every number comes.

The table and the log are read once, block by block. What stays in memory are some bytes per question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from salva._arrow import as_floats, as_strings, ints, repeated
from salva._files import replacing, storage_errors
from salva._types import Bools, Floats32, Ints, Ints32, Ints64
from salva.asking.log import CUT_INPUT, AnswerLog, LoggedAnswer
from salva.evaluation.grading import NONE, Grader, list_asked_rows, list_contrast_rows
from salva.evaluation.results import FailedText, FailedTexts
from salva.numbers import UNJUDGED, UNPARSED
from salva.questions.table import CHANGE, CLEAN, NO_TEXT, Condition, Heads, Questions, read_heads

_READ = ("id", "group", "condition", "expected", "facts", "characters", "unchanged", "why_not_asked")
_MOST_LISTED = 100  # texts without an answer
_SAME = -9  # in place of the code of a right answer: that of the clean question
# What few conditions need, as columns of `Answered`: the usual value and the type.
_RARE: dict[str, tuple[Any, Any]] = {
    "asked": (True, np.bool_),
    "unchanged": (False, np.bool_),
    "expected": (_SAME, np.int32),
    "scores": (np.nan, np.float32),
    "probabilities": (np.nan, np.float32),
    "right": (False, np.bool_),
}
_TEXT = pa.string()
ANSWERS = pa.schema(
    [
        ("model", _TEXT),
        ("key", pa.binary(16)),
        ("item", pa.int64()),
        ("condition", _TEXT),
        ("reply", _TEXT),
        ("answer", _TEXT),
        ("score", pa.float32()),
        ("status", _TEXT),
    ]
)


class _Column:
    """One value per item, the usual one for most; memory is taken when a value differs."""

    def __init__(self, size: int, usual: Any, kind: Any) -> None:
        self._size, self._usual, self._kind = size, usual, kind
        self._values: np.ndarray[Any, Any] | None = None

    def put(self, items: Ints64, values: Sequence[Any] | np.ndarray[Any, Any]) -> None:
        """Set the values of some items."""
        array = np.asarray(values, self._kind)
        if self._values is None:
            is_nan = isinstance(self._usual, float)
            usual = np.isnan(array).all() if is_nan else (array == self._usual).all()
            if usual:
                return
            self._values = np.full(self._size, self._usual, self._kind)
        self._values[items] = array

    def get(self) -> np.ndarray[Any, Any] | None:
        """Return all values; None if all are the usual one."""
        return self._values


@dataclass(slots=True)
class Answered:
    """The answers under one condition, one entry per item.

    Codes are those of the grader, -1 for no answer. `asked` is whether there is a question, `unchanged`
    whether it is the clean one although it was rewritten; `expected` are the right answers to these very
    questions. None stands for all items, for none, and for those of the clean questions. Under a contrast,
    `right` is whether the answer is the new right one.
    """

    condition: Condition
    codes: Ints32
    asked: Bools | None = None
    unchanged: Bools | None = None
    expected: Ints32 | None = None
    scores: Floats32 | None = None
    probabilities: Floats32 | None = None
    right: Bools | None = None
    truncated: int = 0
    statuses: Counter[str] = field(default_factory=Counter)

    def among(self, column: Any) -> Any:
        """Return the values of a column for the items that are asked under the condition."""
        return column if self.asked is None or column is None else column[self.asked]


@dataclass(slots=True)
class Joined:
    """Everything that is known about items and their answers."""

    grader: Grader
    clean: Answered
    conditions: list[Answered]  # under which answers must stay
    contrasts: list[Answered]  # under which they must change
    labels: Ints32  # the right answers to the clean questions, as codes; -1 for none
    clusters: Ints64  # items with the same number are not independent
    texts: Ints64  # equal for items with the same clean question
    lengths: Ints64  # of the text that is rewritten, in characters; -1 for none
    facts: dict[str, list[str | None]]
    failed: FailedTexts
    reasons: Counter[str]  # why questions have no answer, each different question once
    different: int  # how many different questions were asked

    def __len__(self) -> int:
        return len(self.labels)

    def pairs(self, one: Answered) -> tuple[Ints, Ints, Ints]:
        """Return right answers, clean answers and those under a condition, of items that it asks about."""
        return one.among(self.labels), one.among(self.clean.codes), one.among(one.codes)

    def changed(self, one: Answered) -> Bools | None:
        """Return which of these items have another question than the clean one; None: all."""
        return None if one.unchanged is None else one.among(~one.unchanged)

    def decode(self, codes: Ints) -> list[str | None]:
        """Return the answers that codes stand for."""
        names = [*self.grader.names, None, None, None]  # UNJUDGED, UNPARSED and -1
        return [names[code] for code in codes.tolist()]


class _Block(NamedTuple):
    """Some questions with their answers, one entry per question."""

    heads: Heads  # of keys, 0 for none
    items: Ints64
    columns: Mapping[str, list[Any]]
    found: list[LoggedAnswer | None]
    graded: Ints32
    scores: Floats32 | None
    right: Bools
    expected: Ints32

    def pick(self, column: str, rows: Ints64) -> list[Any]:
        """Return the values of a column in some rows."""
        values = self.columns[column]
        return [values[row] for row in rows.tolist()]


class _Join:
    """A join under way: what was read so far."""

    def __init__(self, questions: Questions, log: AnswerLog, grader: Grader, model: str) -> None:
        about = questions.about
        assert about.data is not None  # noqa: S101
        size = about.data.rows
        self._log, self._grader, self._about, self._model = log, grader, about, model
        self._answered = {one.name: Answered(one, np.full(size, NONE, np.int32)) for one in about.conditions}
        self._rare = {
            name: {column: _Column(size, *kind) for column, kind in _RARE.items()} for name in self._answered
        }
        self._labels: Ints32 = np.full(size, NONE, np.int32)
        self._lengths: Ints64 = np.full(size, -1, np.int64)
        self._heads = np.zeros(size, np.uint64)
        self._groups = None if about.made_with.get("group") is None else _Texts(size)
        self._facts = {name: _Texts(size) for name in about.made_with.get("slice_by") or ()}
        self._different = np.zeros(log.last + 1, np.bool_)
        self._lost: dict[int, str] = {}
        self._failed_rows: set[int] = set()
        self._failed = 0
        self._listed: list[FailedText] = []

    def add(self, block: pa.Table) -> pa.Table:
        """Add the next questions; return their answers as a part of the table of answers."""
        heads, _ = read_heads(block["key"])
        numbers = self._log.find_block(block)
        self._different[numbers[numbers >= 0]] = True
        logged = self._log.read(numbers)
        found = [logged.get(number) for number in numbers.tolist()]
        columns = {name: block[name].to_pylist() for name in _READ}
        graded, scores, right = self._grade(block, found)
        expected = np.array([self._grader.code_expected(one) for one in columns["expected"]], np.int32)
        if right is None:
            right = (graded == expected) & (expected >= 0)
        work = _Block(heads, ints(block["item"]), columns, found, graded, scores, right, expected)
        names = block["condition"].combine_chunks().dictionary_encode()
        codes = ints(names.indices)
        for number, name in enumerate(names.dictionary.to_pylist()):
            self._fill(name, np.flatnonzero(codes == number), work)
        self._note_failures(work)
        return self._as_answers(block, work)

    def _grade(
        self, block: pa.Table, found: Sequence[LoggedAnswer | None]
    ) -> tuple[Ints32, Floats32 | None, Bools | None]:
        """Return the codes of replies, their scores, and which answers to contrasts are the new right ones.

        There are no scores if answers are only right or wrong, and no right ones if codes alone show them.
        """
        replies = [one and one.reply for one in found]
        rows = list_asked_rows(block, self._about) if self._grader.columns else []
        answers = self._grader.grade(replies, rows)
        graded = np.array([one.code for one in answers], np.int32)
        scores: Floats32 | None = None
        if self._grader.is_graded:
            scores = np.array([np.nan if one.score is None else one.score for one in answers], np.float32)
        contrasts = list_contrast_rows(block, rows, self._about) if rows else {}
        if not contrasts:
            return graded, scores, None
        right = np.zeros(len(found), np.bool_)
        again = self._grader.grade([replies[k] for k in contrasts], list(contrasts.values()))
        for (k, row), one in zip(contrasts.items(), again, strict=True):
            right[k] = one.code == self._grader.code_expected(row.expected)
        return graded, scores, right

    def _fill(self, name: str, rows: Ints64, work: _Block) -> None:
        """Put the answers of some rows, all of one condition, in their places."""
        answered, rare, own = self._answered[name], self._rare[name], work.items[rows]
        answered.codes[own] = work.graded[rows]
        some = [work.found[row] for row in rows.tolist()]
        probabilities = (None if one is None else one.probability for one in some)
        rare["probabilities"].put(own, [np.nan if value is None else value for value in probabilities])
        if work.scores is not None:
            rare["scores"].put(own, work.scores[rows])
        why = work.pick("why_not_asked", rows)
        rare["asked"].put(own, [reason is None or reason == NO_TEXT for reason in why])
        answered.truncated += sum(one is not None and one.why == CUT_INPUT for one in some)
        for reason, one, code in zip(why, some, work.graded[rows].tolist(), strict=True):
            answered.statuses[reason or _status(one, code)] += 1
        right = work.expected[rows]
        if name == CLEAN:
            self._labels[own] = right
            self._heads[own] = work.heads[rows]
            self._lengths[own] = [
                -1 if length is None else length for length in work.pick("characters", rows)
            ]
            if self._groups is not None:
                self._groups.put(own, work.pick("group", rows))
            facts = [dict(one or ()) for one in work.pick("facts", rows)] if self._facts else []
            for fact, column in self._facts.items():
                column.put(own, [one.get(fact) for one in facts])
            return
        # Most conditions have the right answers of the clean questions, and need none of their own.
        rare["expected"].put(own, np.where(right == self._labels[own], _SAME, right))
        rare["unchanged"].put(own, [bool(value) for value in work.pick("unchanged", rows)])
        if answered.condition.must == CHANGE:
            rare["right"].put(own, work.right[rows])

    def _note_failures(self, work: _Block) -> None:
        """Note questions without an answer, and items without a text."""
        without = [k for k, one in enumerate(work.found) if one is None or one.reply is None]
        for k in without:
            one, why = work.found[k], work.columns["why_not_asked"][k]
            if one is None and why != NO_TEXT:
                continue
            error = NO_TEXT if one is None else one.why or "the model gave no answer"
            if one is not None:
                self._lost[hash(one.key)] = error
            self._failed += 1
            self._failed_rows.add(int(work.items[k]))
            if len(self._listed) < _MOST_LISTED:
                name, condition = work.columns["id"][k], work.columns["condition"][k]
                self._listed.append(FailedText(name, condition, error))

    def _as_answers(self, block: pa.Table, work: _Block) -> pa.Table:
        names, size = self._grader.names, len(work.items)
        replies = [one and one.reply for one in work.found]
        answers = [names[code] if code >= 0 else None for code in work.graded.tolist()]
        statuses = [one and one.status for one in work.found]
        columns = [
            repeated(self._model, size),
            block["key"],
            block["item"],
            block["condition"],
            *(as_strings(texts).array.cast(_TEXT) for texts in (replies, answers)),
            pa.nulls(size, pa.float32()) if work.scores is None else as_floats(work.scores),
            as_strings(statuses).array.cast(_TEXT),
        ]
        return pa.Table.from_arrays(columns, schema=ANSWERS)

    def finish(self) -> Joined:
        """Return the join, once all questions were added."""
        found = [self._complete(one) for one in self._answered.values()]
        texts = _number(self._heads)
        return Joined(
            grader=self._grader,
            clean=next(one for one in found if one.condition.is_clean),
            conditions=[one for one in found if one.condition.must != CHANGE and not one.condition.is_clean],
            contrasts=[one for one in found if one.condition.must == CHANGE],
            labels=self._labels,
            clusters=texts if self._groups is None else _number(self._groups.apart()),
            texts=texts,
            lengths=self._lengths,
            facts={name: column.values() for name, column in self._facts.items()},
            failed=FailedTexts(self._failed, len(self._failed_rows), tuple(self._listed)),
            reasons=Counter(self._lost.values()),
            different=int(self._different.sum()),
        )

    def _complete(self, answered: Answered) -> Answered:
        """Return the answers under a condition with the columns that it needs."""
        rare = self._rare[answered.condition.name]
        columns: dict[str, Any] = {name: column.get() for name, column in rare.items()}
        own = columns["expected"]
        columns["expected"] = None if own is None else np.where(own == _SAME, self._labels, own)
        return replace(answered, **columns)


class _Texts:
    """A column of texts, kept as numbers."""

    def __init__(self, size: int) -> None:
        self._codes: Ints32 = np.full(size, -1, np.int32)
        self._known: dict[str, int] = {}

    def put(self, items: Ints64, values: Sequence[str | None]) -> None:
        """Set the values of some items."""
        known = self._known
        self._codes[items] = [-1 if one is None else known.setdefault(one, len(known)) for one in values]

    def values(self) -> list[str | None]:
        """Return the values of all items."""
        names = [*self._known, None]
        return [names[code] for code in self._codes.tolist()]

    def apart(self) -> Ints64:
        """Return numbers, the same for equal values; an item without a value has one of its own."""
        own = len(self._known) + np.arange(len(self._codes))
        return np.where(self._codes < 0, own, self._codes)


def _status(answer: LoggedAnswer | None, code: int) -> str:
    """Return what became of a question that was asked."""
    if answer is None:
        return "not answered yet"
    if answer.reply is None:
        return answer.status
    return {UNPARSED: "unparsed", UNJUDGED: "unjudged"}.get(code, answer.status)


def _number(values: np.ndarray[Any, Any]) -> Ints64:
    """Return numbers for values, the same for equal ones, in the order of their first occurrence."""
    _, first, places = np.unique(values, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[places]


def join(questions: Questions, log: AnswerLog, grader: Grader, *, model: str, out: Path) -> Joined:
    """Return the answers to everything that makers wrote, and write them to a parquet file."""
    work = _Join(questions, log, grader, model)
    columns = [*dict.fromkeys(["key", "item", *_READ, *grader.columns])]
    with (
        replacing(out, overwrite=True) as stream,
        storage_errors(out),
        pq.ParquetWriter(
            stream,
            ANSWERS,
            compression="zstd",
            use_dictionary=["model", "condition", "reply", "answer", "status"],
            write_page_checksum=True,
        ) as writer,
    ):
        for block in questions.blocks(columns):
            writer.write_table(work.add(block))
    return work.finish()
