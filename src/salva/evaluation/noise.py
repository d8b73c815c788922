"""Questions that were asked again: how many answers change by themselves, which is the model's own noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from salva._arrow import is_text
from salva._types import Ints
from salva.asking.log import AnswerLog
from salva.evaluation.grading import Grader, list_asked_rows
from salva.numbers import Estimate, wilson
from salva.questions.table import AGAIN, ALONE, Questions, as_keys, inputs_of, keys_of


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
