"""What a run says in words: its headline, and its tables as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from salva._show import count, interval, number, number_of, shorten
from salva.evaluation.results import (
    CONTRAST_COLUMNS,
    GROUPS,
    ConditionResult,
    PresetResult,
    Results,
    find_least_sensitive,
    group_by_family,
)
from salva.evaluation.tables import COLUMNS
from salva.numbers import (
    Column,
    Estimate,
    PairScore,
    VariantScore,
    terminal_alignment,
    terminal_headings,
    terminal_row,
)
from salva.questions.pairs import DIFFER, TARGETS
from salva.questions.pairs import FAMILY as TWINS
from salva.transforms import describe_validity

_ERROR = 160  # characters of an error in a sentence
MUCH_NOISE = 5.0
"""Percent of repeats with another answer, above which they are the first thing to know about a run."""


class Sentence(NamedTuple):
    """A sentence of the headline: what is stressed, and the rest."""

    stressed: str
    rest: str

    def __str__(self) -> str:
        return f"{self.stressed} {self.rest}".strip()


def write_headline(
    results: Results, digits: int = 1, typeset: Callable[[str], str] = str
) -> Iterator[Sentence]:
    """Yield the verdict on presets that keep the meaning, or that there are none; on corruptions; on axes.

    If the model contradicts itself, that comes first; unparsed replies and texts without one come last.
    `typeset` is applied to numbers.
    """
    yield from _state_contradictions(results, typeset)
    families, judging = group_by_family(results.conditions), _Judge(results, digits, typeset)
    judge = judging.judge
    kept, rest = families.get("meaning", []), families.get("corruption", [])
    if not results.conditions:
        yield from [] if results.contrasts else [Sentence("No condition was measured.", "")]
    elif kept:
        yield judge(kept, "preset that keeps the meaning")
    elif rest:
        yield Sentence(
            "No preset of this run keeps the meaning;",
            "the right answer to a twin may be another one, so a drop is not yet a fault of the model.",
        )
    if rest:
        yield Sentence("", f"{'Under corruption: ' if kept else ''}{judge(rest, 'corruption')}")
    for twins in families.get(TWINS, []):
        yield from judging.judge_twins(twins)
    yield from _state_axes(results, lambda value: typeset(number(value, digits)))
    yield from _state_sensitivity(results, digits, typeset)
    yield from _state_judge(results, lambda value: typeset(interval(value, digits)))
    yield from _state_replies(results, lambda value: typeset(number(value, digits)))
    yield from _state_failures(results)


def describe_noise(results: Results) -> str:
    """Return how many answers changed when asked again, or why that is unknown."""
    noise = results.noise
    if noise is None or not noise.asked:
        return f"unknown, because {explain_unknown_noise(results)}"
    asked = number_of(noise.asked, "clean text")
    return f"{noise.changed:,} of {asked} got a different answer when asked again"


def explain_unknown_noise(results: Results) -> str:
    """Return why it is unknown how much the model's answers vary."""
    is_recorded = results.noise is None or results.model.name.startswith("answers:")
    return "the answers come from files" if is_recorded else "no text was asked about twice"


def _state_contradictions(results: Results, typeset: Callable[[str], str]) -> Iterator[Sentence]:
    """Yield that the model gives other answers to the same texts, if it does so often or costs no less."""
    noise = results.noise
    if noise is None or not (changed := noise.changed + noise.alone_changed):
        return
    repeats = noise.asked + noise.alone_asked
    rate, largest = 100 * changed / repeats, max(map(drop_of, results.conditions), default=0.0)
    times = f"{changed:,} of {number_of(repeats, 'repeat')} ({typeset(number(rate))} %)"
    if rate > MUCH_NOISE:
        yield Sentence(
            f"The model contradicts itself: {times} of the same text got another answer.",
            "Drops and flips of this size are noise, whatever the words.",
        )
    elif 0 < largest <= rate:
        yield Sentence(
            "The drops may be noise:", f"{times} of the same text got another answer; no drop is larger."
        )


