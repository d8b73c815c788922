"""How the outline of a run is printed: what it would ask, how long that takes, and what it could show."""

from __future__ import annotations

from collections.abc import Iterator

from salva._show import duration, number, number_of
from salva.cli.show import print_json, print_line
from salva.evaluation import Outline
from salva.evaluation.trial import Trial
from salva.numbers import fewest_worse


def print_outline(plan: Outline, model: str | None, export: str | None, *, as_json: bool) -> None:
    """Print the outline, and where texts were written to."""
    if as_json:
        print_json(plan.as_dict())
        return
    for name in (*plan.conditions, *plan.contrasts):
        print_line(name)
    print_line(_describe_calls(plan) if export is None else _describe_texts(plan))
    if plan.conditions:
        print_line(_describe_evidence(plan))
    if export:
        print_line(f"{export}/texts.jsonl written; add answers there, then use --model answers:{export}")
    elif plan.trial is None:
        print_line("time: not known; with --model SPEC, the model is asked about 20 texts to measure it")
    else:
        for line in _describe_time(plan, plan.trial, model):
            print_line(line)


def _describe_calls(plan: Outline) -> str:
    blame = f", and at most {plan.most_blame_calls:,} to find words to blame" if plan.most_blame_calls else ""
    noise = f", {plan.noise_calls:,} to measure noise" if plan.noise_calls else ""
    calls = f"{number_of(plan.distinct_texts, 'distinct text')} to ask about{noise}{blame}"
    rows, conditions = number_of(plan.rows, "row"), _count_conditions(plan)
    sizes = f"{number_of(plan.characters, 'character')} in the distinct texts, about {plan.most_characters:,}"
    judge = ""
    if plan.most_judge_calls:
        judge = f"\nthe judge is asked for at most {number_of(plan.most_judge_calls, 'verdict')}"
    return f"{rows}, {conditions}: {calls}\n{sizes} in all {number_of(plan.most_model_calls, 'call')}{judge}"


def _describe_texts(plan: Outline) -> str:
    rows, conditions = number_of(plan.rows, "row"), _count_conditions(plan)
    texts, characters = (
        number_of(plan.distinct_texts, "distinct text"),
        number_of(plan.characters, "character"),
    )
    return f"{rows}, {conditions}: {texts} with {characters}; no model is asked"


def _count_conditions(plan: Outline) -> str:
    contrasts = f", {number_of(len(plan.contrasts), 'contrast')}" if plan.contrasts else ""
    return f"{number_of(len(plan.conditions), 'condition')}{contrasts}"


def _describe_evidence(plan: Outline) -> str:
    tests = number_of(len(plan.conditions), "condition")
    worse = number_of(fewest_worse(len(plan.conditions)), "independent row")
    test = f"in an exact test at 5 %, corrected for {tests}"
    if plan.smallest_drop is None:
        return f"too few labelled rows to establish any drop: {worse} must get worse and none better, {test}"
    drop = f"smallest drop that can be established: {number(plan.smallest_drop)} points"
    return f"{drop}, if {worse} get worse and none better, {test}"


def _describe_time(plan: Outline, trial: Trial, model: str | None) -> Iterator[str]:
    expected, most = plan.expected_seconds or 0.0, plan.most_seconds or 0.0
    blame = f", at most {duration(most)} with the search for words to blame" if plan.most_blame_calls else ""
    each = f"{1000 * trial.seconds_per_text:.2g} ms"
    yield f"time: about {duration(expected)}{blame}"
    asked = f"{model} was asked about {number_of(trial.texts, 'text')} now, {each} per text"
    yield f"{asked}; these answers are not kept"
    if trial.failed:
        yield f"warning: {trial.failed:,} of them failed; the first error: {trial.first_error}"
