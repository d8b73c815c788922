"""`salva outliers annotate`, `agreement` and `translate`: pages for people, tables for translators."""

from __future__ import annotations

import click

from salva._show import interval, number, number_of
from salva.cli.options import OUTPUT, common_options
from salva.cli.outliers.options import overwrite_option, seed_option
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.outliers.authoring.translation import (
    read_translation,
    translation_table,
    write_table,
    write_translation,
)
from salva.outliers.people.agreement import Agreement, AnswerCounts, agreement
from salva.outliers.people.annotation import write_annotation_page
from salva.outliers.sets import read_finished_sets


@click.command("annotate")
@click.argument("sets", metavar="SETS")
@click.option("-o", "--output", type=OUTPUT, required=True, metavar="PAGE", help="The page, an HTML file.")
@click.option("--language", metavar="L", help="Language of the sets, such as EN.")
@click.option("--exercises", type=int, metavar="N", help="How many; default: one per set, at most eight.")
@seed_option(help="Seed for choice and order.")
@overwrite_option(help="Replace the page if it exists.")
@common_options
def annotate_command(
    sets: str,
    *,
    output: str,
    language: str | None,
    exercises: int | None,
    seed: int,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write a page that asks people which word does not belong, nine words at a time.

    SETS is a file or a folder. The page works offline, and gives each person's answers as a file for
    `agreement`. To compare people, give them the same SETS, --exercises and --seed.
    """
    word_sets = read_finished_sets(sets, languages=None if language is None else [language], mend=True)
    languages = sorted({words.language for words in word_sets})
    if len(languages) > 1:
        raise UsageError(f"the sets are in {', '.join(languages)}; pass --language")
    asked = write_annotation_page(word_sets, output, count=exercises, seed=seed, overwrite=overwrite)
    if as_json:
        print_json({"page": output, "exercises": asked})
    elif not is_quiet():
        print_line(f"{output}: {number_of(asked, 'exercise')}")


_AGREEMENT_COLUMNS = ("answered", "skipped", "right", "accuracy", "95 % interval")


@click.command("agreement")
@click.argument("sets", metavar="SETS")
@click.argument("answers", metavar="ANSWERS...", nargs=-1, required=True)
@seed_option(help="Seed used by annotate.")
@click.option(
    "--threshold",
    type=float,
    default=90.0,
    show_default=True,
    metavar="P",
    help="Report sets with a lower accuracy, in percent.",
)
@common_options
def agreement_command(
    sets: str, answers: tuple[str, ...], *, seed: int, threshold: float, as_json: bool
) -> None:
    """Report how often annotators chose the outlier, how well they agree, and which sets to review.

    SETS are the annotated sets, ANSWERS the files downloaded from the page of `annotate`.
    """
    result = agreement(read_finished_sets(sets, mend=True), answers, seed=seed, threshold=threshold)
    if as_json:
        print_json(result.as_dict())
    else:
        _print_agreement(result)


def _print_agreement(result: Agreement) -> None:
    print_line(f"{number_of(result.exercises, 'exercise')}, {number_of(len(result.annotators), 'annotator')}")
    for name, estimate, digits in (
        ("accuracy, %", result.total.accuracy, 1),
        ("pairwise agreement, %", result.pairwise, 1),
        ("free-marginal kappa", result.kappa, 3),
        ("Krippendorff's alpha", result.alpha, 3),
    ):
        between = interval(estimate, digits, missing="")
        print_line(f"{name}: {number(estimate.value, digits)} {between}".rstrip())
    print_table("annotators", ("annotator", *_AGREEMENT_COLUMNS), [*map(_counts_row, result.annotators)])
    print_table("sub-sets", ("sub-set", *_AGREEMENT_COLUMNS), [*map(_counts_row, result.subsets)])
    if result.pairs:
        rows = [
            (p.a, p.b, p.n, p.same, number(p.rate.value), interval(p.rate, missing="")) for p in result.pairs
        ]
        print_table("pairs", ("a", "b", "both answered", "same answer", "agreement", "95 % interval"), rows)
    _print_sets(result)


def _print_sets(result: Agreement) -> None:
    """Print the sets under the threshold, and how many cannot be judged."""
    under = sorted(result.under, key=lambda set_: set_.answers.accuracy.value or 0.0)
    few = len(result.unjudged)
    title = f"sets under {result.threshold:g} %: {len(under)} of {len(result.sets) - few}"
    if few:
        title += f"; {number_of(few, 'set has', 'sets have')} fewer than two answers, too few for a verdict"
    rows_of_sets = [
        (f"{s.language}-{s.topic}", *_counts_row(s.answers)[1:], "yes" if s.surely_under else "")
        for s in under
    ]
    if under:
        print_table(title, ("set", *_AGREEMENT_COLUMNS, "surely"), rows_of_sets)
    else:
        print_line(title)


def _counts_row(counts: AnswerCounts) -> tuple[str | int, ...]:
    accuracy = number(counts.accuracy.value), interval(counts.accuracy, missing="")
    return (counts.name, counts.answered, counts.skipped, counts.right, *accuracy)


@click.command("translate")
@click.argument("sets", metavar="[SETS]", required=False)
@click.option("--to", "language", metavar="LANG", help="The language to translate into, such as IT.")
@click.option("--read", "table", metavar="TABLE", help="A filled-in table to make set files from.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    required=True,
    metavar="OUT",
    help="A .tsv table; with --read, a folder.",
)
@click.option("--frequencies", metavar="FILE", help="Lines of a LANG word, a tab and a count.")
@click.option("--vectors", metavar="FILE", help="Vectors for LANG, to see which words they have.")
@overwrite_option(help="Replace existing files.")
@common_options
def translate_command(
    sets: str | None,
    *,
    language: str | None,
    table: str | None,
    output: str,
    frequencies: str | None,
    vectors: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a table for translating English SETS, or set files from a filled-in TABLE.

    A translator fills in the column LANG and, if a word was adapted, its case (1 no exact correspondence,
    2 infrequent, 3 too specific to a culture) and a note.
    """
    if table is not None:
        if sets is not None or language is not None:
            raise UsageError("--read cannot be combined with SETS or --to; the table has both")
        _write_sets(table, output, overwrite=overwrite, as_json=as_json)
        return
    if sets is None or language is None:
        raise UsageError("nothing to do; pass SETS and --to LANG, or --read TABLE")
    word_sets = read_finished_sets(sets, mend=True)
    made = translation_table(word_sets, language, frequencies=frequencies, vectors=vectors)
    write_table(made, output, overwrite=overwrite)
    empty = sum(not row.target for row in made.rows)
    if as_json:
        print_json(made.as_dict())
    elif not is_quiet():
        size = f"{number_of(len(made.topics), 'set')}, {number_of(len(made.rows), 'word')}"
        print_line(f"{output}: {size}, {empty:,} to fill in")


def _write_sets(table: str, folder: str, *, overwrite: bool, as_json: bool) -> None:
    filled = read_translation(table)
    written = [str(path) for path in write_translation(filled, folder, overwrite=overwrite)]
    missing = {topic: [row.english for row in rows] for topic, rows in filled.unfinished.items()}
    if as_json:
        result = {"language": filled.language, "written": written, "waiting": filled.waiting}
        print_json(result | {"unfinished": missing})
        return
    for topic, rows in filled.unfinished.items():
        lacks = f"{number_of(len(rows), 'word is', 'words are')} missing, first {rows[0].english!r}"
        print_line(f"{table}:{rows[0].line}: {topic} is not written: {lacks}", to_stderr=True)
    if not is_quiet():
        sets = f"{number_of(len(written), 'set')} in {filled.language}"
        others = f"{len(missing):,} unfinished, {len(filled.waiting):,} not yet translated"
        print_line(f"{folder}: {sets}, {others}")