def _state_judge(results: Results, between: Callable[[Estimate], str]) -> Iterator[Sentence]:
    """Yield how often the judge contradicts itself, and how many replies have no verdict."""
    judge = results.judge
    if judge is None:
        return
    noise = judge.noise
    if noise is None or not noise.asked:
        yield Sentence("How far the verdicts can be trusted is unknown:", "no reply was judged again.")
    else:
        yield Sentence(
            "Replies were judged by another model:",
            f"{noise.changed:,} of {number_of(noise.asked, 'verdict')} changed when the judge was asked "
            f"again {between(noise.rate)}, and {judge.turned:,} made a reply right or wrong "
            f"{between(judge.turned_rate)}.",
        )
    if judge.unparsed or judge.failed:
        replies = number_of(judge.unparsed + judge.failed, "reply has", "replies have")
        yield Sentence(f"{replies} no verdict", f"and count neither way: {judge.failed:,} failed.")


def _state_axes(results: Results, shown: Callable[[float | None], str]) -> Iterator[Sentence]:
    """Yield, for each axis, the range of the accuracy and how often answers stay the same."""
    for one in results.axes:
        score, ways = one.score, number_of(len(one.ways), "way")
        measured = [value for value in score.accuracies if value is not None]
        rest = f"{shown(score.consistency_rate.value)} % of the pairs of answers are the same."
        if measured:
            rest = (
                f"accuracy is between {shown(min(measured))} and {shown(max(measured))} %; "
                f"{shown(score.worst_case.value)} % of the items are right in all of them, and {rest}"
            )
        yield Sentence(f"Asked in {ways} along {one.axis},", rest)


def _state_sensitivity(results: Results, digits: int, typeset: Callable[[str], str]) -> Iterator[Sentence]:
    """Yield how often the answer changes if it must, for the contrast under which it does so least."""
    least = find_least_sensitive(results.contrasts)
    if least is None:
        if results.contrasts:
            yield Sentence("No sensitivity could be measured:", "no contrast has a pair with two answers.")
        return
    rate, other = least.score.sensitivity, "; no other contrast changes fewer"
    yield Sentence(
        f"Sensitivity: {typeset(number(rate.value, digits))} % of the answers change where they must,",
        f"for {least.preset} {typeset(interval(rate, digits))}{other if len(results.contrasts) > 1 else ''}. "
        f"{number_of(least.score.stayed, 'answer')} stayed.",
    )


def _state_replies(results: Results, shown: Callable[[float | None], str]) -> Iterator[Sentence]:
    """Yield how many replies to the questions of a task are unparsed, and what becomes of the mean score."""
    scored = [(condition, condition.replies) for condition in results.conditions if condition.replies]
    if not scored:
        return
    condition, worst = max(scored, key=lambda one: one[1].unparsed_after.value or 0.0)
    if worst.unparsed_before.value or worst.unparsed_after.value:
        yield Sentence(
            f"{shown(worst.unparsed_before.value)} % of the clean replies are unparsed,",
            f"and {shown(worst.unparsed_after.value)} % of those for {name_condition(condition)}; "
            "they count neither way.",
        )
    condition, worst = max(scored, key=lambda one: one[1].score_drop.value or -1000.0)
    if worst.score_drop.value is not None:
        means = f"from {shown(worst.score_before)} to {shown(worst.score_after)} %"
        yield Sentence("", f"The mean score goes {means} for {name_condition(condition)}.")


def _state_failures(results: Results) -> Iterator[Sentence]:
    """Yield how many texts got no answer, with the most frequent error."""
    failed = sum(failure.times for failure in results.failures)
    if failed:
        often = max(results.failures, key=lambda failure: failure.times)
        error = f"{often.error[:_ERROR]} …" if len(often.error) > _ERROR else often.error
        most = "" if len(results.failures) == 1 else f"{often.times:,} of them: "
        yield Sentence(
            f"{number_of(failed, 'text')} got no answer", f"and count neither way. {most}{error}".strip()
        )


def find_least_consistent(conditions: Sequence[ConditionResult]) -> ConditionResult | None:
    """Return the condition under which answers changed most often."""
    answered = [condition for condition in conditions if condition.score.consistency.value is not None]
    return min(answered, key=lambda condition: condition.score.consistency.value or 0.0, default=None)


def drop_of(condition: ConditionResult) -> float:
    """Return the drop, below any other if it was not measured."""
    return -1000.0 if condition.score.drop.value is None else condition.score.drop.value


def limit_of(settings: Mapping[str, Any]) -> float:
    """Return the limit of drops, in points."""
    limit = settings.get("drop_limit")
    return float(limit) if isinstance(limit, int | float) else 4.0


