"""Options of the commands that make presets: settings by name, and data sets to fit on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from salva.cli.options import option, read_value, split_pairs, take_options


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetOptions:
    """Changes to the settings of presets."""

    render: str | None = option(
        "--render", metavar="R", help="splice, spaces or treebank; splice changes only the edited words."
    )
    settings: tuple[str, ...] = option("--set", multiple=True, metavar="KEY=VALUE", help="Change a setting.")
    verify: str | None = option(
        "--verify", metavar="MODEL", help="Language model that passes more edits of natural: hf:DIRECTORY."
    )
    fit: tuple[str, ...] = option(
        "--fit",
        multiple=True,
        metavar="PATH",
        help="Data set to take the common words of corrupt from; self is the input. Can be repeated.",
    )

    def parse_settings(self) -> dict[str, Any]:
        """Return the settings given by --set, --render and --verify; a value is TOML, or else a string."""
        named = {"render": self.render, "verify": self.verify}
        settings = {name: value for name, value in named.items() if value is not None}
        return settings | {name: read_value(text) for name, text in split_pairs("--set", self.settings)}


preset_options = take_options(PresetOptions, "changes")
