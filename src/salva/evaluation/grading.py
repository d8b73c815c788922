"""From replies to answers: labels of the data for those of the model, and what a task finds in replies.

An answer is a code: the same answer, the same code. Replies without an answer have codes of their own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import is_text
from salva._show import number_of, shorten
from salva._types import Ints
from salva.asking.log import AnswerLog
from salva.edits.alignment import Alignment
from salva.models.outputs import align_labels
from salva.models.protocol import as_text
from salva.numbers import UNPARSED, Estimate, wilson
from salva.questions.table import (
    AGAIN,
    ALONE,
    CHANGE,
    CLEAN,
    SCHEMA,
    About,
    Questions,
    as_column,
    as_input,
    as_keys,
    inputs_of,
    keys_of,
    undo,
)
from salva.rows.columns import Entity
from salva.tasks import Expected, Grade, Task, restore_task
from salva.tasks.labelled_spans import Spans, read_spans
from salva.transforms.backward import move_back

logger = logging.getLogger("salva")

NONE = -1
MOST_LABELS = 12  # in a message


class AskedRow(NamedTuple):
    """A question as grading needs it; `question` is the text of the clean question about the same item."""

    expected: Sequence[str] | None = None
    options: Sequence[Mapping[str, str]] | None = None
    facts: Mapping[str, str] = {}
    parts: Sequence[str] | None = None
    edits: Sequence[Mapping[str, Any]] | None = None
    question: str = ""


def list_asked_rows(block: pa.Table, about: About) -> list[AskedRow]:
    """Return questions as grading needs them.

    The questions about an item follow its clean one, which has its facts. Whether the answer to a contrast
    changed is told by the right answer to the clean question, for both.
    """
    known = {one.name: one for one in about.conditions}
    names = block["condition"].to_pylist()
    columns = [
        block[name].to_pylist() if name in block.column_names else [None] * len(block)
        for name in ("expected", "options", "facts", "parts", "edits")
    ]
    rows: list[AskedRow] = []
    clean = AskedRow()
    for name, expected, options, facts, parts, edits in zip(names, *columns, strict=True):
        condition = known[name]
        if condition.is_clean:
            asked = as_input(parts, condition)
            clean = AskedRow(
                expected, options, dict(facts or ()), parts, None, as_text(asked) if asked else ""
            )
            rows.append(clean)
            continue
        own = clean.expected if condition.must == CHANGE else expected
        rows.append(AskedRow(own, options, clean.facts, parts, edits, clean.question))
    return rows


def list_contrast_rows(block: pa.Table, rows: Sequence[AskedRow], about: About) -> dict[int, AskedRow]:
    """Return the contrasts among questions by their places, as far as their own right answers are known.

    Each has these right answers, in place of those to the clean question.
    """
    changing = {one.name for one in about.conditions if one.must == CHANGE}
    if not changing:
        return {}
    named = zip(block["condition"].to_pylist(), block["expected"].to_pylist(), strict=True)
    return {
        k: rows[k]._replace(expected=own) for k, (name, own) in enumerate(named) if own and name in changing
    }


class Graded(NamedTuple):
    """The code of an answer, and its score from 0 to 1; None if answers are only right or wrong."""

    code: int
    score: float | None = None


NO_ANSWER = Graded(NONE)


class Grader:
    """Turns replies into codes of answers, in the order in which these were first asked for.

    `names` are the answers by code, `aligned` the labels of the data for those of the model. `columns` are
    those of the table that it needs; without any, it needs the reply alone. With classes, all rows have the
    same few answers, which are worth counting one by one. Spans are in other places in a twin.
    """

    columns: tuple[str, ...] = ()
    has_classes, is_graded, finds_spans = False, False, False

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(names)
        self.aligned: dict[str, str] = {}
        self._codes = {name: code for code, name in enumerate(self.names)}

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes, so that the probability of one is that of the other."""
        return False

    def code(self, name: str) -> int:
        """Return the code of a name; a new one gets the next."""
        known = self._codes.get(name)
        if known is None:
            known = self._codes[name] = len(self.names)
            self.names.append(name)
        return known

    def code_expected(self, expected: Sequence[str] | None) -> int:
        """Return the code of the first accepted answer, which stands for all of them; -1 for none."""
        return self.code(expected[0]) if expected else NONE

    def grade(self, replies: Sequence[str | None], rows: Sequence[AskedRow]) -> list[Graded]:
        """Return the answers in replies; None has none."""
        return [NO_ANSWER if reply is None else Graded(self.code(reply)) for reply in replies]


