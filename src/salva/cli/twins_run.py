"""`salva twins run`: a sequence model is asked about pairs, and what it answers is scored."""

from __future__ import annotations

from typing import Any

import click

from salva.cli.model_options import MODEL_NAMES, model_options
from salva.cli.options import common_options, reading_options
from salva.cli.show import counting, is_quiet, print_json, print_line
from salva.cli.twins_show import print_score
from salva.datasets import ReadOptions
from salva.errors import UsageError
from salva.models import ModelOptions
from salva.twins.inputs import PairInput, find_pairs
from salva.twins.natural import write_pair_lines
from salva.twins.prompting import InContext, Prompt, symbols_of
from salva.twins.results import RULES, Limit, check_limits
from salva.twins.running import open_sequence_model, run

__all__ = ["command"]

_READING = ("format", "text_column", "label_column", "id_column", "delimiter", "encoding", "on_bad_row")


@click.command("run")
@click.argument("source", metavar="PAIRS")
@click.option(
    "--model",
    metavar="SPEC",
    help="python:pkg.mod:f, hf:DIR, command:…, openai:MODEL@URL, or reference:DIR.",
)
@click.option("-o", "--output", metavar="RUN", help="Folder of the run.")
@click.option("--export", metavar="FILE", help="Write the pairs as JSON lines, and ask no model.")
@click.option("--synonyms", metavar="FILE", help="PAIRS is plain text; lines of a, tab, b, tab, accepted|….")
@click.option("--both-ways", is_flag=True, help="Replace b by a as well.")
@click.option("--preset", "presets", multiple=True, metavar="P", help="PAIRS is plain text; twins by preset.")
@click.option("--severity", type=float, metavar="S", help="Severity of the presets.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed of presets, prompts.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Take the first N pairs only.")
@click.option(
    "--rule",
    type=click.Choice(list(RULES)),
    default="nonempty",
    show_default=True,
    help="Whether two empty answers are consistent.",
)
@click.option("--compare", default="exact", show_default=True, metavar="C", help="How answers are compared.")
@click.option("--in-context", type=int, metavar="K", help="Explain the language, K examples a twin.")
@click.option(
    "--definitions/--no-definitions", default=True, show_default=True, help="Define functions, not twins."
)
@click.option("--max-new-tokens", type=int, metavar="N", help="hf, openai: longest answer; 256.")
@click.option(
    "--max-errors",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    metavar="X",
    help="Share of texts that may fail.",
)
@click.option(
    "--fail-if", "rules", multiple=True, metavar="RULE", help="Exit 1 if 'NAME OP NUMBER', any function."
)
@click.option("--resume", is_flag=True, help="Go on with the run in RUN.")
@model_options
@reading_options
@common_options
def command(source: str, **given: Any) -> None:
    """Ask a model about PAIRS, each distinct text once, and tell whether twins get the same answer.

    PAIRS is a folder with test.src, test_twin.src and their targets, a file of JSON lines, or a data set of
    plain texts with --synonyms or --preset. Answers are kept in the folder RUN; --resume goes on.
    """
    for rule in given["rules"]:
        Limit.of(rule)
    found = _pairs(source, given)
    if given["export"]:
        write_pair_lines(given["export"], found.pairs[: given["limit"]])
        print_line(f"{len(found.pairs):,} pairs written: {given['export']}")
        return
    if given["model"] is None or given["output"] is None:
        raise UsageError("name a model with --model SPEC and a folder with -o RUN, or --export the pairs")
    names = (*MODEL_NAMES, "max_new_tokens")
    options = ModelOptions(**{name: given[name] for name in names if given.get(name) is not None})
    with counting("texts") as progress:
        done = run(
            found.pairs[: given["limit"]],
            _model(found, options, given),
            given["output"],
            model_options=options,
            resume=given["resume"],
            max_errors=given["max_errors"],
            rule=given["rule"],
            compare=given["compare"],
            accepted=found.accepted,
            data=found.name,
            progress=progress,
        )
    if given["as_json"]:
        print_json(done.score.as_dict())
    elif not is_quiet():
        print_score(done.score)
        print_line(f"report: {done.folder / 'report.html'}")
    check_limits(done.score, given["rules"])


def _pairs(source: str, given: dict[str, Any]) -> PairInput:
    return find_pairs(
        source,
        synonyms=given["synonyms"],
        both_ways=given["both_ways"],
        presets=given["presets"],
        options=ReadOptions.given({name: given[name] for name in (*_READING, "max_line_bytes")}),
        seed=given["seed"],
        severity=given["severity"],
    )


def _model(found: PairInput, options: ModelOptions, given: dict[str, Any]) -> object:
    if given["in_context"] is None:
        return given["model"]
    if given["synonyms"] or given["presets"]:
        raise UsageError("--in-context explains PCFG SET; it goes with a folder of its pairs")
    prompt = Prompt(
        symbols_of(found.pairs, found.names),
        examples=given["in_context"],
        definitions=given["definitions"],
        names=found.names,
        seed=given["seed"],
    )
    return InContext(open_sequence_model(given["model"], options), prompt)
