"""Transforms from presets: by name or from TOML, and back to TOML."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from salva._files import parse_toml, read_text
from salva._presets import BUNDLES, PRESETS, Preset, find_preset
from salva._presets.settings import toml_value
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.transforms.transform import Transform

_KEYS = ("preset", "version", "settings")
NONE = "none"  # for files: rewrite nothing


def presets() -> list[str]:
    """Return the names of the presets.

    >>> presets()[0]
    'natural'
    """
    return list(PRESETS)


def expand_names(names: Iterable[PathLike]) -> list[str]:
    """Return names of presets and paths of TOML files, each once, with bundles replaced by their presets.

    >>> expand_names(["typos", "documents"])
    ['typos', 'hybrid', 'synonyms', 'corrupt']
    """
    given = [os.fspath(name) for name in names]
    return list(dict.fromkeys(each for name in given for each in BUNDLES.get(name, (name,))))


def preset(name: PathLike, **settings: Any) -> Transform:
    """Return the transform for a preset or a TOML file, with some settings changed.

    `natural+typos` composes presets: each edits what the ones before it leave alone.

    >>> preset("typos", prob=0.1).transform("Not a bad film at all", seed=3).transformed
    'Not a bad film at all'
    """
    if PurePath(name).suffix == ".toml":
        known, values = read_preset(name)
        return Transform(known, known.make_settings(values | settings))
    if os.fspath(name) == NONE:
        raise UsageError(f"{NONE!r} rewrites nothing; it only writes one file in the format of another")
    if os.fspath(name) in BUNDLES:
        several = ", ".join(BUNDLES[os.fspath(name)])
        raise UsageError(f"{os.fspath(name)!r} stands for several presets; choose one of {several}")
    known = find_preset(os.fspath(name))
    return Transform(known, known.make_settings(settings))


def as_transform(named: PathLike | Transform, settings: dict[str, Any]) -> Transform:
    """Return the transform for a preset, a TOML file or a transform; a finished one takes no settings."""
    if not isinstance(named, Transform):
        return preset(named, **settings)
    if settings:
        raise UsageError(
            f"{next(iter(settings))} cannot be changed in a finished transform; pass it to salva.preset"
        )
    return named


def read_preset(path: PathLike) -> tuple[Preset, dict[str, Any]]:
    """Return the preset and the settings of a TOML file."""
    content = parse_toml(path, read_text(path))
    unknown = next((key for key in content if key not in _KEYS), None)
    if unknown is not None:
        raise InputError.at(path, None, f"key {unknown!r} is unknown; a preset has {', '.join(_KEYS)}")
    name, values = content.get("preset"), content.get("settings", {})
    if not isinstance(name, str):
        problem = f"preset = {name!r} is not a preset; the presets are {', '.join(PRESETS)}"
        raise InputError.at(path, None, problem)
    try:
        known = find_preset(name)
    except UsageError as error:
        raise InputError.at(path, None, f"preset = {error}") from None
    if content.get("version", known.version) != known.version:
        problem = f"is for version {content['version']!r} of {name}; this Salva has version {known.version}"
        raise InputError.at(path, None, problem)
    if not isinstance(values, dict):
        raise InputError.at(path, None, "settings must be a table; write [settings] and one line per setting")
    try:
        known.make_settings(values)
    except UsageError as error:
        raise InputError.at(path, None, str(error)) from None
    return known, values


def restore(about: Mapping[str, Any]) -> Transform:
    """Return the transform that `Transform.as_dict` describes; refuse it if it would not be the same today.

    >>> restore(preset("typos", prob=0.1).as_dict()).settings.prob
    0.1
    """
    name, version = about["preset"], about["version"]
    transform = preset(name, **about["settings"])
    if transform.version != version:
        raise InputError(f"preset {name} was version {version} and is now {transform.version}")
    now = json.loads(json.dumps(transform.as_dict()))
    changed = [key for key in now["resources"] if now["resources"][key] != about["resources"].get(key)]
    if changed:
        raise InputError(f"preset {name}: the files of {', '.join(changed)} have changed since")
    if now != json.loads(json.dumps(about)):
        raise InputError(f"preset {name} has other settings now than it had")
    return transform


def as_toml(transform: Transform) -> str:
    """Return a transform as TOML, from which `preset` makes the same transform again."""
    known = transform.preset
    lines = [f"# {known.about}", f"# Texts are cut by {known.tokens}."]
    lines += [f'preset = "{known.name}"', f"version = {toml_value(known.version)}", "", "[settings]"]
    for field in dataclasses.fields(known.settings):
        value = toml_value(getattr(transform.settings, field.name))
        lines += [f"# {field.metadata['doc']}", f"{field.name} = {value}"]
    return "\n".join(lines) + "\n"
