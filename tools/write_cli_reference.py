"""Write docs/cli.md from the commands themselves: `make docs`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from salva.cli.main import cli

OUT = Path(__file__).parents[1] / "docs/cli.md"
WIDTH = 100


def sections(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """Yield a heading and the help of a command, then the same for its subcommands."""
    settings: dict[str, Any] = {"max_content_width": WIDTH, **command.context_settings}
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, **settings)
    yield f"## {context.command_path}\n\n```\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from sections(found, child, context)


def reference() -> str:
    """Return the whole page."""
    head = "# Commands\n\nMade by `make docs` from the commands themselves.\n"
    return "\n".join([head, *sections(cli, "salva")])


if __name__ == "__main__":
    OUT.write_text(reference(), "utf-8")
