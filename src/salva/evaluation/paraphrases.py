"""Paraphrases that the data has: what must survive in them, and what becomes of those that fail.

A paraphrase has the numbers of the original, as many negations, and the options or answers that the original
has in its text. Nothing else is checked: whether it means the same is up to its author.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pyarrow as pa

from salva._arguments import argument, check_choice
from salva._show import number_of, shorten
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.evaluation.results import DataInfo
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.span_keys import finds_spans
from salva.lexicon.negatives import find_negations
from salva.lexicon.numerals import Numeral, find_numerals, is_numeral
from salva.rows.source import BadRows, OnBadRow, name_input
from salva.runs import RowGroup, RunRows, write_rows
from salva.tasks import Task
from salva.tasks.choices import Row
from salva.tasks.parsing import find_phrases

logger = logging.getLogger("salva")

POLICIES: tuple[OnBadRow, ...] = ("fail", "keep", "drop")


def find_problems(
    original: str, paraphrase: str, task: Task | None = None, row: Row | None = None
) -> list[str]:
    """Return what a paraphrase lost or added, in words; `row` is that of the original, with a task.

    >>> find_problems("Ann has 2 dogs.", "Two dogs are Ann's.")
    []
    >>> find_problems("Ann has 2 dogs.", "Ann has no dogs.")
    ['the number 2 is missing', "a negation was added ('no')"]
    """
    problems = [*_compare_numbers(original, paraphrase), *_compare_negations(original, paraphrase)]
    if task is not None and row is not None:
        problems += _compare_answers(original, paraphrase, task, row)
    return problems


def _compare_numbers(original: str, paraphrase: str) -> Iterator[str]:
    own, new = find_numerals(original), find_numerals(paraphrase)
    yield from (f"the number {shorten(one)} is missing" for one in _find_absent(own, new))
    yield from (f"the number {shorten(one)} was added" for one in _find_absent(new, own))


def _find_absent(some: Sequence[Numeral], others: Sequence[Numeral]) -> list[str]:
    """Return the numbers that others lack; words such as `one` need not be there, but count if they are."""
    there, absent = Counter(one.value for one in others), []
    for one in some:
        if not one.is_loose:
            there[one.value] -= 1
            absent += [one.text] if there[one.value] < 0 else []
    return absent


def _compare_negations(original: str, paraphrase: str) -> Iterator[str]:
    own, new = find_negations(original), find_negations(paraphrase)
    if len(own) > len(new):
        yield f"a negation is missing ({_list(own)})"
    elif len(own) < len(new):
        yield f"a negation was added ({_list(new)})"


def _compare_answers(original: str, paraphrase: str, task: Task, row: Row) -> Iterator[str]:
    changed = {**row, task.edit[0]: paraphrase}
    if task.options and task.options.find(row) != task.options.find(changed):
        yield "the options are not those of the original"
        return
    for answer in dict.fromkeys(task.list_answers(row)):
        if (
            not is_numeral(answer)
            and find_phrases([answer], original)
            and not find_phrases([answer], paraphrase)
        ):
            yield f"the {'option' if task.options else 'answer'} {shorten(repr(answer))} is missing"


def _list(words: Sequence[str]) -> str:
    return ", ".join(map(repr, dict.fromkeys(words)))


@dataclass(slots=True)
class ParaphraseCounts:
    """The paraphrases of a column: all, rows without one, and those that failed and were kept or dropped."""

    paraphrases: int = 0
    missing: int = 0
    kept: int = 0
    dropped: int = 0


def check_paraphrases(
    source: PathLike | pa.Table, place: Path, settings: EvaluationSettings, info: DataInfo, policy: OnBadRow
) -> dict[str, dict[str, int]]:
    """Check the paraphrases of the rows at `place`; return counts by column.

    Those that fail are refused, or kept or dropped, as the policy says.
    """
    check_choice("on_bad_variant", policy, POLICIES)
    columns = settings.axes.variants
    if not columns:
        return {}
    task = settings.task
    if finds_spans(task):
        raise UsageError(f"spans cannot follow a paraphrase; leave out {argument('variants')}")
    asked = () if task is None else task.kept_columns
    for column in columns:
        if column in (*info.text_columns, *asked, info.label_column, info.id_column):
            problem = f"column {column!r} has no paraphrases: it is a part of the question or its answer"
            raise UsageError(f"{problem}; correct {argument('variants')}")
    name = "data" if isinstance(source, pa.Table) else name_input(source)
    check = _Check(settings, policy, name, has_ids=info.id_column is not None)
    write_rows(place, map(check.check_group, RunRows(place)))
    check.report()
    return {column: asdict(counts) for column, counts in check.counts.items()}


class _Check:
    """Checks the paraphrases of rows; `name` is that of the data, `has_ids` whether it has ids of its own."""

    def __init__(self, settings: EvaluationSettings, policy: OnBadRow, name: str, *, has_ids: bool) -> None:
        self._task, self._policy, self._name, self._has_ids = settings.task, policy, name, has_ids
        self._text = settings.rewritten_columns[0]
        self.counts = {column: ParaphraseCounts() for column in settings.axes.variants}
        self._failed = 0
        self._faults: list[str] = []

    def check_group(self, group: RowGroup) -> RowGroup:
        """Return rows with no value for a paraphrase that is dropped."""
        texts = group.texts[self._text].array.to_pylist()
        changed = {column: self._check_column(group, column, texts) for column in self.counts}
        return replace(group, columns={**group.columns, **changed})

    def _check_column(self, group: RowGroup, column: str, texts: Sequence[str | None]) -> list[str | None]:
        counts = self.counts[column]
        checked: list[str | None] = []
        for k, (text, paraphrase) in enumerate(zip(texts, group.columns[column], strict=True)):
            if text is None or paraphrase is None or not paraphrase.strip():
                counts.missing += 1
                checked.append(None)
                continue
            problems = find_problems(text, paraphrase, self._task, self._row(group, k, text))
            if problems:
                self._note(group.ids[k], column, problems)
            is_dropped = bool(problems) and self._policy == "drop"
            counts.dropped += is_dropped
            counts.kept += bool(problems) and not is_dropped
            counts.paraphrases += not is_dropped
            checked.append(None if is_dropped else paraphrase)
        return checked

    def _row(self, group: RowGroup, number: int, text: str) -> Row | None:
        """Return a row as the task sees it; None if there is no task."""
        if self._task is None:
            return None
        return {self._task.edit[0]: text, **{name: values[number] for name, values in group.columns.items()}}

    def _note(self, name: str, column: str, problems: Sequence[str]) -> None:
        where = f"id {name!r}" if self._has_ids else f"row {int(name) + 1}"
        problem = f"{where}, column {column!r}: {', '.join(problems)}"
        self._failed += 1
        if len(self._faults) < BadRows.MOST_LISTED:
            self._faults.append(str(InputError.at(self._name, None, problem)))

    def report(self) -> None:
        """Refuse paraphrases that fail, or report what becomes of them; refuse a column without any."""
        for fault in self._faults[self._policy == "fail" :]:
            logger.info("%s", fault)
        if self._faults and self._policy == "fail":
            more = f" (and {number_of(self._failed - 1, 'more fault')}: -v)" if self._failed > 1 else ""
            other = argument("on_bad_variant", "keep")
            raise InputError(f"{self._faults[0]}; correct the paraphrase, or pass {other} or drop{more}")
        for column, counts in self.counts.items():
            if not counts.paraphrases:
                problem = f"column {column!r} has no paraphrase of any text"
                why = " that passes the checks" if counts.dropped else ""
                raise InputError.at(self._name, None, f"{problem}{why}; leave out {argument('variants')}")
        if self._faults:
            failed = number_of(self._failed, "paraphrase fails", "paraphrases fail")
            done = "dropped" if self._policy == "drop" else "kept"
            logger.warning("%s: %s a check and will be %s; -v lists them", self._name, failed, done)
