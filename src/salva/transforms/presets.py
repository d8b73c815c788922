"""Presets: named, versioned sets of settings, found by name, read from TOML, and written as TOML."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from salva._arguments import did_you_mean
from salva._files import parse_toml, read_text
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.transforms.fields import toml_value
from salva.transforms.settings import (
    CorruptSettings,
    HybridSettings,
    Settings,
    SynonymSettings,
    TypoSettings,
    checked,
)
from salva.transforms.transform import Transform

_KEYS = ("preset", "version", "settings")


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of settings; its version changes when its results do."""

    name: str
    version: int
    settings: type[Settings]
    tokens: str
    severity: float

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return (self.settings.__doc__ or "").strip()


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("hybrid", 2, HybridSettings, "nltk.word_tokenize and parts of speech", 1.0),
        Preset("synonyms", 2, SynonymSettings, "nltk.word_tokenize", 1.0),
        Preset("typos", 2, TypoSettings, "white space", 1.0),
        Preset("corrupt", 2, CorruptSettings, r"\w+ or [^\w\s]+", 0.5),
    )
}


def presets() -> list[str]:
    """Return the names of the presets.

    >>> presets()
    ['hybrid', 'synonyms', 'typos', 'corrupt']
    """
    return list(PRESETS)


def preset(name: PathLike, **settings: Any) -> Transform:
    """Return the transform for a preset or a TOML file, with some settings changed.

    >>> preset("typos", prob=0.1).transform("Not a bad film at all", seed=3).transformed
    'Not a bad film at all'
    """
    if os.fspath(name) in PRESETS:
        known = PRESETS[os.fspath(name)]
        return _transform(known, checked(known.name, known.settings, settings))
    if PurePath(name).suffix == ".toml":
        known, values = read_preset(name)
        return _transform(known, checked(known.name, known.settings, values | settings))
    raise UsageError(f"{os.fspath(name)!r} is neither a preset nor a .toml file; {_nearest(os.fspath(name))}")


def read_preset(path: PathLike) -> tuple[Preset, dict[str, Any]]:
    """Return the preset and the settings of a TOML file."""
    content = parse_toml(path, read_text(path))
    unknown = next((key for key in content if key not in _KEYS), None)
    if unknown is not None:
        raise InputError.at(path, None, f"unknown key {unknown!r}; a preset has {', '.join(_KEYS)}")
    name, values = content.get("preset"), content.get("settings", {})
    if name not in PRESETS:
        raise InputError.at(path, None, f"preset = {name!r} is not a preset; {_nearest(str(name))}")
    known = PRESETS[name]
    if content.get("version", known.version) != known.version:
        problem = f"is for version {content['version']!r} of {name}; this Salva has version {known.version}"
        raise InputError.at(path, None, problem)
    if not isinstance(values, dict):
        raise InputError.at(path, None, "settings must be a table; write [settings] and one line per setting")
    try:
        checked(known.name, known.settings, values)
    except UsageError as error:
        raise InputError.at(path, None, str(error)) from None
    return known, values


def as_toml(transform: Transform) -> str:
    """Return a transform as TOML, from which `preset` makes the same transform again."""
    known = PRESETS[transform.name]
    lines = [f"# {known.about}", f'preset = "{known.name}"', f"version = {known.version}", "", "[settings]"]
    for field in dataclasses.fields(known.settings):
        value = toml_value(getattr(transform.settings, field.name))
        lines += [f"# {field.metadata['doc']}", f"{field.name} = {value}"]
    return "\n".join(lines) + "\n"


def _transform(known: Preset, settings: Settings) -> Transform:
    return Transform(known.name, known.version, known.severity, settings)


def _nearest(name: str) -> str:
    return did_you_mean(name, PRESETS, otherwise=f"the presets are {', '.join(PRESETS)}")
