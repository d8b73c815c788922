"""`salva outliers`: which word does not belong; a group whose commands load on use."""

from __future__ import annotations

import click

from salva.cli.group import LazyGroup

__all__ = ["command"]

_COMMANDS = {
    "agreement": ("salva.cli.outliers_agreement", "Tell how well people agree, and with whom."),
    "annotate": ("salva.cli.outliers_annotate", "Ask a person, on the terminal or by a page."),
    "check": ("salva.cli.outliers_check", "Hold sets against the guidelines."),
    "compare": ("salva.cli.outliers_compare", "Tell which of two models knows the sets better."),
    "new": ("salva.cli.outliers_new", "Make the file of a set."),
    "score": ("salva.cli.outliers_score", "Ask vectors or a thesaurus which word does not belong."),
    "status": ("salva.cli.outliers_status", "Show which sets there are in which languages."),
    "suggest": ("salva.cli.outliers_suggest", "Propose words for a set; a person decides."),
    "translate": ("salva.cli.outliers_translate", "Lay sets out beside their translation, and read it back."),
}


@click.group("outliers", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Ask which word does not belong: vectors, thesauri and people, on sets of eight and eight words."""
