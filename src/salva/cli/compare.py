"""`salva compare`: which of several models is more robust."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import click

from salva._show import interval, number, number_of, p_value
from salva.cli.options import OUTPUT, common_options
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.evaluation import RunComparison, compare
from salva.evaluation.comparison import (
    AXIS_COLUMNS,
    CLEAN,
    COLUMNS,
    CONTRAST_COLUMNS,
    NUMBERS,
    AxisApart,
    AxisDifference,
    LostText,
    ModelDifference,
)
from salva.evaluation.comparison_headline import write_comparison_headline
from salva.evaluation.results import GROUPS, group_by_family
from salva.numbers import Column, terminal_headings, terminal_row

_WIDTH = 80  # of sentences
_LONGEST = 18  # names of models that fit into every table at 80 columns
_MOST_TESTS = 40  # shown; if there are more, only the clear differences
_TEXTS = 2  # shown per model
_MODEL = 1  # the column with the name of the model


@click.command("compare")
@click.argument("runs", nargs=-1, required=True, metavar="RUN [RUN]...")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Name of a model; once per RUN, in the same order. Default: its own, or that of its folder.",
)
@click.option("-o", "--output", type=OUTPUT, metavar="FILE", help="Write a page here; default: print tables.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@click.option("--seed", type=int, metavar="N", help="Seed for the intervals; default: that of the runs.")
@common_options
def command(
    runs: tuple[str, ...],
    *,
    names: tuple[str, ...],
    output: str | None,
    overwrite: bool,
    seed: int | None,
    as_json: bool,
) -> None:
    """Compare the models of runs, on the same rows and twins; no model is asked.

    Accuracies and drops are those of the rows that all models answered, matched by id. For every two models,
    the difference of their drops has an exact, paired test; p-values are corrected over all comparisons.
    """
    comparison = compare(*runs, names=names or None, seed=seed)
    if output is not None:
        comparison.report(output, overwrite=overwrite)
    if as_json:
        print_json(comparison.as_dict())
    elif output is None:
        print_comparison(comparison)
    elif not is_quiet():
        print_line(f"written: {output}")


def print_comparison(comparison: RunComparison) -> None:
    """Print the headline, accuracies and drops, axes, rankings, differences, and texts only one loses."""
    shown = _shorten_names(comparison)
    models = number_of(len(comparison.models), "model")
    print_line(f"{models} on {comparison.data}: {number_of(comparison.rows, 'row')} in all runs")
    for model in comparison.models:
        label = "" if shown[model.name] == model.name else f"{shown[model.name]}: "
        print_line(f"  {label}{model.name}")
    for sentence in write_comparison_headline(comparison, names=shown):
        _print_wrapped(str(sentence))
    print_line("")
    _print_scores(comparison, shown)
    _print_axes(comparison, shown)
    _print_ranks(comparison, shown)
    _print_differences(comparison, shown)
    _print_texts(comparison, shown)
    for line in _find_warnings(comparison, shown):
        _print_wrapped(f"warning: {line}")


def _print_wrapped(text: str) -> None:
    for line in textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False):
        print_line(line)


def _shorten_names(comparison: RunComparison) -> dict[str, str]:
    """Return how each model is called in tables: m1, m2, … if a name is too long for them."""
    names = [model.name for model in comparison.models]
    short = max(map(len, names)) <= _LONGEST
    return {name: name if short else f"m{k}" for k, name in enumerate(names, 1)}


def _print_scores(comparison: RunComparison, shown: Mapping[str, str]) -> None:
    print_line("accuracy before and after in %; drop in points, with its 95 % interval;")
    print_line("lost: rows right before and wrong after; alone: lost by no other model")
    for family, conditions in group_by_family(comparison.conditions).items():
        scores = [score for condition in conditions for score in condition.scores]
        _print_numbers(GROUPS[family], COLUMNS, scores, shown)
    _print_numbers(GROUPS["contrast"], CONTRAST_COLUMNS, comparison.sensitivities, shown)


def _print_numbers(
    title: str, columns: list[Column], scores: Sequence[object], shown: Mapping[str, str]
) -> None:
    rows = [terminal_row(columns, score) for score in scores]
    for row in rows:
        row[_MODEL] = shown[row[_MODEL]]
    if rows:
        print_table(title, terminal_headings(columns), rows, keep=5)


def _print_axes(comparison: RunComparison, shown: Mapping[str, str]) -> None:
    if comparison.axes.scores:
        _print_wrapped("axes as a whole, in %, the spread in points; differences with 95 % intervals")
        _print_numbers("", AXIS_COLUMNS, comparison.axes.scores, shown)
    some = len(comparison.axes.differences) > _MOST_TESTS
    chosen = [one for one in comparison.axes.differences if one.is_clear or not some]
    for a, b in combinations(shown, 2):
        if rows := [_axis_row(one) for one in chosen if (one.a, one.b) == (a, b)]:
            print_table(
                f"{shown[b]} less {shown[a]}", ("axis", "number", "items", "difference", "interval"), rows
            )
    if some:
        print_line(f"only the {number_of(len(chosen), 'difference')} whose interval is without 0 are shown\n")


def _axis_row(one: AxisDifference) -> tuple[str, ...]:
    less = one.difference
    return one.axis, NUMBERS[one.number], f"{one.n:,}", number(less.value, 2), interval(less, 2)


def _print_ranks(comparison: RunComparison, shown: Mapping[str, str]) -> None:
    rows = []
    for ranking in comparison.rankings:
        tau = 1.0 if ranking.on == CLEAN else comparison.agreement(CLEAN, ranking.on)
        rows.append((ranking.on, number(tau, 2), ranking.show(shown)))
    n = number_of(len(comparison.models), "model")
    _print_wrapped(f"ranking by accuracy; tau-b: Kendall's rank agreement with the clean texts, over {n}")
    print_table("", ("texts", "tau-b", "ranking"), rows)
    between = (one.tau_b for one in comparison.agreements if CLEAN not in (one.a, one.b))
    if known := [tau for tau in between if tau is not None]:
        pairs = number_of(len(known), "pair")
        least, mean = number(min(known), 2), number(sum(known) / len(known), 2)
        print_line(f"tau-b between conditions: {mean} on average, at least {least}, over {pairs}\n")


def _print_differences(comparison: RunComparison, shown: Mapping[str, str]) -> None:
    some = len(comparison.differences) > _MOST_TESTS
    chosen = comparison.clear_differences if some else comparison.differences
    tests = number_of(comparison.comparisons, "comparison")
    _print_wrapped(f"differences of drops in points; p (Holm): corrected over {tests}")
    for a, b in combinations(shown, 2):
        if rows := [_difference_row(one, shown) for one in chosen if (one.a, one.b) == (a, b)]:
            print_table(
                f"drop of {shown[b]} less that of {shown[a]}",
                ("condition", "n", "difference", "interval", "p (Holm)", "more robust"),
                rows,
                keep=4,
            )
    if some:
        print_line(f"only the {number_of(len(chosen), 'clear difference')} are shown\n")


def _difference_row(one: ModelDifference, shown: Mapping[str, str]) -> tuple[str, ...]:
    difference = one.difference
    return (
        one.condition,
        f"{difference.n:,}",
        number(difference.value.value, 2),
        interval(difference.value, 2),
        p_value(difference.p_holm),
        "not clear" if one.more_robust is None else shown[one.more_robust],
    )


def _print_texts(comparison: RunComparison, shown: Mapping[str, str]) -> None:
    for model in (*shown, None):
        scores = [score for one in comparison.conditions for score in one.scores if score.model == model]
        by_all, alone = (one.lost_by_all for one in comparison.conditions), (one.lost_alone for one in scores)
        times = sum(by_all if model is None else alone)
        who = "that all models lose" if model is None else f"that only {shown[model]} loses"
        print_line(f"texts {who}: {times:,} over all conditions{', such as' if times else ''}")
        for text in [text for text in comparison.texts if text.model == model][:_TEXTS]:
            print_line(_describe_text(text))


def _describe_text(text: LostText) -> str:
    about = f"  {text.condition}, {text.id} ({text.label}): "
    room = max(24, _WIDTH - len(about))
    return about + textwrap.shorten(text.twin or text.text or "", room, placeholder=" …")


def _find_warnings(comparison: RunComparison, shown: Mapping[str, str]) -> Iterator[str]:
    if comparison.rows_apart:
        yield f"{number_of(comparison.rows_apart, 'row is', 'rows are')} left out: not in all of the runs"
    for one in comparison.conditions_apart:
        yield f"{one.name} is left out: only in the run of {', '.join(shown[name] for name in one.models)}"
    yield from (_describe_apart(axis, shown) for axis in comparison.axes.apart)
    for condition in (one for one in comparison.conditions if one.n_out):
        rows = number_of(condition.n_out, "row lacks", "rows lack")
        yield f"{condition.name}: left out: {rows} a label, or an answer of a model"


def _describe_apart(one: AxisApart, shown: Mapping[str, str]) -> str:
    ways = ", ".join(
        f"{shown[name]} {number_of(ways, 'way') if ways else 'not at all'}" for name, ways in one.ways.items()
    )
    return f"{one.title} is left out: the runs do not ask in the same ways ({ways})"
