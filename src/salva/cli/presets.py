"""`salva presets`: list the presets, or print one as TOML that `--preset` takes."""

from __future__ import annotations

import click

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table
from salva.transforms import PRESETS, as_toml, preset


@click.command("presets")
@click.argument("name", required=False)
@common_options
def command(name: str | None, *, as_json: bool) -> None:
    """List the presets, or print one as TOML: edit the file and pass it as --preset FILE.toml.

    NAME is a preset or such a file.
    """
    if name is not None:
        transform = preset(name)
        if as_json:
            print_json(transform.as_dict())
        else:
            print_line(as_toml(transform).rstrip("\n"))
        return
    if as_json:
        print_json([preset(known).as_dict() for known in PRESETS])
        return
    rows = [
        (known.name, known.about, known.tokens, preset(known.name).render, known.severity)
        for known in PRESETS.values()
    ]
    print_table("Presets", ["name", "what it does", "tokens", "render", "severity"], rows)
