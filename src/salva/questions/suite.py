"""Suites: a copy of the questions, to be shared, with a manifest and one digest of everything."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salva._arguments import argument
from salva._files import digest, finish_publishing, publishing, refuse_existing, storage_errors
from salva._results import as_json, read_json
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError
from salva.questions.table import (
    FORMAT,
    SCHEMA,
    About,
    Questions,
    checksum_of,
    made_folder,
    open_made,
    read_about,
    write_part,
)

MANIFEST, CONTENT = "suite.json", "questions.parquet"
_NOT_DIGESTED = ("salva", "validity")  # validity may be measured again


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite in a folder; made by `open_suite`."""

    path: Path
    name: str
    licence: str | None
    digest: str
    about: About

    def __repr__(self) -> str:
        """Return the name, the size and the digest on one line."""
        items = number_of(self.about.data.rows if self.about.data else 0, "item")
        return f"<Suite {self.name}: {items}, {len(self.about.conditions)} conditions, {self.digest}>"

    @property
    def questions(self) -> Questions:
        """Its table."""
        return Questions(self.path, self.about, [Path(CONTENT).stem])


def check_place(out: PathLike, *, overwrite: bool) -> bool:
    """Refuse a folder that must stay as it is; return whether a suite that is there may be replaced."""
    folder = Path(out)
    with storage_errors(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError.at(folder, None, "is a file; give a folder for the suite")
        if not folder.exists():
            return overwrite
        overwrite = bool(finish_publishing(folder / MANIFEST, folder / CONTENT)) or overwrite
        refuse_existing(folder / MANIFEST, overwrite=overwrite)
        others = {one.name for one in folder.iterdir() if not one.name.startswith(".")} - {MANIFEST, CONTENT}
        if others and not (folder / MANIFEST).exists():
            raise InputError.at(folder, None, "is not empty and holds no suite; give another folder")
    return overwrite


def write_suite(
    questions: Questions, out: PathLike, *, name: str, licence: str | None = None, overwrite: bool = False
) -> Suite:
    """Copy what makers wrote to a folder, with a manifest: both files of an older suite stay, or none."""
    folder = Path(out)
    overwrite = check_place(folder, overwrite=overwrite)
    table = open_made(questions.folder)
    about = table.about.as_dict()
    with made_folder(folder), publishing(folder / MANIFEST) as unit:
        write_part(folder / CONTENT, table.blocks(SCHEMA.names), unit=unit)
        content = digest(unit.content(folder / CONTENT) or folder / CONTENT)
        signed = _digest(name, licence, about, content)
        manifest = {"name": name, "licence": licence, "digest": signed, "content": content, **about}
        with unit.open(folder / MANIFEST, overwrite=overwrite) as stream:
            stream.write(as_json({**manifest, "checksum": checksum_of(manifest)}))
    return open_suite(folder)


def open_suite(path: PathLike, wanted: str | None = None) -> Suite:
    """Open a suite; refuse one that was changed since, or that has another digest than `wanted`."""
    folder = Path(path)
    place = folder / MANIFEST
    if not place.is_file():
        made = "name a folder that salva questions made with -o"
        raise InputError.at(folder, None, f"holds no suite ({MANIFEST} is missing); {made}")
    plain = read_json(place)
    is_named = isinstance(plain, dict) and isinstance(plain.get("name"), str)
    if not is_named or (about := read_about(place)).data is None:
        raise InputError.at(place, None, "is not the manifest of a suite")
    if (folder / CONTENT).is_symlink() or not (folder / CONTENT).is_file():
        raise InputError.at(folder / CONTENT, None, "is missing; get the suite again")
    name, licence, signed = plain["name"], plain.get("licence"), str(plain.get("digest"))
    content, checksum = str(plain.get("content")), plain.pop("checksum", None)
    for path_, found, known in (
        (place, checksum_of(plain), checksum),
        (folder / CONTENT, digest(folder / CONTENT), content),
        (place, _digest(name, licence, about.as_dict(), content), signed),
    ):
        if found != known:
            raise InputError.at(path_, None, "was changed since the suite was written; get the suite again")
    given = (signed if wanted is None else wanted).removeprefix("sha256:")  # which may be shortened
    if len(given) < 8 or not signed.removeprefix("sha256:").startswith(given.lower()):
        problem = f"has the digest {signed}, not {wanted!r:.80}"
        raise InputError.at(folder, None, f"{problem}; get the suite again, or correct {argument('digest')}")
    return Suite(folder, name, licence, signed, about)


def _digest(name: str, licence: str | None, about: dict[str, Any], content: str) -> str:
    """Return the digest of a suite, without what may be another one although the questions are the same."""
    kept = {key: value for key, value in about.items() if key not in _NOT_DIGESTED}
    kept["presets"] = {
        preset: {key: value for key, value in one.items() if key not in _NOT_DIGESTED}
        for preset, one in kept["presets"].items()
    }
    kept["data"] = {key: value for key, value in kept["data"].items() if key not in ("name", "digest")}
    whole = json.dumps([FORMAT, name, licence, kept, content], sort_keys=True)
    return f"sha256:{hashlib.sha256(whole.encode()).hexdigest()}"
