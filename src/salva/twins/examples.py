"""Pairs to look at: answers that differ, and answers that are the same but wrong; some of every kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from salva.twins.outcomes import Outcomes
from salva.twins.pair import TwinPair
from salva.twins.results import Rule, TwinExample


def find_examples(
    pairs: Sequence[TwinPair],
    answers: Sequence[str | None],
    twin_answers: Sequence[str | None],
    found: Outcomes,
    *,
    rule: Rule,
    most: int,
) -> Iterator[TwinExample]:
    """Yield some pairs spread over the data, as many of each kind as there is room for."""
    same = found.consistent(rule)
    telling = found.measured & (~same | (found.labelled & ~found.right))
    by_kind: dict[tuple[str, bool], list[int]] = {}
    for i in np.flatnonzero(telling).tolist():
        by_kind.setdefault((pairs[i].group, bool(same[i])), []).append(i)
    for i in sorted(_even_choice(list(by_kind.values()), most)):
        pair, labelled = pairs[i], bool(found.labelled[i])
        yield TwinExample(
            row=pair.row,
            kind=pair.group,
            source=pair.source,
            twin=pair.twin,
            target=pair.target,
            twin_target=pair.twin_target,
            answer=answers[i] or "",
            twin_answer=twin_answers[i] or "",
            right=bool(found.right[i]) if labelled else None,
            twin_right=bool(found.twin_right[i]) if labelled else None,
            same=bool(same[i]),
        )


def _even_choice(groups: list[list[int]], most: int) -> list[int]:
    chosen: list[int] = []
    for done, group in enumerate(sorted(groups, key=len)):
        room = min(len(group), (most - len(chosen)) // (len(groups) - done))
        chosen += [group[(2 * k + 1) * len(group) // (2 * room)] for k in range(room)]
    return chosen
