"""`salva twins score`: score the answers to pairs, from a run or from files made elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from salva._files import storage_errors, write_atomically
from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.cli.twins_options import scoring_options
from salva.cli.twins_show import print_runs, print_score
from salva.errors import InputError, UsageError
from salva.pairs.limits import Limit
from salva.twins.answers import find_traces, read_pair_answers
from salva.twins.inputs import find_pairs
from salva.twins.natural.pairing import accepted_by_kind, read_synonyms
from salva.twins.page import report_page, runs_page
from salva.twins.pcfg.files import refuse_inputs
from salva.twins.results import TwinRuns, TwinScore, check_limits, check_run_limits, summarise_runs
from salva.twins.running import read_run
from salva.twins.scoring import number_names, score


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
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for the intervals.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the report as one HTML page; - is standard output."
)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@common_options
def command(sources: tuple[str, ...], **given: Any) -> None:
    """Score the answers to PAIRS, or those of a RUN: consistency together with accuracy.

    Answers are matched by the text of their source. A file of lines is next to the file of its sources
    (test.out next to test.src); a table has tabs and a header with source, prediction and optionally target,
    whatever the file is called. For several runs, given as a folder with run=1.txt, run=1_synonym.txt and so
    on or as several RUN folders, the mean and the spread are shown.
    """
    for rule in given["rules"]:
        Limit.of(rule).known_among(number_names())
    to_stdout = given["output"] == "-"
    if to_stdout and given["as_json"]:
        raise UsageError("--json and -o - both write to standard output; choose one")
    if given["output"] and not to_stdout:
        read = (*given["answers"], *given["twin_answers"], given["synonyms"])
        refuse_inputs([name for name in read if name], [given["output"]])
    found = _scored(sources, given)
    if given["output"]:
        page = report_page(found) if isinstance(found, TwinScore) else runs_page(found)
        _write_page(given["output"], page, overwrite=given["overwrite"])
    if given["as_json"]:
        print_json(found.as_dict())
    elif not is_quiet() and not to_stdout:
        _print(found)
        if given["output"]:
            print_line(f"report: {given['output']}")
    _check(found, given["rules"])


def _print(found: TwinScore | TwinRuns) -> None:
    if isinstance(found, TwinScore):
        print_score(found)
    else:
        print_runs(found)


def _check(found: TwinScore | TwinRuns, rules: Sequence[str]) -> None:
    if isinstance(found, TwinScore):
        check_limits(found, rules)
    else:
        check_run_limits(found, rules)


def _write_page(output: str, page: str, *, overwrite: bool) -> None:
    if output != "-":
        write_atomically(output, page.encode(), overwrite=overwrite)
        return
    with storage_errors("<stdout>"):
        sys.stdout.buffer.write(page.encode())
        sys.stdout.flush()


def _scored(sources: Sequence[str], given: dict[str, Any]) -> TwinScore | TwinRuns:
    shared: dict[str, Any] = {name: given[name] for name in ("rule", "compare", "seed")}
    table = read_synonyms(given["synonyms"]) if given["synonyms"] else []
    shared |= {"accepted": accepted_by_kind(table)}
    if len(sources) > 1 or Path(sources[0], "run.json").is_file():
        scores = [_of_run(source, given, shared) for source in sources]
    else:
        scores = _of_answers(sources[0], given, shared)
    return scores[0] if len(scores) == 1 else summarise_runs(scores)


def _of_run(source: str, given: dict[str, Any], shared: dict[str, Any]) -> TwinScore:
    if not Path(source, "run.json").is_file():
        problem = "is not a run made by salva twins run; name several runs, or one folder of pairs"
        raise InputError.at(source, None, problem)
    if given["answers"] or given["twin_answers"]:
        raise UsageError(f"{source!r} is a run, which has its own answers; leave out --answers")
    run = read_run(source)
    known = {"model": run.model, "data": run.data, "accepted": shared["accepted"] or run.accepted}
    known |= {"reruns": run.asked.reruns, "cut": run.asked.cut, "expected": run.unmet}
    return score(run.pairs, run.asked.answers, run.asked.twin_answers, **shared | known)


def _of_answers(source: str, given: dict[str, Any], shared: dict[str, Any]) -> list[TwinScore]:
    files = _answer_files(given["answers"], given["twin_answers"])
    if Path(source).is_file() and Path(source).suffix != ".jsonl":
        problem = "is not a folder of pairs, a .jsonl file of pairs, or a run"
        raise InputError.at(source, None, f"{problem}; name one of these, and the answers with --answers")
    pairs = find_pairs(source)
    scores = []
    for answers, twin_answers in files:
        read = read_pair_answers(pairs.pairs, answers, twin_answers)
        if read.unused and not is_quiet():
            many = number_of(read.unused, "line that answers", "lines that answer")
            print_line(f"salva: {answers}: ignored {many} other sources", to_stderr=True)
        known = {"model": Path(answers).name, "data": pairs.name, "expected": pairs.kinds}
        scores.append(score(pairs.pairs, read.answers, read.twin_answers, **shared | known))
    return scores


def _answer_files(
    answers: Sequence[str], twin_answers: Sequence[str]
) -> list[tuple[str | Path, str | Path | None]]:
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
    files: list[tuple[str | Path, str | Path | None]] = []
    for place, name in enumerate(answers):
        if name in folders:
            files += find_traces(name)
        else:
            files.append((name, twin_answers[place] if twin_answers else None))
    return files
