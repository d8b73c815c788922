"""`salva twins`: test whether a sequence model treats synonyms as synonyms; commands load on first use."""

from __future__ import annotations

import click

from salva.cli.options import LazyGroup

_COMMANDS = {
    "generate": ("salva.cli.twins.generate", "Generate a PCFG SET corpus and its training conditions."),
    "pair": ("salva.cli.twins.pair", "Make pairs of lines with the same meaning."),
    "score": ("salva.cli.twins.score", "Say how pairs are asked and scored: salva evaluate PAIRS."),
}


@click.group("twins", cls=LazyGroup, commands_at=_COMMANDS)
def command() -> None:
    """Test whether a sequence model treats synonyms as synonyms, on PCFG SET and on plain text."""