def name_condition(condition: ConditionResult) -> str:
    """Return a condition in words."""
    if condition.preset is None:
        return condition.variant or condition.name
    asked = "" if condition.variant is None else f", asked with {condition.variant}"
    if condition.severity is None:
        return f"{condition.preset} reassembled without an edit{asked}"
    replicate = f", replicate {condition.replicate}" if condition.replicate else ""
    return f"{condition.preset} at severity {condition.severity:g}{replicate}{asked}"


def describe_preset(preset: PresetResult) -> str:
    """Return the validity of a preset in words."""
    return describe_validity(preset.validity, preset.version, preset.family)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Writes the verdict on some conditions of a run."""

    results: Results
    digits: int
    typeset: Callable[[str], str]

    def judge(self, conditions: Sequence[ConditionResult], kind: str) -> Sentence:
        worst = max(conditions, key=drop_of)
        drop, name = worst.score.drop, name_condition(worst)
        if drop.value is None:
            return self.judge_consistency(conditions)
        size, between = f"{self.number(drop.value)} points", self.typeset(interval(drop, self.digits))
        if drop.value <= 0:
            return Sentence(f"No {kind} lowers accuracy.", f"The largest drop, {name}, is {size} {between}.")
        verdict = _name_effect(worst.score, limit_of(self.results.settings))
        if not worst.score.effective:
            verdict = f"{verdict} No other {kind} costs more."
        return Sentence(f"{name} costs {size}", f"{between}: {verdict}{self.state_validity(worst)}")

    def judge_consistency(self, conditions: Sequence[ConditionResult]) -> Sentence:
        labelled = self.results.data.label_column is not None
        reason = "no pair has a label and two answers" if labelled else "the data has no labels"
        rest, least = "", find_least_consistent(conditions)
        if least is not None:
            place = f"lowest for {name_condition(least)}: {self.number(least.score.consistency.value)} %."
            rest = f"Consistency needs no labels and is {place}{self.state_validity(least)}"
        return Sentence(f"No drop could be measured: {reason}.", rest)

    def judge_twins(self, twins: ConditionResult) -> Iterator[Sentence]:
        """Yield how often both sides of pairs get the same answer, and the right one."""
        score = twins.score
        pairs, same = number_of(score.n + score.n_unlabelled, "pair"), score.consistency
        if same.value is None:
            yield Sentence("No pair was measured:", "none has two answers.")
            return
        between = self.typeset(interval(same, self.digits))
        stressed = f"{self.number(same.value)} % of {pairs} get the same answer twice"
        if score.drop.value is None:
            rest = "it is unknown whether it is right, because no pair has a target"
            yield Sentence(stressed, f"{between}; {rest}.")
            return
        among = f"of the {score.n:,} with a target, " if score.n_unlabelled else ""
        right = f"{among}{self.number(score.accuracy_before.value)} % of the sources"
        twice = f"{self.number(score.accuracy_after.value)} % of their twins are answered correctly"
        yield Sentence(stressed, f"{between}; {right} and {twice}.")
        drop = f"{self.number(score.drop.value)} points {self.typeset(interval(score.drop, self.digits))}"
        effect = _name_effect(score, limit_of(self.results.settings))
        costs = f"no accuracy: the drop is {drop}." if score.drop.value <= 0 else f"{drop}: {effect}"
        yield Sentence("", f"Twins cost {costs}")
        slices = (part for one in self.results.slices if one.column == TARGETS for part in one.slices)
        if other := next((part.rows for part in slices if part.name == DIFFER), 0):
            pairs = number_of(other, "pair has", "pairs have")
            yield Sentence("", f"{pairs} two targets: equal answers are wrong there.")
        words = twins.words
        if words is not None and words.among_incorrect.value is not None:
            of_wrong = f"{self.number(words.among_incorrect.value)} % get the same answer twice"
            between = self.typeset(interval(words.among_incorrect, self.digits))
            yield Sentence("", f"Of the pairs with a wrong answer, {of_wrong} {between}.")
        if words is not None and words.empty_twice:
            pairs = number_of(words.empty_twice, "pair has", "pairs have")
            script = "the script published with PCFG SET counts them as different"
            yield Sentence("", f"{pairs} two empty answers, which are the same; {script}.")

    def state_validity(self, condition: ConditionResult) -> str:
        known = {preset.preset: preset for preset in self.results.presets}
        if condition.preset not in known or condition.severity is None:
            return ""
        return f" Validity of {condition.preset}: {describe_preset(known[condition.preset])}."

    def number(self, value: float | None) -> str:
        return self.typeset(number(value, self.digits))


def _name_effect(score: PairScore, limit: float) -> str:
    if score.surely_effective:
        return f"certainly over the limit of {limit:g} points, because its whole interval is."
    if score.effective:
        return f"probably over the limit of {limit:g} points; its interval also includes smaller drops."
    low = score.drop.low
    zero = "; its interval includes 0, so there may be no drop at all" if low is not None and low <= 0 else ""
    return f"not over the limit of {limit:g} points{zero}."


_WIDTH = 100  # of sentences
CONTRAST_HEADINGS = terminal_headings(CONTRAST_COLUMNS)
ENTITY_HEADINGS = ["condition", "label", "support", "before", "after", "drop", "interval"]
ENTITY_TITLE = "F1 of entities by label"
_MOST_LABELS = 40  # lines of entities by label; the page has more


def columns_shown(results: Results) -> list[Column]:
    """Return the columns of the table of conditions; without presets, no edits have a validity."""
    return [column for column in COLUMNS if results.presets or column.name != "validity"]


def conditions_shown(results: Results) -> dict[str, list[list[str]]]:
    """Return a row for each condition, by family; the columns are those of `columns_shown`."""
    columns = columns_shown(results)
    return {
        GROUPS[family]: [terminal_row(columns, condition) for condition in conditions]
        for family, conditions in group_by_family(results.conditions).items()
    }


def contrasts_shown(results: Results) -> list[list[str]]:
    """Return one row per contrast; the columns are `CONTRAST_HEADINGS`."""
    return [terminal_row(CONTRAST_COLUMNS, contrast) for contrast in results.contrasts]


def entities_shown(results: Results) -> list[list[str]]:
    """Return one row per label and condition; the columns are `ENTITY_HEADINGS`. Very many are left out."""
    return [
        [
            one.condition,
            shorten(one.label),
            count(one.score.support),
            number(one.score.f1_before),
            number(one.score.f1_after),
            number(one.score.f1_drop.value),
            interval(one.score.f1_drop),
        ]
        for one in results.entities
        if len(results.entities) <= _MOST_LABELS
    ]


def validity_lines(results: Results) -> Iterator[str]:
    """Yield the validity of every preset."""
    for preset in results.presets:
        yield f"validity of {preset.preset}: {describe_preset(preset)}"
    for contrast in results.contrasts:
        if contrast.validity is not None:
            rate = f"{number(contrast.validity.value, 0)} % of its edits {interval(contrast.validity, 0)}"
            yield f"validity of {contrast.preset}: {rate} change the meaning and read well"


def axis_lines(results: Results) -> Iterator[str]:
    """Yield the numbers of every axis, and robust accuracy, one line each."""
    for one in results.axes:
        yield f"axis {one.axis}, {number_of(len(one.ways), 'way')}: {_describe_ways(one.score)}"
    if results.axes and results.robust is not None:
        yield f"robust accuracy under presets that keep the meaning: {_show(results.robust.worst_case)} %"


def _describe_ways(score: VariantScore) -> str:
    return (
        f"mean {_show(score.mean)} %, spread {number(score.spread)} points, "
        f"worst case {_show(score.worst_case)} %, consistency rate {_show(score.consistency_rate)} %, "
        f"prompt sensitivity {_show(score.prompt_sensitivity)} %"
    )


def _show(estimate: Estimate) -> str:
    return f"{number(estimate.value)} {interval(estimate)}".rstrip()


def headlines(results: Results) -> Iterator[str]:
    """Yield what the run is about (model, data, label mapping), its verdicts, and the noise."""
    yield f"{results.model.name} on {results.data.name}: {_describe_items(results)}"
    renamed = [f"{shorten(a)} = {shorten(b)}" for a, b in results.model.labels.items() if a != b]
    if renamed:
        yield f"labels of the model and of the data: {', '.join(renamed)}"
    for sentence in write_headline(results):
        yield from textwrap.wrap(str(sentence), _WIDTH, break_on_hyphens=False)
    for condition in results.conditions:
        found = condition.entities
        if found is not None and found.f1_before is not None:
            rates = f"{number(found.f1_before)} % before, {number(found.f1_after)} % after"
            drop = f"drop {number(found.f1_drop.value)} points {interval(found.f1_drop)}"
            yield f"entity F1, {condition.name}: {rates}, {drop}"
    yield f"noise floor: {describe_noise(results)}"


def _describe_items(results: Results) -> str:
    """Return how many rows or pairs there are, with their labels."""
    data, task = results.data, results.settings.get("task")
    if results.has_pairs:
        return number_of(data.rows, "pair") + (" (no targets)" if data.unlabelled == data.rows else "")
    without = f"task {task['name']}" if task else "no labels"
    labels = ", ".join(f"{shorten(name)} {count(rows)}" for name, rows in data.labels.items()) or without
    return f"{number_of(data.rows, 'row')} ({labels})"


def warnings_of(results: Results) -> Iterator[str]:
    """Yield what a reader must know to interpret the numbers."""
    noise = results.noise
    if noise is not None and noise.alone_changed:
        cause = "answers vary from call to call" if noise.changed else "answers depend on the batch"
        yield (
            f"{noise.alone_changed:,} of {number_of(noise.alone_asked, 'answer')} changed when asked alone: "
            f"the model's {cause}"
        )
    item, text, label = ("pair", "source", "target") if results.has_pairs else ("row", "text", "label")
    clusters = results.clusters
    if clusters is not None and clusters.repeated_rows:
        shared = f"the {text}" if clusters.column is None else f"the {clusters.column!r}"
        effect = f", design effect {clusters.design_effect:.1f}" if clusters.design_effect else ""
        rows = number_of(clusters.repeated_rows, f"{item} shares", f"{item}s share")
        yield (
            f"{rows} {shared} of another one: intervals and tests are over "
            f"{number_of(clusters.number, 'cluster')}{effect}"
        )
    if results.duplicates is not None and results.duplicates.contradictory_rows:
        rows = number_of(results.duplicates.contradictory_rows, f"{item} has", f"{item}s have")
        yield f"{rows} the {text} of another {item}, but not its {label}: no model can get all of them right"
    if results.data.unlabelled:
        bare = number_of(results.data.unlabelled, f"{item} has", f"{item}s have")
        yield f"{bare} no {label}: used only for consistency"
    for failure in results.judge.failures[:3] if results.judge is not None else ():
        yield f"no verdict of the judge on {number_of(failure.times, 'reply', 'replies')}: {failure.error}"
    for failure in results.failures[:3]:
        yield f"no answer for {number_of(failure.times, 'text')}: {failure.error}"
    cut = max([results.truncated_clean, *(condition.truncated for condition in results.conditions)])
    if cut:
        yield (
            "texts too long for the model, which reads only their beginning: "
            f"{results.truncated_clean:,} clean, up to {cut:,} per condition"
        )


def summary_lines(results: Results) -> Iterator[str]:
    """Yield the whole summary as plain text."""
    yield from headlines(results)
    yield from (f"warning: {line}" for line in warnings_of(results))
    columns, title = columns_shown(results), GROUPS["contrast"]
    yield from _align(terminal_headings(columns), conditions_shown(results), terminal_alignment(columns))
    contrasts = {title: contrasts_shown(results)} if results.contrasts else {}
    yield from _align(CONTRAST_HEADINGS, contrasts, terminal_alignment(CONTRAST_COLUMNS))
    labels = entities_shown(results)
    yield from _align(ENTITY_HEADINGS, {ENTITY_TITLE: labels} if labels else {}, [True, True, *[False] * 5])
    yield from axis_lines(results)


def _align(headings: list[str], tables: dict[str, list[list[str]]], texts: list[bool]) -> Iterator[str]:
    """Yield rows under the headings of their tables, all columns aligned; nothing without a table."""
    widths = [max(map(len, cells)) for cells in zip(headings, *chain(*tables.values()), strict=True)]

    def lay_out(row: list[str]) -> str:
        cells = zip(row, widths, texts, strict=True)
        return "  ".join(cell.ljust(width) if text else cell.rjust(width) for cell, width, text in cells)

    if tables:
        yield lay_out(headings).rstrip()
    for heading, rows in tables.items():
        yield f"{heading}:"
        yield from (lay_out(row).rstrip() for row in rows)
