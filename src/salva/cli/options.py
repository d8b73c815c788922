"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from salva.cli.show import log_to_terminal

Command = TypeVar("Command", bound=Callable[..., Any])


def _verbosity(context: click.Context, option: click.Parameter, count: int) -> int:
    """Set the log level; options before and after the command name add up."""
    shared = context.find_root().meta
    shared["verbosity"] = shared.get("verbosity", 0) + (-count if option.name == "quiet" else count)
    log_to_terminal(shared["verbosity"])
    return count


def verbosity_options(command: Command) -> Command:
    """Add -q and -v."""
    command = click.option(
        "-q", "--quiet", count=True, callback=_verbosity, expose_value=False, help="Print less."
    )(command)
    return click.option(
        "-v",
        "--verbose",
        count=True,
        callback=_verbosity,
        expose_value=False,
        help="Print more; -vv: everything.",
    )(command)


def common_options(command: Command) -> Command:
    """Add -q, -v and --json."""
    option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
    return verbosity_options(option(command))


_READING = [
    click.option(
        "--format", metavar="F", help="txt, csv, tsv, jsonl, parquet or arrow, also with .gz, .zst or .bz2."
    ),
    click.option("--text-column", metavar="C", help="Column of the text; two columns: A,B."),
    click.option("--label-column", metavar="C", help="Column of the label."),
    click.option("--id-column", metavar="C", help="Column of the id."),
    click.option("--delimiter", metavar="D", help="Separator between the cells of a csv file."),
    click.option("--encoding", metavar="E", help="Encoding of the text, if not UTF-8."),
    click.option(
        "--on-bad-row",
        type=click.Choice(["fail", "keep", "drop"]),
        default="fail",
        show_default=True,
        help="What to do with a row that cannot be read as it is.",
    ),
    click.option(
        "--max-line-bytes", type=click.IntRange(min=1), metavar="N", help="Longest line; default: 256 MiB."
    ),
]


def writing_options(command: Command) -> Command:
    """Add the options about an output other than its name."""
    command = click.option("--overwrite", is_flag=True, help="Replace OUT if it exists.")(command)
    return click.option("--output-format", metavar="F", help="Format of OUT, if its name does not show it.")(
        command
    )


def reading_options(command: Command) -> Command:
    """Add all options about an input."""
    for option in reversed(_READING):
        command = option(command)
    return command
