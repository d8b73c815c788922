"""`salva audit`: do the twins keep the meaning; a group whose commands are imported on use."""

from __future__ import annotations

import click

from salva.cli.options import LazyGroup

_COMMANDS = {
    "read": ("salva.cli.audit.read", "Report what readers found: invalid rates and agreement."),
    "sample": ("salva.cli.audit.sample", "Draw edits or twins at random for people to read."),
}


@click.group("audit", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Let people judge whether twins keep the meaning, and report what they found.

    `salva report RUN --audit SHEET` corrects the drops of a run for invalid twins.
    """
