"""Options of the commands that make presets: settings by name, and data sets to fit on."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from salva.errors import UsageError
from salva.transforms import Transform, preset

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = [
    click.option(
        "--render", metavar="R", help="splice, spaces or treebank; splice changes only the edited words."
    ),
    click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change a setting."),
    click.option(
        "--fit",
        multiple=True,
        metavar="PATH",
        help="Data set whose common words corrupt uses; self is the input. Repeat to count several together.",
    ),
]


def preset_options(command: Command) -> Command:
    """Add --render, --set and --fit."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_given(pairs: Sequence[str], render: str | None) -> dict[str, Any]:
    """Return the settings given by --set and --render; a value is TOML, or else a plain string."""
    found: dict[str, Any] = {} if render is None else {"render": render}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set {pair!r} must be KEY=VALUE")
        try:
            found[key.strip()] = tomllib.loads(f"value = {value}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError):
            found[key.strip()] = value
    return found


def make_presets(names: Sequence[str], settings: dict[str, Any]) -> list[Transform]:
    """Return presets, each with the settings that it has; every setting must belong to one of them."""
    if len(names) == 1:
        return [preset(names[0], **settings)]
    known = {name: vars(preset(name).settings) for name in names}
    for key in settings:
        if not any(key in own for own in known.values()):
            raise UsageError(f"none of the presets {', '.join(names)} has a setting {key!r}")
    return [preset(name, **{k: v for k, v in settings.items() if k in known[name]}) for name in names]
