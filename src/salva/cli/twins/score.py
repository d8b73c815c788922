"""`salva twins score`: where pairs are asked and scored now."""

from __future__ import annotations

import click

from salva.errors import UsageError


@click.command("score", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, metavar="PAIRS")
def command(arguments: tuple[str, ...]) -> None:
    """Say how pairs are asked and scored: salva evaluate PAIRS --model SPEC -o RUN."""
    pairs = arguments[0] if arguments else "PAIRS"
    raise UsageError(f"pairs are asked and scored by salva evaluate {pairs} --model SPEC -o RUN")
