"""`salva outliers`: which word does not belong; a group whose commands are imported on use."""

from __future__ import annotations

import click

from salva.cli.group import LazyGroup

_COMMANDS = {
    "agreement": ("salva.cli.outliers.agreement", "Measure how well people agree, and with whom."),
    "annotate": ("salva.cli.outliers.annotate", "Ask a person, on the terminal or on a page."),
    "check": ("salva.cli.outliers.check", "Check sets against the guidelines."),
    "compare": ("salva.cli.outliers.compare", "Compare two models on the same sets."),
    "new": ("salva.cli.outliers.new", "Create a set file."),
    "score": ("salva.cli.outliers.score", "Ask vectors or a thesaurus which word does not belong."),
    "status": ("salva.cli.outliers.status", "Show which sets exist in which languages."),
    "suggest": ("salva.cli.outliers.suggest", "Suggest words for a set; a person decides."),
    "translate": ("salva.cli.outliers.translate", "Make a table for translating sets, and read it back."),
}


@click.group("outliers", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Find the word that does not belong: test vectors, thesauri and people on sets of 8 + 8 words."""
