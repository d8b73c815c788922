"""The frame of the command line: commands that load on use, and the one place that reports errors."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click
from click.shell_completion import shell_complete

from salva._arguments import on_command_line
from salva._version import __version__
from salva.cli.options import LazyGroup, verbosity_options
from salva.cli.show import print_line
from salva.errors import SalvaError, StorageError

# Where each command is, and the line that `salva --help` shows without loading it.
COMMANDS = {
    "audit": ("salva.cli.audit", "Let people judge whether twins keep the meaning."),
    "compare": ("salva.cli.compare", "Compare the models of two or more runs: which is more robust?"),
    "completion": ("salva.cli.completion", "Print the completion script for a shell."),
    "demo": ("salva.cli.demo", "Evaluate the built-in model on bundled reviews, and write a report."),
    "evaluate": (
        "salva.cli.evaluate",
        "See whether a model's answers stay right, and which words are to blame.",
    ),
    "lexicon": ("salva.cli.lexicon", "Look up words, and check synonym groups."),
    "outliers": ("salva.cli.outliers", "Find the word that does not belong: vectors, thesauri, people."),
    "presets": ("salva.cli.presets", "List the presets, or print one as TOML."),
    "questions": (
        "salva.cli.questions",
        "Count what would be asked, and keep it as a suite to share.",
    ),
    "report": ("salva.cli.report", "Show a finished run, or write its report."),
    "revert": ("salva.cli.transform:revert", "Undo the edits of a transformed data set."),
    "tasks": (
        "salva.cli.tasks",
        "List tasks for models that write: prompts, choices, numbers, free answers.",
    ),
    "twins": ("salva.cli.twins", "Test whether a sequence model treats synonyms as synonyms."),
    "transform": ("salva.cli.transform", "Rewrite a data set in other words, or with typos."),
}


@click.group(cls=LazyGroup, commands_at=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="salva", message="%(prog)s %(version)s")
@verbosity_options
def cli() -> None:
    """Swap the words, keep the meaning, and see whether the answer stays right.

    Exit codes: 0 success, 1 a limit is broken, 2 usage, 3 bad input, 4 the model failed, 5 I/O,
    130 interrupted, 141 broken pipe, 143 terminated.
    """


def _follows_interrupt(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its code; the one place that turns errors into a line."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.suppress(AttributeError, OSError, RuntimeError, ValueError):  # no stderr, or not a file
        faulthandler.enable()  # a library that crashes ends the process: at least Python says where
    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
    except SalvaError as error:
        fail(str(error), error.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        fail("interrupted", 130)
    except RuntimeError as error:
        # A second Ctrl-C while Python waits for a thread makes it release a lock twice.
        if not _follows_interrupt(error):
            raise
        fail("interrupted", 130)
    except click.UsageError as error:
        where = f"; see {error.ctx.command_path} --help" if error.ctx is not None else ""
        fail(error.format_message().rstrip(".") + where, error.exit_code)
    except BrokenPipeError:
        # Output that is still buffered must not raise again when the interpreter flushes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run a command, or complete one for a shell; not `cli.main`, which handles broken pipes differently."""
    if instruction := os.environ.get("_SALVA_COMPLETE"):
        return shell_complete(cli, {}, "salva", "_SALVA_COMPLETE", instruction)
    try:
        with on_command_line(), cli.make_context("salva", list(arguments)) as context:
            cli.invoke(context)
    except click.exceptions.NoArgsIsHelpError as error:
        print_line(error.format_message())
        return error.exit_code
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (BrokenPipeError, StorageError):
        raise
    except OSError as error:
        raise StorageError(_blame(error)) from error
    return 0


def _blame(error: OSError) -> str:
    """Return what failed: a file; a library, whose loader gives no number; or else standard output."""
    reason = (error.strerror or str(error)).partition("\n")[0]
    if error.errno is None:
        return reason
    return f"{'<stdout>' if error.filename is None else error.filename}: {reason.lower()}"


def fail(message: str, code: int) -> NoReturn:
    """Print what is wrong in one line, if anybody can read it and does not press Ctrl-C again, and exit."""
    with contextlib.suppress(OSError, KeyboardInterrupt):
        print_line(f"salva: {message}", to_stderr=True)
    sys.exit(code)
