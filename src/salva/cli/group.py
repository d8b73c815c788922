"""A group of commands that suggests the nearest name for one that it does not have."""

from __future__ import annotations

import difflib

import click

__all__ = ["Group"]


class Group(click.Group):
    """A group of commands; a mistyped name is answered with the nearest."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command, or suggest the nearest."""
        known = self.list_commands(ctx)
        near = difflib.get_close_matches(args[0], known, n=1)
        if args[0] not in known and near:
            ctx.fail(f"no command {args[0]!r}; did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)
