"""The first sentences of a comparison: who drops least, what is clear, and whether the ranking holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from salva._show import interval, number, number_of
from salva.evaluation.comparison import CLEAN, ComparedCondition, ComparedRuns, ModelScore
from salva.evaluation.headline import Sentence
from salva.evaluation.results import group_by_family


def write_comparison_headline(
    compared: ComparedRuns,
    *,
    names: Mapping[str, str] | None = None,
    digits: int = 1,
    typeset: Callable[[str], str] = str,
) -> Iterator[Sentence]:
    """Yield who drops least under the hardest condition, how many differences are clear, and the ranking.

    `names` are how models are called, by default as in the comparison; `typeset` is applied to numbers.
    """
    names = names or {model.name: model.name for model in compared.models}
    hardest = find_hardest(compared)
    if hardest is None:
        yield Sentence("No drop could be compared:", "no row has a label and the answers of all models.")
        return
    yield _judge_drops(hardest, names, digits, typeset)
    clear, tests = len(compared.clear_differences), number_of(compared.comparisons, "comparison")
    yield Sentence("", f"{clear:,} of {tests} of two models show a clear difference after Holm's correction.")
    yield Sentence("", _judge_ranking(compared, names))


def find_hardest(compared: ComparedRuns) -> ComparedCondition | None:
    """Return the condition with the largest mean drop, of those that keep the meaning if there are any."""
    families = group_by_family(condition for condition in compared.conditions if condition.n)
    first = next(iter(families.values()), [])
    return max(first, key=lambda one: sum(map(_drop, one.scores)) / len(one.scores), default=None)


def _drop(score: ModelScore) -> float:
    return score.drop.value or 0.0


def _judge_drops(
    condition: ComparedCondition, names: Mapping[str, str], digits: int, typeset: Callable[[str], str]
) -> Sentence:
    least, most = (choose(condition.scores, key=_drop) for choose in (min, max))

    def show(score: ModelScore) -> str:
        return typeset(f"{number(score.drop.value, digits)} points {interval(score.drop, digits)}")

    if _drop(least) == _drop(most):
        return Sentence(f"All models drop equally under {condition.name}:", f"{show(least)}.")
    return Sentence(
        f"{names[least.model]} drops least under {condition.name}:",
        f"{show(least)}, and {names[most.model]} most: {show(most)}.",
    )


def _judge_ranking(compared: ComparedRuns, names: Mapping[str, str]) -> str:
    clean = [one for one in compared.rankings if one.on == CLEAN]
    if not clean:
        return "The models have no ranking: no row has a label and clean answers of all models."
    others = [one for one in compared.rankings if one.on != CLEAN]
    changed = [one.on for one in others if (one.models, one.ranks) != (clean[0].models, clean[0].ranks)]
    order = f"The ranking by accuracy on clean texts, {clean[0].show(names)},"
    if not changed:
        return f"{order} holds under every condition."
    return f"{order} changes under {len(changed):,} of {number_of(len(others), 'condition')}."
