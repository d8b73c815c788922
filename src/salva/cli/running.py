"""What commands that ask a model share: limits on what is asked and on what fails, and how to go on."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from salva._types import PathLike
from salva.cli.show import print_line
from salva.errors import UsageError

__all__ = ["errors_given", "limit_options", "resumable"]

Command = TypeVar("Command", bound=Callable[..., Any])


def limit_options(command: Command) -> Command:
    """Add --max-calls and --max-errors."""
    command = click.option(
        "--max-errors", default="10%", show_default=True, metavar="N|P%", help="Stop when more texts fail."
    )(command)
    return click.option(
        "--max-calls", type=click.IntRange(min=0), metavar="N", help="Stop before more texts are asked."
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
        raise UsageError(f"--max-errors {text!r} is no number such as 20, and no share such as 5%") from None


@contextlib.contextmanager
def resumable(folder: PathLike, *, resume: bool) -> Iterator[None]:
    """Say, when a run in a folder is interrupted or terminated inside the block, how to go on with it."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if Path(folder, "run.json").is_file():
            again = shlex.join([*sys.argv[1:], *([] if resume else ["--resume"])])
            print_line(f"stopped; every answer so far is kept. To go on: salva {again}", to_stderr=True)
        raise
