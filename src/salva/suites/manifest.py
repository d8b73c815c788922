"""The manifest of a suite, suite.json: what was frozen, with the digest of every file and of the whole.

Each section has a digest of its own, so that a change can be named. The digest of the suite covers all
sections but `made`: freezing the same data with the same presets gives the same digest in any Salva.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from salva._arguments import argument
from salva._results import as_json, load_result, read_json
from salva.errors import InputError

FORMAT = 1
MANIFEST = "suite.json"
_SECTIONS = ("name", "licence", "columns", "task", "presets", "conditions", "files")


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A file of a suite: its digest, and its number of lines."""

    digest: str
    lines: int


@dataclass(frozen=True, slots=True)
class SuiteColumns:
    """The columns of the data: texts, those of them that are rewritten, label, id, and further ones."""

    texts: tuple[str, ...]
    rewritten: tuple[str, ...]
    label: str | None
    id: str | None
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuitePreset:
    """A preset as it was when its twins were frozen, and its family."""

    about: dict[str, Any]
    family: str


@dataclass(frozen=True, slots=True)
class SuiteCondition:
    """A condition or a contrast: what its twins were made with, their file, and how many words were edited.

    `variant` is the column of the data that has the texts, if they are paraphrases; there is no preset then.
    `opposites` are the labels that a contrast turns into one another.
    """

    name: str
    preset: str | None
    severity: float | None
    replicate: int
    seed: int
    file: str
    summary: dict[str, Any]
    variant: str | None = None
    opposites: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """What a suite was made from and with; not a part of its digest."""

    salva: str
    data: str
    data_digest: str
    validity: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SuiteManifest:
    """Everything about a suite but its items and twins."""

    format: int
    digest: str
    name: str
    licence: str | None
    columns: SuiteColumns
    task: dict[str, Any] | None
    presets: dict[str, SuitePreset]
    conditions: tuple[SuiteCondition, ...]
    files: dict[str, SuiteFile]
    made: Made
    digests: dict[str, str]

    @property
    def items(self) -> int:
        """How many items there are."""
        return self.files[ITEMS].lines

    @property
    def contrasts(self) -> tuple[SuiteCondition, ...]:
        """The conditions under which the answer must change."""
        names = {name for name, preset in self.presets.items() if preset.family == "contrast"}
        return tuple(one for one in self.conditions if one.preset in names)

    @property
    def variants(self) -> tuple[str, ...]:
        """The columns that the data has paraphrases in."""
        return tuple(one.variant for one in self.conditions if one.variant is not None)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


ITEMS = "items.jsonl"


def seal_manifest(sections: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of suite.json: the sections as plain values, with their digests."""
    plain = json.loads(json.dumps({name: sections[name] for name in (*_SECTIONS, "made")}))
    digests = section_digests(plain)
    return {"format": FORMAT, "digest": whole_digest(digests), **plain, "digests": digests}


def section_digests(plain: Mapping[str, Any]) -> dict[str, str]:
    """Return the digest of every section."""
    return {name: _digest(plain.get(name)) for name in (*_SECTIONS, "made")}


def whole_digest(digests: Mapping[str, str]) -> str:
    """Return the digest of a suite from those of its sections."""
    return _digest([FORMAT, {name: digests[name] for name in _SECTIONS}])


def _digest(value: Any) -> str:
    content = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


def read_manifest(folder: Path) -> tuple[SuiteManifest, dict[str, Any]]:
    """Return the manifest of a suite, also as the plain values of its file."""
    path = folder / MANIFEST
    if not path.is_file():
        made = "name a folder that salva suite freeze made"
        raise InputError.at(folder, None, f"holds no suite ({MANIFEST} is missing); {made}")
    plain = read_json(path)
    if not isinstance(plain, dict) or not isinstance(plain.get("format"), int):
        raise InputError.at(path, None, "is not the manifest of a suite")
    if plain["format"] > FORMAT:
        problem = f"has format {plain['format']}, but this Salva reads only {FORMAT}; use a newer Salva"
        raise InputError.at(path, None, problem)
    manifest = load_result(path, SuiteManifest, plain)
    odd = [name for name in manifest.files if Path(name).name != name or name in (".", "..")]
    if odd or ITEMS not in manifest.files or {one.file for one in manifest.conditions} - set(manifest.files):
        raise InputError.at(path, None, f"is broken (files{''.join(map(' {!r}'.format, odd[:1]))})")
    return manifest, plain


def find_manifest_fault(path: Path, plain: Mapping[str, Any]) -> tuple[int | None, str] | None:
    """Return the line and the problem of a manifest that is not as it was written; None if it is."""
    digests = section_digests(plain)
    wrong = [name for name, digest in digests.items() if plain["digests"].get(name) != digest]
    if wrong:
        return None, f"{wrong[0]!r} was changed: its digest does not match"
    if plain["digest"] != whole_digest(digests):
        return None, f"'digest' was changed: it must be {whole_digest(digests)}"
    raw, right = path.read_bytes(), as_json(seal_manifest(plain))
    for number, (own, other) in enumerate(zip(raw.split(b"\n"), right.split(b"\n"), strict=False), 1):
        if own != other:
            return number, f"was changed: {own.decode('utf-8', 'replace')!r:.60} was not written by Salva"
    return (None, "was changed: it has more or fewer lines than it had") if raw != right else None


def refuse_digest(folder: Path, manifest: SuiteManifest, wanted: str) -> None:
    """Refuse a suite with another digest than the one that was given, which may be shortened."""
    given = wanted.removeprefix("sha256:")
    if len(given) < 8 or not manifest.digest.removeprefix("sha256:").startswith(given.lower()):
        problem = f"has the digest {manifest.digest}, not {wanted!r:.80}"
        raise InputError.at(folder, None, f"{problem}; get the suite again, or correct {argument('digest')}")
