"""`salva suite`: a group whose commands are imported on use."""

from __future__ import annotations

import click

from salva.cli.group import LazyGroup

_COMMANDS = {
    "export": ("salva.cli.suite.export", "Write a suite as tasks of another harness."),
    "freeze": ("salva.cli.suite.freeze", "Freeze a data set and its twins into a suite."),
    "verify": ("salva.cli.suite.verify", "Check that a suite is as it was frozen."),
}


@click.group("suite", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Suites: items and their twins, frozen with digests, for others to evaluate.

    Evaluate a suite with `salva evaluate SUITE --model SPEC -o RUN`.
    """
