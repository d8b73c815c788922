"""Options of the commands that make presets: settings by name, and data sets to fit on."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from salva.cli.options import option, take_options
from salva.errors import UsageError
from salva.transforms import Transform, preset


def parse_pairs(flag: str, pairs: Iterable[str]) -> dict[str, Any]:
    """Return the values of KEY=VALUE by key; a value is TOML, or else a string.

    >>> parse_pairs("--set", ["p_typo=0.2", "render=splice"])
    {'p_typo': 0.2, 'render': 'splice'}
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{flag} {pair!r} must be KEY=VALUE")
        try:
            settings[key.strip()] = tomllib.loads(f"value = {value}")["value"]
        except (ValueError, RecursionError):  # broken TOML, or a number of too many digits
            settings[key.strip()] = value
    return settings


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
        return settings | parse_pairs("--set", self.settings)

    def make_presets(self, names: Sequence[str]) -> list[Transform]:
        """Return presets, each with the settings that it has; every setting must belong to one of them."""
        settings = self.parse_settings()
        if len(names) == 1:
            return [preset(names[0], **settings)]
        known = {name: vars(preset(name).settings) for name in names}
        for key in settings:
            if not any(key in own for own in known.values()):
                raise UsageError(f"none of the presets {', '.join(names)} has a setting {key!r}")
        return [preset(name, **{k: v for k, v in settings.items() if k in known[name]}) for name in names]


preset_options = take_options(PresetOptions, "changes")
