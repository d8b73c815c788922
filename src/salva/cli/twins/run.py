"""`salva twins run`: ask a sequence model about pairs and score its answers."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.data_options import reading_options
from salva.cli.model_options import budget_options, generator_options, list_specs, resumable
from salva.cli.options import common_options
from salva.cli.paths import OUTPUT
from salva.cli.show import is_quiet, print_json, print_line
from salva.cli.twins.options import Scoring, TextPairing, scoring_options, seed_option, text_options
from salva.cli.twins.show import print_score
from salva.errors import UsageError
from salva.models import ADAPTERS as MODELS
from salva.models import ModelOptions
from salva.rows import ReadOptions
from salva.runs import Budget
from salva.twins.pair import write_pair_lines
from salva.twins.pcfg.prompting import InContext, prompt_for
from salva.twins.results import check_limits
from salva.twins.running import ADAPTERS, open_sequence_model, run

_SPECS = list_specs(adapter for adapter in (*MODELS.values(), *ADAPTERS.values()) if adapter.text)


@click.command("run")
@click.argument("source", metavar="PAIRS")
@click.option(
    "--model",
    metavar="SPEC",
    help=f"Model to ask: {_SPECS}.",
)
@click.option("-o", "--output", type=OUTPUT, metavar="RUN", help="Folder for the run.")
@text_options
@reading_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Use only N pairs, the same share of every kind (function or word).",
)
@seed_option("Seed for presets and examples.")
@click.option(
    "--in-context", type=int, metavar="K", help="Explain PCFG SET in a prompt, with K examples per twin."
)
@click.option(
    "--definitions/--no-definitions",
    default=True,
    show_default=True,
    help="In context, define the functions in words; twins are never defined.",
)
@click.option("--noise", type=int, default=100, show_default=True, help="Sources to ask about twice.")
@budget_options
@scoring_options
@click.option(
    "--export", type=OUTPUT, metavar="FILE", help="Write the pairs as JSON lines without asking a model."
)
@click.option("--resume", is_flag=True, help="Continue the run in RUN.")
@click.option(
    "--same-model", is_flag=True, help="With --resume: keep the answers although the model changed."
)
@click.option("--overwrite", is_flag=True, help="Start over in RUN if it holds a run.")
@generator_options
@common_options
def command(
    source: str,
    *,
    model: str | None,
    output: str | None,
    texts: TextPairing,
    reading: ReadOptions,
    limit: int | None,
    seed: int,
    in_context: int | None,
    definitions: bool,
    noise: int,
    budget: Budget,
    scoring: Scoring,
    export: str | None,
    resume: bool,
    same_model: bool,
    overwrite: bool,
    opening: ModelOptions,
    as_json: bool,
) -> None:
    """Ask a model about PAIRS, each distinct text once, and report whether twins get the same answer.

    PAIRS is a folder with test.src, test_twin.src and their targets, a file of JSON lines, or a data set of
    plain texts with --synonyms or --preset. The folder RUN holds the numbers (results.json), a page
    (report.html) and every answer. Use --resume to continue a run that was stopped.
    """
    data = texts.find(source, reading, seed=seed).limited(limit)
    if export:
        write_pair_lines(export, data.pairs)
        print_line(f"{number_of(len(data.pairs), 'pair')} written: {export}")
        return
    if model is None or output is None:
        raise UsageError(
            "name a model with --model SPEC and a folder with -o RUN, or write the pairs with --export"
        )
    with resumable(output, resume=resume):
        asked: object = model
        if in_context is not None:
            prompt = prompt_for(
                data.pairs, data.names, examples=in_context, definitions=definitions, seed=seed
            )
            asked = InContext(open_sequence_model(model, opening), prompt)
        done = run(
            data.pairs,
            asked,
            output,
            model_options=opening,
            resume=resume,
            overwrite=overwrite,
            same_model=same_model,
            noise=noise,
            max_calls=budget.calls,
            max_errors=budget.errors,
            rule=scoring.rule,
            compare=scoring.compare,
            accepted=data.accepted,
            expected=data.kinds,
            data=data.name,
            progress=not is_quiet(),
        )
    if as_json:
        print_json(done.score.as_dict())
    elif not is_quiet():
        print_score(done.score)
        print_line(f"report: {done.folder / 'report.html'}")
    check_limits(done.score, scoring.limits)
