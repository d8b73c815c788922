"""`salva twins score`: score the answers to pairs, from a run or from files made elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from salva._files import storage_errors, write_atomically
from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.paths import OUTPUT
from salva.cli.show import is_quiet, print_json, print_line
from salva.cli.twins.options import Scoring, scoring_options, seed_option
from salva.cli.twins.show import print_score
from salva.errors import InputError, UsageError
from salva.twins.answers import find_traces, read_pair_answers
from salva.twins.inputs import find_pairs
from salva.twins.natural.synonyms import accepted_by_kind, read_synonyms
from salva.twins.page import report_page
from salva.twins.results import TwinScore, check_limits, summarise_runs
from salva.twins.running import read_run
from salva.twins.scoring import score

_AnswerFiles = tuple[str | Path, str | Path | None]  # answers to sources or to both sides, and to twins


class _Comparison(NamedTuple):
    """How all runs are scored."""

    scoring: Scoring
    accepted: Mapping[str, Sequence[str]]
    seed: int


@click.command("score")
@click.argument("sources", nargs=-1, required=True, metavar="PAIRS|RUN...")
@click.option(
    "--answers",
    multiple=True,
    metavar="FILE",
    help="Answers to the sources, one table with the answers to both sides, or a folder of runs; repeatable.",
)
@click.option(
    "--twin-answers",
    multiple=True,
    metavar="FILE",
    help="Answers to the twins, if they are in a separate file; repeatable, in the order of --answers.",
)
@scoring_options
@click.option("--synonyms", metavar="FILE", help="Table with the accepted outputs for --compare accepted.")
@seed_option("Seed for the intervals.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    metavar="FILE",
    help="Write the report as one HTML page; - is standard output.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@common_options
def command(
    sources: tuple[str, ...],
    *,
    answers: tuple[str, ...],
    twin_answers: tuple[str, ...],
    scoring: Scoring,
    synonyms: str | None,
    seed: int,
    output: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Score the answers to PAIRS, or those of a RUN: consistency together with accuracy.

    Answers are matched by the text of their source. A file of lines is next to the file of its sources
    (test.out next to test.src); a table has tabs and a header with source, prediction and optionally target,
    whatever the file is called. For several runs, given as a folder with run=1.txt, run=1_synonym.txt and so
    on or as several RUN folders, the mean and the spread are shown.
    """
    to_stdout = output == "-"
    if to_stdout and as_json:
        raise UsageError("--json and -o - both write to standard output; choose one")
    accepted = accepted_by_kind(read_synonyms(synonyms)) if synonyms else {}
    how = _Comparison(scoring, accepted, seed)
    if len(sources) > 1 or Path(sources[0], "run.json").is_file():
        scores = [_score_run(source, how, has_answers=bool(answers or twin_answers)) for source in sources]
    else:
        scores = list(_score_files(sources[0], _answer_files(answers, twin_answers), how))
    result = scores[0] if len(scores) == 1 else summarise_runs(scores)
    if output:
        _write_page(output, report_page(result), overwrite=overwrite)
    if as_json:
        print_json(result.as_dict())
    elif not is_quiet() and not to_stdout:
        print_score(result)
        if output:
            print_line(f"report: {output}")
    check_limits(result, scoring.limits)


def _score_run(source: str, how: _Comparison, *, has_answers: bool) -> TwinScore:
    if not Path(source, "run.json").is_file():
        problem = "is not a run made by salva twins run; name several runs, or one folder of pairs"
        raise InputError.at(source, None, problem)
    if has_answers:
        raise UsageError(f"{source!r} is a run, which has its own answers; leave out --answers")
    run, scoring = read_run(source), how.scoring
    return run.score(rule=scoring.rule, compare=scoring.compare, accepted=how.accepted, seed=how.seed)


def _score_files(source: str, files: Sequence[_AnswerFiles], how: _Comparison) -> Iterator[TwinScore]:
    if Path(source).is_file() and Path(source).suffix != ".jsonl":
        problem = "is not a folder of pairs, a .jsonl file of pairs, or a run"
        raise InputError.at(source, None, f"{problem}; name one of these, and the answers with --answers")
    data = find_pairs(source)
    for answers, twin_answers in files:
        read = read_pair_answers(data.pairs, answers, twin_answers)
        if read.unused and not is_quiet():
            many = number_of(read.unused, "line that answers", "lines that answer")
            print_line(f"salva: {answers}: ignored {many} other sources", to_stderr=True)
        yield score(
            data.pairs,
            read.answers,
            read.twin_answers,
            rule=how.scoring.rule,
            compare=how.scoring.compare,
            accepted=how.accepted,
            model=Path(answers).name,
            data=data.name,
            expected=data.kinds,
            seed=how.seed,
        )


def _answer_files(answers: Sequence[str], twin_answers: Sequence[str]) -> list[_AnswerFiles]:
    """Return the files of each run: one with both sides, or one per side."""
    if not answers:
        raise UsageError("name the answers with --answers FILE, or a folder made by salva twins run")
    folders = [name for name in answers if Path(name).is_dir()]
    if folders and twin_answers:
        raise UsageError(
            f"{folders[0]!r} is a folder, which also has the twin answers; leave out --twin-answers"
        )
    if twin_answers and len(answers) != len(twin_answers):
        given = f"{number_of(len(answers), 'file')} of answers and {len(twin_answers):,} of twin answers"
        raise UsageError(f"{given}; name one of each per run")
    files: list[_AnswerFiles] = []
    for place, name in enumerate(answers):
        if name in folders:
            files += find_traces(name)
        else:
            files.append((name, twin_answers[place] if twin_answers else None))
    return files


def _write_page(output: str, page: str, *, overwrite: bool) -> None:
    if output != "-":
        write_atomically(output, page.encode(), overwrite=overwrite)
        return
    with storage_errors("<stdout>"):
        sys.stdout.buffer.write(page.encode())
        sys.stdout.flush()
