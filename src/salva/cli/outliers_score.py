"""`salva outliers score`: whether vectors or a thesaurus know which word does not belong."""

from __future__ import annotations

from typing import Any

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.outliers_options import scoring_options
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.outliers.page import write_score_page
from salva.outliers.policies import find_policy
from salva.outliers.results import Figures, OutlierScore
from salva.outliers.scoring import read_for, score
from salva.outliers.sets import WordSet
from salva.outliers.vectors.formats import FORMATS, open_vectors
from salva.outliers.vectors.similarities import Similarities
from salva.outliers.vectors.thesaurus import THESAURUS_CHAIN, open_thesaurus
from salva.stats import Estimate

_COLUMNS = ("", "n", "hits", "Accuracy", "interval", "OPP (OP/n)", "OPP (1-based)")
_LABELS = {"sub-set": "sub-set {}", "kind": "kind {}", "language": "language {}"}
_SHOWN = 10


@click.command("score")
@click.argument("sets", metavar="SETS...", nargs=-1, required=True)
@click.option("--vectors", metavar="SPEC", help="A file of vectors, or glove (pip install 'salva[glove]').")
@click.option("--thesaurus", metavar="FILE", help="Lines of word, neighbour and score, separated by tabs.")
@click.option("--vocabulary", metavar="FILE", help="The words of an npy or safetensors file, one per line.")
@click.option("--format", metavar="F", help=f"{', '.join(FORMATS)}; default: detected.")
@scoring_options
@click.option("-o", "--output", metavar="FILE", help="Write a report, one HTML page.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@common_options
def command(sets: tuple[str, ...], **given: Any) -> None:
    """Measure how often the word that does not belong is found, in files or folders of sets.

    Of 8 inliers and one outlier, the word least like the others is taken as the outlier. Accuracy is the
    share of exercises where that is right; the two OPPs say how close it came, and cannot be compared.
    """
    found = read_for(given["policy"], sets, languages=given["languages"] or None, mend=given["mend"])
    options = {name: given[name] for name in ("policy", "leave_one_out", "min_coverage", "seed")}
    result = score(_similarities(found, given), found, **options)
    if given["output"]:
        write_score_page(result, given["output"], overwrite=given["overwrite"])
    if given["as_json"]:
        print_json(result.as_dict())
    elif not is_quiet():
        print_score(result)
        if given["output"]:
            print_line(f"report: {given['output']}")


def _similarities(sets: list[WordSet], given: dict[str, Any]) -> Similarities:
    _check_source(given)
    words = [word for one in sets for word in one.words]
    policy, chain = find_policy(given["policy"]), given["lookup"]
    if given["thesaurus"] is not None:
        # A thesaurus has no vectors of parts to average; the policy still decides whether case matters.
        usual = THESAURUS_CHAIN if "lower" in policy.chain else ("exact",)
        return open_thesaurus(given["thesaurus"], words, chain=chain or usual)
    return open_vectors(
        given["vectors"],
        words,
        chain=chain or policy.chain,
        format=given["format"],
        vocabulary=given["vocabulary"],
    )


def _check_source(given: dict[str, Any]) -> None:
    if given["vectors"] is None and given["thesaurus"] is None:
        raise UsageError("nothing to score; pass --vectors SPEC or --thesaurus FILE")
    if given["thesaurus"] is None:
        return
    if given["vectors"] is not None:
        raise UsageError("--vectors and --thesaurus cannot be combined; score one at a time")
    for name in ("format", "vocabulary"):
        if given[name] is not None:
            raise UsageError(f"--{name} is for --vectors, not for a thesaurus, which contains its words")


def print_score(result: OutlierScore) -> None:
    """Print a score: coverage first, then the figures, then the inliers that beat an outlier."""
    coverage = result.coverage
    known = f"{coverage.known:,} of {coverage.words:,} words known ({coverage.percent:.2f} %)"
    whole = f"{coverage.complete:,} of {coverage.exercises:,} exercises complete"
    chain = ", ".join(result.source.chain)
    sets = number_of(len(result.sets), "set")
    print_line(f"{result.source.name} on {sets}, policy {result.policy}, look-up {chain}")
    print_line(f"coverage: {known}, {whole}")
    rows = [("all", *_cells(result.figures))]
    rows += [(_LABELS.get(one.by, "{}").format(one.name), *_cells(one.figures)) for one in result.groups]
    print_table("percent, 95 % intervals over topics; the two OPPs cannot be compared", _COLUMNS, rows)
    if result.confusions:
        beaten = [
            (one.word, f"{one.language}-{one.topic}", f"{one.times} of {one.of}", ", ".join(one.outliers[:3]))
            for one in result.confusions[:_SHOWN]
        ]
        print_table("inliers that beat the outlier", ("inlier", "set", "exercises", "such as"), beaten)
    for warning in result.warnings:
        print_line(f"warning: {warning}")
    print_line(result.signature)


def _cells(figures: Figures) -> tuple[str, ...]:
    accuracy = figures.accuracy
    return (
        f"{figures.counted:,}",
        f"{figures.hits:,}",
        _percent(accuracy),
        "n/a" if accuracy.low is None else f"[{accuracy.low:.1f}, {accuracy.high:.1f}]",
        _percent(figures.opp),
        _percent(figures.opp_1based),
    )


def _percent(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else f"{estimate.value:.4f}"
