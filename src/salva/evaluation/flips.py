"""Examples: items whose answer changed, as files and as people see them, and the edits that are to blame."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from salva._files import replacing, storage_errors
from salva._types import Ints64, PathLike
from salva.asking.asker import Asker
from salva.asking.run_folder import read_run_table
from salva.evaluation.grading import AskedRow, Grader
from salva.evaluation.join import Answered, Joined
from salva.evaluation.judging import JudgeGrader, about_judge
from salva.evaluation.results import Blame, BlamedWord, Edit, Flip, Replacement
from salva.models.protocol import as_text
from salva.numbers import wilson
from salva.questions.conditions import RENDERED
from salva.questions.table import (
    BLAME,
    CHANGE,
    CLEAN,
    STAY,
    About,
    Condition,
    Questions,
    as_column,
    as_input,
    as_keys,
    inputs_of,
    keys_of,
    make_block,
    undo,
    write_part,
)

FLIPS, UNCHANGED = "flips.parquet", "unchanged.parquet"
_TEXT = pa.large_string()
_PLAIN = ("id", "condition", "label", "before", "after", "text", "cause", "original", "label_after")
_EDITS = {
    "start": pa.int64(),
    "end": pa.int64(),
    "old": _TEXT,
    "new": _TEXT,
    "rule": _TEXT,
    "blamed": pa.int64(),
}
_SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        *((name, _TEXT) for name in _PLAIN),
        *((f"edit_{name}", pa.list_(kind)) for name, kind in _EDITS.items()),
    ]
)
_COLUMNS = ("item", "id", "condition", "parts", "options", "edits", "expected", "facts")


@dataclass(frozen=True, slots=True)
class Case:
    """A flip with its question, as the table has it; `clean` is the clean question about the same item."""

    flip: Flip
    condition: Condition
    row: Mapping[str, Any]
    clean: Mapping[str, Any]

    @property
    def edits(self) -> Sequence[Mapping[str, Any]]:
        """The edits, in the order of those of the flip."""
        return list_edits(self.row)

    @property
    def is_spliced(self) -> bool:
        """Whether the question without its edits is the clean one."""
        return undo(self.row["parts"], self.edits) == list(self.clean["parts"])

    def as_asked(self, about: About) -> AskedRow:
        """Return the question as grading needs it."""
        question = as_input(self.clean["parts"], about.condition(CLEAN))
        facts = dict(self.clean["facts"] or ())
        text = "" if question is None else as_text(question)
        return AskedRow(self.row["expected"], self.row["options"], facts, self.row["parts"], None, text)


def list_edits(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the edits of a question, without what only the render changed."""
    return [edit for edit in row["edits"] or () if edit["rule"] != RENDERED]


def find_flips(questions: Questions, joined: Joined, most: int) -> list[Case]:
    """Return some pairs whose answer changed and had to stay, of every condition, evenly spaced over all."""
    return _find(questions, joined, joined.conditions, most, stayed=False)


def find_unchanged(questions: Questions, joined: Joined, most: int) -> list[Flip]:
    """Return some pairs whose answer stayed and had to change."""
    return [case.flip for case in _find(questions, joined, joined.contrasts, most, stayed=True)]


def _find(
    questions: Questions, joined: Joined, conditions: Sequence[Answered], most: int, *, stayed: bool
) -> list[Case]:
    chosen = [(one, _choose(joined, one, most, stayed=stayed)) for one in conditions]
    wanted: dict[int, list[str]] = {}
    for one, items in chosen:
        for item in items.tolist():
            wanted.setdefault(item, [CLEAN]).append(one.condition.name)
    rows = {(row["item"], row["condition"]): row for row in questions.take(wanted, _COLUMNS)}
    return [
        _show(questions.about, joined, one, rows[item, one.condition.name], rows[item, CLEAN])
        for one, items in chosen
        for item in items.tolist()
    ]


def _choose(joined: Joined, one: Answered, most: int, *, stayed: bool) -> Ints64:
    before, after = joined.clean.codes, one.codes
    wrong = np.flatnonzero((before >= 0) & (after >= 0) & ((before == after) == stayed))
    if len(wrong) <= most:
        return wrong
    return wrong[np.linspace(0, len(wrong) - 1, most).astype(np.int64)] if most else wrong[:0]


