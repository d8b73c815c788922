"""`salva twins run`: ask a sequence model about pairs and score its answers."""

from __future__ import annotations

from typing import Any

import click

from salva._show import number_of
from salva.cli.model_options import WRITER_NAMES, writer_options
from salva.cli.options import common_options
from salva.cli.running import errors_given, limit_options, resumable
from salva.cli.show import counting, is_quiet, print_json, print_line
from salva.cli.twins_options import natural_options, pairs_given, scoring_options
from salva.cli.twins_show import print_score
from salva.errors import UsageError
from salva.models import ModelOptions
from salva.pairs.limits import Limit
from salva.twins.inputs import PairInput
from salva.twins.pair import write_pair_lines
from salva.twins.pcfg.prompting import InContext, prompt_for
from salva.twins.results import check_limits
from salva.twins.running import TwinRun, open_sequence_model, run
from salva.twins.scoring import number_names


@click.command("run")
@click.argument("source", metavar="PAIRS")
@click.option(
    "--model",
    metavar="SPEC",
    help="Model to ask: python:pkg.mod:f, hf:DIR, command:…, openai:MODEL@URL, or reference:DIR.",
)
@click.option("-o", "--output", metavar="RUN", help="Folder for the run.")
@natural_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use only N pairs, the same share of every function.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for presets and examples."
)
@click.option(
    "--in-context", type=int, metavar="K", help="Explain PCFG SET in a prompt, with K examples per twin."
)
@click.option(
    "--definitions/--no-definitions",
    default=True,
    show_default=True,
    help="In context, define the functions in words; twins are never defined.",
)
@click.option("--noise", type=int, default=100, show_default=True, help="Number of sources to ask twice.")
@limit_options
@scoring_options
@click.option("--export", metavar="FILE", help="Write the pairs as JSON lines without asking a model.")
@click.option("--resume", is_flag=True, help="Continue the run in RUN.")
@writer_options
@common_options
def command(source: str, **given: Any) -> None:
    """Ask a model about PAIRS, each distinct text once, and report whether twins get the same answer.

    PAIRS is a folder with test.src, test_twin.src and their targets, a file of JSON lines, or a data set of
    plain texts with --synonyms or --preset. The folder RUN holds the numbers (results.json), a page
    (report.html) and every answer. Use --resume to continue a run that was stopped.
    """
    for rule in given["rules"]:
        Limit.of(rule).known_among(number_names())
    found = pairs_given(source, given)
    if given["export"]:
        write_pair_lines(given["export"], found.pairs)
        print_line(f"{number_of(len(found.pairs), 'pair')} written: {given['export']}")
        return
    if given["model"] is None or given["output"] is None:
        raise UsageError(
            "name a model with --model SPEC and a folder with -o RUN, or write the pairs with --export"
        )
    done = _run(found, given)
    if given["as_json"]:
        print_json(done.score.as_dict())
    elif not is_quiet():
        print_score(done.score)
        print_line(f"report: {done.folder / 'report.html'}")
    check_limits(done.score, given["rules"])


def _run(found: PairInput, given: dict[str, Any]) -> TwinRun:
    options = ModelOptions(**{name: given[name] for name in WRITER_NAMES if given.get(name) is not None})
    with resumable(given["output"], resume=given["resume"]), counting("texts") as progress:
        return run(
            found.pairs,
            _model(found, options, given),
            given["output"],
            model_options=options,
            resume=given["resume"],
            noise=given["noise"],
            max_calls=given["max_calls"],
            max_errors=errors_given(given["max_errors"]),
            rule=given["rule"],
            compare=given["compare"],
            accepted=found.accepted,
            expected=found.kinds,
            data=found.name,
            progress=progress,
        )


def _model(found: PairInput, options: ModelOptions, given: dict[str, Any]) -> object:
    if given["in_context"] is None:
        return given["model"]
    options_of = {"examples": given["in_context"], "definitions": given["definitions"], "seed": given["seed"]}
    prompt = prompt_for(found.pairs, found.names, **options_of)
    return InContext(open_sequence_model(given["model"], options), prompt)
