"""`salva twins`: whether a sequence model treats synonyms as synonyms; a group whose commands load on use."""

from __future__ import annotations

import click

from salva.cli.group import LazyGroup

__all__ = ["command"]

_COMMANDS = {
    "generate": ("salva.cli.twins_generate", "Make a corpus of PCFG SET and its conditions."),
    "pair": ("salva.cli.twins_pair", "Make pairs of lines that mean the same."),
    "run": ("salva.cli.twins_run", "Ask a sequence model about pairs."),
    "score": ("salva.cli.twins_score", "Score answers to pairs: consistency, and accuracy beside it."),
    "train": ("salva.cli.twins_train", "Train the reference model."),
}


@click.group("twins", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Ask whether a sequence model treats synonyms as synonyms, on PCFG SET and on plain text."""
