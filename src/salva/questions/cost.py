"""What it would cost to ask a table of questions, and what could be shown by it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

import numpy as np
import pyarrow.compute as pc

from salva._arrow import flags, ints, ints_or, is_text
from salva.numbers import fewest_worse
from salva.questions.options import Measure
from salva.questions.table import CHANGE, CLEAN, NO_TEXT, Heads, Questions, read_heads
from salva.tasks import restore_task


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run over a table consists of, at most.

    `characters` are those of the `distinct` questions. `not_asked` are rows without a question, by condition.
    `smallest_drop`, in points, is what the test of a condition finds significant at 5 %, corrected for all
    `tests`, if `fewest_worse` independent rows get worse and none better; None if no drop can be.
    """

    rows: int
    conditions: tuple[str, ...]
    not_asked: dict[str, int]
    distinct: int
    characters: int
    noise_calls: int
    most_blame_calls: int
    most_judge_calls: int
    tests: int
    fewest_worse: int
    smallest_drop: float | None

    @property
    def most_calls(self) -> int:
        """How many questions the model gets at most."""
        return self.distinct + self.noise_calls + self.most_blame_calls

    @property
    def most_characters(self) -> int:
        """The characters of all calls, if questions that are asked again are as long as the others."""
        return round(self.characters / max(1, self.distinct) * self.most_calls)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "most_calls": self.most_calls, "most_characters": self.most_characters}


def estimate_cost(questions: Questions, measure: Measure) -> Cost:
    """Return what asking everything costs, and what could be shown."""
    about = questions.about
    assert about.data is not None  # noqa: S101
    heads, sizes, not_asked = [], [], Counter[str]()
    clean_keys, labelled, groups = [], [], []
    columns = ["key", "condition", "parts", "expected", "group", "why_not_asked"]
    for block in questions.blocks(columns):
        keys, asked = read_heads(block["key"])
        parts = block["parts"].combine_chunks()
        lengths = ints_or(pc.utf8_length(parts.flatten()), 0)
        starts = ints(parts.offsets) - ints(parts.offsets)[0]
        totals = np.add.reduceat(np.append(lengths, 0), starts[:-1]) * (np.diff(starts) > 0)
        heads.append(keys[asked])
        sizes.append(totals[asked])
        why = block["why_not_asked"]
        lost = block.filter(pc.and_(pc.is_valid(why), pc.invert(is_text(why, NO_TEXT))))
        not_asked.update(lost["condition"].to_pylist())
        clean = flags(is_text(block["condition"], CLEAN))
        clean_keys.append(keys[clean])
        labelled.append(flags(pc.is_valid(block["expected"]))[clean])
        groups += [name for name, is_clean in zip(block["group"].to_pylist(), clean, strict=True) if is_clean]
    _, first = np.unique(np.concatenate(heads), return_index=True)
    distinct, rows = len(first), about.data.rows
    tests = [one for one in about.conditions if not one.is_clean and one.must != CHANGE]
    noise = min(measure.noise, rows) + min(measure.alone, measure.noise, rows)
    blame = measure.blame_calls * min(measure.flips, rows) * sum(one.has_edits for one in tests)
    return Cost(
        rows=rows,
        conditions=tuple(one.name for one in about.conditions if not one.is_clean),
        not_asked=dict(not_asked),
        distinct=distinct,
        characters=int(np.concatenate(sizes)[first].sum()),
        noise_calls=noise,
        most_blame_calls=blame,
        most_judge_calls=_count_judge_calls(questions, measure, distinct, noise + blame),
        tests=len(tests),
        fewest_worse=fewest_worse(len(tests)),
        smallest_drop=_find_smallest_drop(
            np.concatenate(clean_keys), np.concatenate(labelled), groups, len(tests)
        ),
    )


def _count_judge_calls(questions: Questions, measure: Measure, distinct: int, further: int) -> int:
    """Return how many verdicts are needed at most: on every reply, and on some of them again."""
    task = questions.about.task
    if task is None or not restore_task(task).answer.needs_judge:
        return 0
    again = min(measure.noise, distinct)
    return distinct + further + again + min(measure.alone, again)


def _find_smallest_drop(
    keys: Heads, labelled: np.ndarray[Any, Any], groups: list[str | None], tests: int
) -> float | None:
    """Return the smallest drop that can be significant, if no answer gets better and equal texts agree."""
    has_groups = any(group is not None for group in groups)
    alone = ((k,) if group is None else group for k, group in enumerate(groups))
    clusters = Counter(compress(alone if has_groups else keys.tolist(), labelled))
    sizes, worse = sorted(clusters.values()), fewest_worse(tests)
    if len(sizes) < worse or not tests:
        return None
    # Rows with the same text get worse together; rows of one group need not.
    return 100 * (worse if has_groups else sum(sizes[:worse])) / sum(sizes)
