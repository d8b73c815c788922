"""The frame of the command line: commands that load on use, and the one place where errors become a line."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, NoReturn, cast

import click

from salva import __version__
from salva._files import storage_errors
from salva.cli.group import Group
from salva.cli.options import verbosity_options
from salva.cli.show import print_line
from salva.errors import SalvaError

__all__ = ["COMMANDS", "LazyGroup", "cli", "main"]

# Name, home, and the line that `salva --help` shows without loading the command.
COMMANDS = {
    "completion": ("salva.cli.completion", "Print the completion script of a shell."),
    "convert": ("salva.cli.convert", "Check a data set and write it in another format."),
    "demo": ("salva.cli.demo", "See the lexicon and the data parts at work on bundled reviews."),
    "lexicon": ("salva.cli.lexicon", "Look words up, and check synonym groups."),
}


class LazyGroup(Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        return cast(click.Command, importlib.import_module(COMMANDS[cmd_name][0]).command)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; when nobody reads its output any more, stop quietly."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            fail("interrupted", 130)
        except BrokenPipeError:
            # What is still in the buffer must not raise again when the interpreter closes it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(141)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in sorted(COMMANDS)])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="salva", message="%(prog)s %(version)s")
@verbosity_options
def cli() -> None:
    """Swap the words, keep the meaning, and see whether the answer stays right.

    Exit codes: 0 fine, 1 a threshold failed, 2 usage, 3 bad input, 4 the model failed, 5 I/O,
    130 interrupted, 141 broken pipe, 143 terminated.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its code."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = cli.main(arguments, prog_name="salva", standalone_mode=False)
        with storage_errors("<stdout>"):
            if sys.stdout is not None:
                sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except SalvaError as error:
        fail(str(error), error.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        fail("interrupted", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        print_line(error.format_message())
        sys.exit(error.exit_code)
    except click.UsageError as error:
        where = f"; see {error.ctx.command_path} --help" if error.ctx is not None else ""
        fail(error.format_message().rstrip(".") + where, error.exit_code)


def fail(message: str, code: int) -> NoReturn:
    """Say what is wrong in one line, and exit."""
    print_line(f"salva: {message}", to_stderr=True)
    sys.exit(code)


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(143)
