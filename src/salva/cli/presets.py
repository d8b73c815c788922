"""`salva presets`: list the presets, or print one as TOML that `--preset` takes."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table
from salva.transforms import FAMILIES, PRESETS, Transform, as_toml, describe_validity, preset


@click.command("presets")
@click.argument("name", required=False)
@common_options
def command(name: str | None, *, as_json: bool) -> None:
    """List the presets, or print one as TOML: edit the file and pass it as --preset FILE.toml.

    NAME is a preset, several as A+B, or such a file.
    """
    if name is not None:
        transform = preset(name)
        if as_json:
            print_json(_plain(transform))
        else:
            print_line(as_toml(transform).rstrip("\n"))
    elif as_json:
        print_json([_plain(preset(known)) for known in PRESETS])
    else:
        for family, heading in FAMILIES.items():
            rows = [
                (
                    known.name,
                    known.about,
                    describe_validity(known.validity, str(known.version), known.family),
                    preset(known.name).render,
                    f"{known.severity:g}",
                )
                for known in PRESETS.values()
                if known.family == family
            ]
            print_table(heading, ["name", "what it does", "validity", "render", "severity"], rows)


def _plain(transform: Transform) -> dict[str, Any]:
    """Return a transform with what is known about its preset as plain values."""
    validity = transform.validity
    measured = None if validity is None else dataclasses.asdict(validity)
    return {**transform.as_dict(), "family": transform.family, "validity": measured}
