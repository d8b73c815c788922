"""`salva twins`: test whether a sequence model treats synonyms as synonyms; commands load on first use."""

from __future__ import annotations

import click

from salva.cli.options import LazyGroup

_COMMANDS = {
    "generate": ("salva.cli.twins.generate", "Generate a PCFG SET corpus and its training conditions."),
    "pair": ("salva.cli.twins.pair", "Make pairs of lines with the same meaning."),
    "score": ("salva.cli.twins.score", "Say how pairs are asked and scored: salva evaluate PAIRS."),
}


class _Twins(LazyGroup):
    """The commands about twins; what asked a model once is said to be elsewhere."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command."""
        if args[0] == "run":
            ctx.fail("there is no command 'run'; pairs are asked by salva evaluate PAIRS --model SPEC -o RUN")
        return super().resolve_command(ctx, args)


@click.group("twins", cls=_Twins, commands_at=_COMMANDS)
def command() -> None:
    """Test whether a sequence model treats synonyms as synonyms, on PCFG SET and on plain text."""