class LabelGrader(Grader):
    """Answers that are labels: each label of the model has the code of its label in the data."""

    has_classes = True

    def __init__(self, data_labels: Sequence[str], label_map: Mapping[str, str]) -> None:
        super().__init__(data_labels)
        self._data_labels, self._label_map = tuple(data_labels), label_map
        self._model_codes: dict[str, int] = {}

    @property
    def is_binary(self) -> bool:
        """Whether the data and the model have the same two classes."""
        return len(self.names) == len(set(self.aligned.values())) == 2

    def align(self, model_labels: Iterable[str]) -> None:
        """Find the data label of each label of the model; refuse those that the data does not have."""
        new = sorted(set(model_labels) - self._model_codes.keys())
        if not new:
            return
        self.aligned = align_labels([*self.aligned, *new], self._data_labels, self._label_map)
        self._model_codes |= {label: self.code(self.aligned[label]) for label in new}

    def warn_of_another_class(self) -> None:
        """Warn if all rows have one label, and the model has another: the two may mean the same."""
        others = [label for label, name in self.aligned.items() if name not in self._data_labels]
        if len(self._data_labels) == 1 and others:
            only, other = shorten(repr(self._data_labels[0])), shorten(repr(others[0]))
            remedy = f"if it means {only}, add {argument('label_map')}"
            logger.warning(
                "all rows have the label %s; %s is taken as another class; %s", only, other, remedy
            )

    def warn_of_missing(self, rows: Mapping[str, int]) -> None:
        """Warn of labels of the data, given with their rows, that no label of the model stands for."""
        known = self.aligned.values()
        missing = {name: times for name, times in rows.items() if times and name not in known}
        if missing and known:
            named = ", ".join(shorten(repr(name)) for name in [*missing][:MOST_LABELS])
            problem = "the model never answers some labels of the data, so their rows cannot be right"
            logger.warning("%s: %s (%s)", problem, named, number_of(sum(missing.values()), "row"))

    def grade(self, replies: Sequence[str | None], rows: Sequence[AskedRow]) -> list[Graded]:
        """Return the codes of labels."""
        self.align(label for label in set(replies) if label is not None)
        known: dict[str | None, Graded] = {label: Graded(code) for label, code in self._model_codes.items()}
        known[None] = NO_ANSWER
        return [known[label] for label in replies]


class TaskGrader(Grader):
    """Answers that a task finds in replies."""

    def __init__(self, task: Task) -> None:
        super().__init__(getattr(task, "labels", ()))
        self.task = task
        self.has_classes, self.is_graded = task.answer.has_classes, task.answer.is_graded
        self.finds_spans = isinstance(task.answer, Spans)
        self.columns = ("options", "parts", "edits") if self.finds_spans else ("options",)
        task.answer.prepare()

    def grade(self, replies: Sequence[str | None], rows: Sequence[AskedRow]) -> list[Graded]:
        """Return the answers in replies; one that is right has the code of the first accepted answer."""
        return [
            NO_ANSWER if reply is None else self._read(self.task.answer.grade(reply, self.expect(row)))
            for reply, row in zip(replies, rows, strict=True)
        ]

    def _read(self, grade: Grade | None) -> Graded:
        return Graded(UNPARSED) if grade is None else Graded(self.code(grade.answer), grade.score)

    def expect(self, row: AskedRow) -> Expected:
        """Return what the answer to a question is checked against."""
        options = row.options or ()
        shown = {one["name"]: one["text"] for one in options}
        means = {one["name"]: one["means"] for one in options}
        names = means if any(name != own for name, own in means.items()) else {}
        columns: dict[str, str | None] = dict.fromkeys([*self.task.edit, *self.task.kept_columns])
        key = Expected(tuple(row.expected or ()), shown, {**columns, **row.facts}, names)
        return self._follow_spans(key, row) if self.finds_spans else key

    def _follow_spans(self, key: Expected, row: AskedRow) -> Expected:
        """Return what spans are checked against: those of a twin are moved back to the original first."""
        text = row.facts.get(self.task.edit[0], "")
        if not row.edits or row.parts is None:
            return key._replace(text=text)
        value, alignment = _align_value(text, row.parts, row.edits)
        targets: list[Entity] = (read_spans(key.targets[0]) or []) if key.targets else []
        return key._replace(to_original=partial(move_back, alignment, targets), text=value)


def _align_value(
    text: str, parts: Sequence[str], edits: Sequence[Mapping[str, Any]]
) -> tuple[str, Alignment]:
    """Return the rewritten form of a text that is in a question, and where the two differ."""
    part = edits[0]["part"]
    whole = undo(parts, edits)[part]
    shift, places = 0, []
    for edit in edits:
        old = edit["start"] - shift
        places.append((old, old + len(edit["old"]), edit["start"], edit["end"]))
        shift += len(edit["new"]) - len(edit["old"])
    begin = whole.find(text)
    while begin >= 0 and not begin <= places[0][0] <= places[-1][1] <= begin + len(text):
        begin = whole.find(text, begin + 1)
    begin = max(begin, 0)
    value = parts[part][begin : begin + len(text) + shift]
    return value, Alignment(np.zeros(len(edits), np.int64), *(np.array(places, np.int64).T - begin))


