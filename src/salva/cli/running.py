"""What commands that ask a model share: limits on calls and failures, and how to resume."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from salva._types import PathLike
from salva.cli.options import Command
from salva.cli.show import print_line
from salva.errors import UsageError


def limit_options(command: Command) -> Command:
    """Add --max-calls and --max-errors."""
    command = click.option(
        "--max-errors", default="10%", show_default=True, metavar="N|P%", help="Stop if more texts fail."
    )(command)
    return click.option(
        "--max-calls", type=click.IntRange(min=0), metavar="N", help="Stop before more texts are sent."
    )(command)


def errors_given(text: str) -> float:
    """Return a number of texts, or a share of them.

    >>> errors_given("20"), errors_given("5%")
    (20, 0.05)
    """
    number = text.removesuffix("%").strip()
    try:
        return float(number) / 100 if text.endswith("%") else int(number)
    except ValueError:
        raise UsageError(f"--max-errors {text!r} must be a count (20) or a percentage (5%)") from None


@contextlib.contextmanager
def resumable(folder: PathLike, *, resume: bool) -> Iterator[None]:
    """Print how to resume if a run in a folder is interrupted or terminated inside the block."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if Path(folder, "run.json").is_file():
            again = shlex.join([*sys.argv[1:], *([] if resume else ["--resume"])])
            print_line(f"stopped; every answer so far is kept. To continue: salva {again}", to_stderr=True)
        raise
