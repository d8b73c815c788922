"""`salva twins score`: what the answers to pairs say, from a run or from files made elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from salva._files import storage_errors, write_atomically
from salva.cli.options import common_options
from salva.cli.show import is_quiet, print_json, print_line
from salva.cli.twins_options import scoring_options
from salva.cli.twins_show import print_score
from salva.errors import InputError, UsageError
from salva.twins.answers import read_pair_answers
from salva.twins.files import refuse_inputs
from salva.twins.inputs import find_pairs
from salva.twins.natural import accepted_by_kind, read_synonyms
from salva.twins.page import report_page
from salva.twins.results import Limit, TwinScore, check_limits
from salva.twins.running import read_run
from salva.twins.scoring import number_names, score

__all__ = ["command"]


@click.command("score")
@click.argument("source", metavar="PAIRS|RUN")
@click.option("--answers", metavar="FILE", help="Answers to the sources, or in one .tsv to both sides.")
@click.option("--twin-answers", metavar="FILE", help="Answers to the twins, where these are in another file.")
@scoring_options
@click.option("--synonyms", metavar="FILE", help="Table with the outputs that --compare accepted needs.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of the intervals.")
@click.option("-o", "--output", metavar="FILE", help="Write the report, one HTML page; - is standard output.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@common_options
def command(source: str, **given: Any) -> None:
    """Score the answers to PAIRS, or those of a RUN: consistency, and accuracy beside it.

    Answers are aligned by the text of their source. A file of lines lies beside the file of its sources
    (test.out beside test.src); a .tsv has the columns source and prediction, and target if wanted.
    """
    for rule in given["rules"]:
        Limit.of(rule).known_among(number_names())
    to_stdout = given["output"] == "-"
    if to_stdout and given["as_json"]:
        raise UsageError("--json and -o - both write to standard output; choose one")
    if given["output"] and not to_stdout:
        read = (given["answers"], given["twin_answers"], given["synonyms"])
        refuse_inputs([name for name in read if name], [given["output"]])
    found = _scored(source, given)
    if given["output"]:
        _write_page(given["output"], report_page(found), overwrite=given["overwrite"])
    if given["as_json"]:
        print_json(found.as_dict())
    elif not is_quiet() and not to_stdout:
        print_score(found)
        if given["output"]:
            print_line(f"report: {given['output']}")
    check_limits(found, given["rules"])


def _write_page(output: str, page: str, *, overwrite: bool) -> None:
    if output != "-":
        write_atomically(output, page.encode(), overwrite=overwrite)
        return
    with storage_errors("<stdout>"):
        sys.stdout.buffer.write(page.encode())
        sys.stdout.flush()


def _scored(source: str, given: dict[str, Any]) -> TwinScore:
    shared: dict[str, Any] = {name: given[name] for name in ("rule", "compare", "seed")}
    table = read_synonyms(given["synonyms"]) if given["synonyms"] else []
    accepted = accepted_by_kind(table)
    if Path(source, "run.json").is_file():
        if given["answers"] or given["twin_answers"]:
            raise UsageError(f"{source!r} is a run and has its answers; leave out --answers")
        run = read_run(source)
        shared |= {"model": run.model, "data": run.data, "accepted": accepted or run.accepted}
        shared |= {"reruns": run.asked.reruns, "cut": run.asked.cut, "expected": run.unmet}
        return score(run.pairs, run.asked.answers, run.asked.twin_answers, **shared)
    if given["answers"] is None:
        raise UsageError("name the answers with --answers FILE, or a folder that salva twins run made")
    if Path(source).is_file() and Path(source).suffix != ".jsonl":
        problem = "is no folder of pairs, no .jsonl file of pairs, and no run"
        raise InputError.at(source, None, f"{problem}; name these first, and answers with --answers")
    pairs = find_pairs(source)
    said = read_pair_answers(pairs.pairs, given["answers"], given["twin_answers"])
    if said.unused and not is_quiet():
        many = "line answers" if said.unused == 1 else "lines answer"
        print_line(f"salva: {said.unused:,} {many} other sources and are not used", to_stderr=True)
    shared |= {"model": Path(given["answers"]).name, "data": pairs.name, "accepted": accepted}
    shared |= {"expected": pairs.kinds}
    return score(pairs.pairs, said.answers, said.twin_answers, **shared)