class Reread(Questions):
    """Questions whose right answers another task reads from the columns that are kept with the clean ones.

    The new right answer to a contrast is unknown where the clean question has another one than before.
    """

    def __init__(self, questions: Questions, task: Task) -> None:
        about = replace(questions.about, grading={"kind": "task", "task": task.as_dict()})
        super().__init__(questions.folder, about, questions.parts)
        self._task = task
        self._changing = {one.name for one in about.conditions if one.must == CHANGE}

    def blocks(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield some columns of all rows, one row group after the other."""
        if "expected" not in columns:
            yield from super().blocks(columns)
            return
        needed = dict.fromkeys(["item", "condition", "expected", "facts"])
        for block in super().blocks(list(dict.fromkeys([*columns, *needed]))):
            expected = self._read_again(block.select(list(needed)).to_pylist())
            kind = SCHEMA.field("expected")
            place = block.schema.get_field_index("expected")
            yield block.set_column(place, kind, as_column(expected, kind.type)).select(list(columns))

    def take(self, wanted: Mapping[int, Iterable[str]], columns: Sequence[str]) -> list[dict[str, Any]]:
        """Return the questions about some items under some conditions, in the order of the table."""
        both = {item: {*names, CLEAN} for item, names in wanted.items()}
        rows = super().take(both, [*columns, "expected", "facts"])
        for row, expected in zip(rows, self._read_again(rows), strict=True):
            row["expected"] = expected
        return [row for row in rows if row["condition"] in wanted[row["item"]]]

    def _read_again(self, rows: Sequence[Mapping[str, Any]]) -> list[list[str] | None]:
        """Return the right answers to questions; those about an item follow its clean one."""
        columns = dict.fromkeys([*self._task.edit, *self._task.kept_columns])
        found: list[list[str] | None] = []
        own: list[str] | None = None
        is_same = True
        for row in rows:
            if row["condition"] == CLEAN:
                own = list(self._task.expect({**columns, **dict(row["facts"] or ())}).targets) or None
                is_same = own == row["expected"]
            if row["condition"] in self._changing:
                found.append(row["expected"] if is_same else None)
            else:
                found.append(own)
        return found


def read_otherwise(questions: Questions, task: dict[str, Any] | None) -> Questions:
    """Return questions with the right answers that a task reads, given as plain values, if it is another."""
    if task is None or task == questions.about.task:
        return questions
    return Reread(questions, restore_task(task))


class WordGrader(Grader):
    """Answers that are compared as words, with a right answer for each question."""

    def code(self, name: str) -> int:
        """Return the code of an answer, whatever spaces are between its words."""
        return super().code(" ".join(name.split()))


@dataclass(frozen=True, slots=True)
class Noise:
    """Questions asked again: answers that changed in a batch, and answers that changed one at a time."""

    asked: int
    changed: int
    rate: Estimate  # percent, with Wilson's interval
    alone_asked: int
    alone_changed: int


class Repeats(NamedTuple):
    """Questions that were asked again, with their replies: the first, on asking again, asked alone.

    Only some are asked alone; the others have no such reply.
    """

    rows: pa.Table
    replies: tuple[list[str | None], list[str | None], list[str | None]]


def read_repeats(part: Questions, log: AnswerLog) -> Repeats:
    """Return the questions of a part, and what was replied."""
    whole = part.to_arrow()
    again, alone = (whole.filter(is_text(whole["purpose"], name)) for name in (AGAIN, ALONE))
    first = again.set_column(0, again.schema.field(0), as_keys(keys_of(inputs_of(again, part.about))))
    replies, once_more, single = (log.read_replies(table) for table in (first, again, alone))
    known = dict(zip(_name_rows(alone), single, strict=True))
    return Repeats(again, (replies, once_more, [known.get(name) for name in _name_rows(again)]))


def _name_rows(table: pa.Table) -> list[tuple[int, str]]:
    return list(zip(table["item"].to_pylist(), table["condition"].to_pylist(), strict=True))


def measure_noise(part: Questions, log: AnswerLog, grader: Grader) -> Noise:
    """Return how many answers to clean questions change when they are asked again."""
    repeats = read_repeats(part, log)
    rows = list_asked_rows(repeats.rows, part.about)
    codes = ([one.code for one in grader.grade(replies, rows)] for replies in repeats.replies)
    return count_noise(*codes)


def count_noise(first: Ints | list[int], again: Ints | list[int], alone: Ints | list[int]) -> Noise:
    """Return how many answers changed; -1 means no answer.

    >>> noise = count_noise([0, 1, 2], [0, 2, -1], [1, -1, -1])
    >>> noise.asked, noise.changed, noise.alone_asked, noise.alone_changed
    (2, 1, 1, 1)
    """
    asked, changed = _count_changes(np.asarray(first), np.asarray(again))
    alone_asked, alone_changed = _count_changes(np.asarray(first), np.asarray(alone))
    return Noise(asked, changed, wilson(changed, asked), alone_asked, alone_changed)


def _count_changes(first: Ints, second: Ints) -> tuple[int, int]:
    """Return how many questions have two answers, and how many of these differ."""
    both = (first >= 0) & (second >= 0)
    return int(both.sum()), int((both & (first != second)).sum())
