"""Groups of commands: a mistyped name gets a suggestion; commands are imported when they are called."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

import click

from salva._arguments import did_you_mean
from salva._docstrings import docstring


class Group(click.Group):
    """A group of commands that suggests the nearest name for a mistyped one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _read_help(self)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command, with its help."""
        return _read_help(super().get_command(ctx, cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest the nearest one."""
        known = self.list_commands(ctx)
        hint = did_you_mean(args[0], known)
        if args[0] not in known and hint:
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


def _read_help(command: click.Command | None) -> click.Command | None:
    """Return a command with its docstring as help, which click does not find if Python leaves them out."""
    if command is not None and command.help is None and command.callback is not None:
        command.help = docstring(inspect.unwrap(command.callback))
    return command


class LazyGroup(Group):
    """A group whose commands are imported when they are called.

    `commands_at` maps each command to its module, or to `module:attribute` if it is not called `command`, and
    to the help line that the group shows without loading it.
    """

    def __init__(self, *arguments: Any, commands_at: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._homes = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(self._homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._homes:
            return None
        module, _, attribute = self._homes[cmd_name][0].partition(":")
        return _read_help(getattr(importlib.import_module(module), attribute or "command"))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._homes[name][1]) for name in sorted(self._homes)])