def _show(
    about: About, joined: Joined, one: Answered, row: Mapping[str, Any], clean: Mapping[str, Any]
) -> Case:
    condition = one.condition
    text, edits = show_question(about, condition, row)
    original: str | None = None
    if condition.axis is not None or (condition.preset is None and not edits):
        original, _ = show_question(about, about.condition(CLEAN), clean)
    item = row["item"]
    own = joined.labels if one.expected is None or condition.must == CHANGE else one.expected
    codes = np.array([joined.labels[item], joined.clean.codes[item], one.codes[item], own[item]])
    label, before, after, label_after = joined.decode(codes)
    flip = Flip(
        item,
        row["id"],
        condition.name,
        label,
        before or "",
        after or "",
        text,
        tuple(edits),
        original=None if original == text else original,
        label_after=None if label_after == label else label_after,
    )
    return Case(flip, condition, row, clean)


def list_shown_edits(about: About, condition: Condition, row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the edits of a question that people see."""
    if condition.roles:
        return list_edits(row)
    return [edit for edit in list_edits(row) if edit["part"] == about.rewritten_part]


def show_question(about: About, condition: Condition, row: Mapping[str, Any]) -> tuple[str, list[Edit]]:
    """Return a question as people see it, the rewritten text or the whole prompt, and its edits there."""
    parts, edits = row["parts"], list_shown_edits(about, condition, row)
    text, places = parts[about.rewritten_part], [0] * len(parts)
    if condition.roles:
        prompt: Any = as_input(parts, condition, row["options"] or ())
        text, places = prompt.text, prompt.places
    shown = []
    for edit in edits:
        start, end = (edit[name] + places[edit["part"]] for name in ("start", "end"))
        shown.append(Edit(start, end, edit["old"], edit["new"], edit["rule"], blamed=False))
    return text, shown


def write_flips(path: PathLike, flips: Sequence[Flip]) -> None:
    """Write flips to a parquet file, with edits as lists."""
    columns: dict[str, Any] = {name: [getattr(flip, name) for flip in flips] for name in ("row", *_PLAIN)}
    for name in _EDITS:
        columns[f"edit_{name}"] = [[getattr(edit, name) for edit in flip.edits] for flip in flips]
    table = pa.table({one.name: as_column(columns[one.name], one.type) for one in _SCHEMA}, _SCHEMA)
    with replacing(path, overwrite=True) as stream, storage_errors(path):
        pq.write_table(table, stream, compression="zstd", write_page_checksum=True)


def read_flips(path: Path) -> list[Flip]:
    """Return the flips of a run."""
    flips = []
    for row in read_run_table(path).to_pylist():
        lists = zip(*(row.pop(f"edit_{name}") for name in _EDITS), strict=True)
        edits = tuple(
            Edit(start, end, old, new, rule, bool(blamed)) for start, end, old, new, rule, blamed in lists
        )
        flips.append(Flip(**row, edits=edits))
    return flips


Edits: TypeAlias = frozenset[int]
Cause: TypeAlias = Literal["alone", "together", "either", "render", "variant"]
Search: TypeAlias = Generator[list[Edits], Any, "Explanation"]


_AROUND = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The edits to blame; empty if the answer stays changed without them, or the calls did not suffice."""

    blamed: Edits = frozenset()
    cause: Cause | None = None


class _SpentError(Exception):
    """No calls are left."""


def search(edits: int, calls: int, *, spliced: bool, rest: Cause = "render") -> Search:
    """Look for the edits to blame: yield sets to undo; the caller sends whether each brings the answer back.

    If the question without the edits is not the clean one, `rest` is the cause if none does.

    >>> steps = search(2, 10, spliced=True)
    >>> next(steps)
    [frozenset({0}), frozenset({1})]
    >>> steps.send([False, True])
    Traceback (most recent call last):
    StopIteration: Explanation(blamed=frozenset({1}), cause='alone')
    """
    everything = frozenset(range(edits))
    left = _Calls(calls)
    try:
        if not spliced and not (yield from left.try_each([everything]))[0]:
            return Explanation(cause=rest)
        if 2 * edits <= calls:
            works = yield from left.try_each([frozenset({edit}) for edit in range(edits)])
            if any(works):
                return Explanation(
                    frozenset(edit for edit, work in enumerate(works) if work),
                    "alone" if sum(works) == 1 else "together",
                )
        minimal = yield from _minimal(left, frozenset(), everything, doubtful=False)
        works = yield from left.try_each([minimal])
        if not works[0]:
            return Explanation()
        return Explanation(minimal, "alone" if len(minimal) == 1 else "either")
    except _SpentError:
        return Explanation()


class _Calls:
    def __init__(self, left: int) -> None:
        self._left = left

    def try_each(self, sets: list[Edits]) -> Generator[list[Edits], list[bool], list[bool]]:
        if len(sets) > self._left:
            raise _SpentError
        self._left -= len(sets)
        return (yield sets)


def _minimal(
    left: _Calls, undone: Edits, among: Edits, *, doubtful: bool
) -> Generator[list[Edits], list[bool], Edits]:
    """Return edits of `among` that are all needed in addition to `undone` (Junker's QuickXplain, 2004)."""
    if doubtful and (yield from left.try_each([undone]))[0]:
        return frozenset()
    if len(among) <= 1:
        return among
    ordered = sorted(among)
    first, second = frozenset(ordered[: len(ordered) // 2]), frozenset(ordered[len(ordered) // 2 :])
    later = yield from _minimal(left, undone | first, second, doubtful=True)
    earlier = yield from _minimal(left, undone | later, first, doubtful=bool(later))
    return earlier | later


def find_blame(
    cases: Sequence[Case], calls: int, comes_back: Callable[[list[tuple[Case, Edits]]], list[bool]]
) -> tuple[list[Explanation], Blame]:
    """Examine flips; `comes_back` returns whether flips without some edits get the first answer again."""
    explanations: list[Explanation] = [Explanation()] * len(cases)
    running: dict[int, Search] = {}
    for k, case in enumerate(cases):
        rest: Cause = "render" if case.condition.axis is None else "variant"
        running[k] = search(len(case.flip.edits), calls, spliced=case.is_spliced, rest=rest)
    answers: dict[int, list[bool] | None] = dict.fromkeys(running)
    asked = 0
    while running:
        wanted: dict[int, list[Edits]] = {}
        for k, steps in list(running.items()):
            try:
                wanted[k] = steps.send(answers[k])
            except StopIteration as stop:
                explanations[k] = stop.value
                del running[k]
        pending = [(cases[k], undone) for k, sets in wanted.items() for undone in sets]
        asked += len(pending)
        found = iter(comes_back(pending) if pending else ())
        answers = {k: [next(found) for _ in sets] for k, sets in wanted.items()}
    return explanations, _sum_up(cases, explanations, calls, asked)


class Blamer:
    """Asks about flips with some of their edits undone; the questions become a part of the table."""

    def __init__(self, asker: Asker, grader: Grader, about: About, place: Path) -> None:
        self._asker, self._grader, self._about, self._place = asker, grader, about, place
        self._blocks: list[pa.Table] = []
        self._judged: list[pa.Table] = []

    def explain(self, cases: Sequence[Case], calls: int) -> tuple[list[Flip], Blame]:
        """Return flips with the edits to blame marked, and what was found."""
        explanations, blame = find_blame(cases, calls, self._comes_back)
        write_part(self._place, self._blocks)
        if isinstance(self._grader, JudgeGrader):
            self._grader.write(BLAME, self._judged)
        return [_mark(case.flip, one) for case, one in zip(cases, explanations, strict=True)], blame

    def _comes_back(self, undone: list[tuple[Case, Edits]]) -> list[bool]:
        block = self._make(undone)
        self._blocks.append(block)
        self._asker.ask([block], self._about)
        replies = self._asker.log.read_replies(block)
        rows = [case.as_asked(self._about) for case, _ in undone]
        if isinstance(self._grader, JudgeGrader):
            self._judged.append(self._grader.make_block(block, replies, rows))
            self._grader.ask(self._judged[-1:], about_judge(self._about))
        codes = (one.code for one in self._grader.grade(replies, rows))
        names = self._grader.names
        answers = [names[code] if code >= 0 else None for code in codes]
        return [answer == case.flip.before for answer, (case, _) in zip(answers, undone, strict=True)]

    def _make(self, undone: list[tuple[Case, Edits]]) -> pa.Table:
        """Return the questions about flips without some of their edits."""
        parts = [undo(case.row["parts"], case.edits, own) for case, own in undone]
        rows = [case.row for case, _ in undone]
        block = make_block(
            len(undone),
            item=[row["item"] for row in rows],
            id=[row["id"] for row in rows],
            condition=[row["condition"] for row in rows],
            purpose=BLAME,
            must=STAY,
            parts=parts,
            options=[row["options"] for row in rows],
            expected=[row["expected"] for row in rows],
            undone=[sorted(own) for _, own in undone],
        )
        keys = as_keys(keys_of(inputs_of(block, self._about)))
        return block.set_column(0, block.schema.field(0), keys)


def _mark(flip: Flip, explanation: Explanation) -> Flip:
    edits = tuple(replace(edit, blamed=k in explanation.blamed) for k, edit in enumerate(flip.edits))
    return replace(flip, edits=edits, cause=explanation.cause)


def _sum_up(cases: Sequence[Case], explanations: Sequence[Explanation], calls: int, asked: int) -> Blame:
    seen: Counter[tuple[str, str, str]] = Counter()
    blamed: Counter[tuple[str, str, str]] = Counter()
    for case, explanation in zip(cases, explanations, strict=True):
        for k, edit in enumerate(case.flip.edits):
            key = (edit.old.lower(), edit.new.lower(), edit.rule)
            seen[key] += 1
            blamed[key] += k in explanation.blamed
    table = [
        Replacement(*key, seen[key], times, wilson(times, seen[key]))
        for key, times in blamed.items()
        if times
    ]
    table.sort(key=lambda word: (-word.blamed, word.seen, word.old, word.new, word.rule))
    causes = Counter(explanation.cause for explanation in explanations)
    return Blame(
        rows=len(cases),
        explained=sum(bool(explanation.blamed) for explanation in explanations),
        by_render=causes["render"],
        most_calls_a_row=calls,
        calls=asked,
        table=tuple(table),
        words=_count_words(cases, explanations),
        alone=causes["alone"],
        together=causes["together"],
        either=causes["either"],
        by_variant=causes["variant"],
    )


@dataclass(slots=True)
class _Word:
    """Counts of one original word."""

    became: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    causes: Counter[Cause | None] = field(default_factory=Counter)

    def as_result(self, word: str) -> BlamedWord:
        seen, blamed = self.rules.total(), self.causes.total()
        kinds = (self.causes["alone"], self.causes["together"], self.causes["either"])
        became, rules = ([key for key, _ in some.most_common()] for some in (self.became, self.rules))
        return BlamedWord(word, tuple(became), tuple(rules), seen, blamed, *kinds, wilson(blamed, seen))


def _count_words(cases: Sequence[Case], explanations: Sequence[Explanation]) -> tuple[BlamedWord, ...]:
    """Return the original words with an edit to blame, those most often to blame first."""
    words: dict[str, _Word] = {}
    for case, explanation in zip(cases, explanations, strict=True):
        for k, edit in enumerate(case.flip.edits):
            word = words.setdefault(name_word(edit.old), _Word())
            word.became[name_word(edit.new)] += 1
            word.rules[edit.rule] += 1
            if k in explanation.blamed:
                word.causes[explanation.cause] += 1
    found = [counts.as_result(word) for word, counts in words.items() if counts.causes]
    return tuple(sorted(found, key=lambda one: (-one.blamed, one.seen, one.word)))


def name_word(text: str) -> str:
    """Return a word in lower case without the punctuation around it; punctuation alone stays.

    >>> name_word("“Bad”;"), name_word("...")
    ('bad', '...')
    """
    return (_AROUND.sub("", text) or text).casefold()
