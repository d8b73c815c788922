"""`salva outliers`: which word does not belong; a group whose commands are imported on use."""

from __future__ import annotations

import click

from salva.cli.options import LazyGroup

_COMMANDS = {
    "agreement": (
        "salva.cli.outliers.people:agreement_command",
        "Measure how well people agree with sets and each other.",
    ),
    "annotate": ("salva.cli.outliers.people:annotate_command", "Write a page that asks people."),
    "check": ("salva.cli.outliers.check:check_command", "Check sets against the guidelines."),
    "compare": ("salva.cli.outliers.score:compare_command", "Compare two models on the same sets."),
    "score": (
        "salva.cli.outliers.score:score_command",
        "Ask vectors or a thesaurus which word does not belong.",
    ),
    "translate": (
        "salva.cli.outliers.people:translate_command",
        "Make a table for translating sets, and read it back.",
    ),
}


@click.group("outliers", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Find the word that does not belong: test vectors, thesauri and people on sets of 8 + 8 words."""
