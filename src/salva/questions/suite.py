"""Suites: a copy of the questions, to be shared, with a manifest and one digest of everything."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salva._arguments import argument
from salva._files import digest, publishing, refuse_existing, storage_errors
from salva._results import as_json, read_json
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError
from salva.questions.table import (
    FORMAT,
    MADE,
    SCHEMA,
    About,
    Questions,
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

    def copy_to(self, folder: Path) -> About:
        """Copy the questions to the folder of a run, as the only part that makers wrote."""
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            draft = folder / ".copy.parquet"
            shutil.copyfile(self.path / CONTENT, draft)
            draft.replace(folder / f"{MADE}-0000.parquet")
        return self.about


def is_suite(source: Any) -> bool:
    """Return whether a source is the folder of a suite."""
    return isinstance(source, str | Path) and (Path(source) / MANIFEST).is_file()


def write_suite(
    questions: Questions, out: PathLike, *, name: str, licence: str | None = None, overwrite: bool = False
) -> Suite:
    """Copy what makers wrote to a new folder, with a manifest; the manifest comes last."""
    folder = Path(out)
    made = _prepare(folder, overwrite=overwrite)
    table = open_made(questions.folder)
    try:
        write_part(folder / CONTENT, table.blocks(SCHEMA.names))
        plain = table.about.as_dict()
        content = digest(folder / CONTENT)
        manifest = {
            "name": name,
            "licence": licence,
            "digest": _digest(name, licence, plain, content),
            "content": content,
            **plain,
        }
        with publishing(folder / MANIFEST) as unit, unit.open(folder / MANIFEST, overwrite=True) as stream:
            stream.write(as_json(manifest))
    except BaseException:
        if made:
            with contextlib.suppress(OSError):
                (folder / CONTENT).unlink(missing_ok=True)
                folder.rmdir()
        raise
    return open_suite(folder)


def open_suite(path: PathLike, wanted: str | None = None) -> Suite:
    """Open a suite; refuse one that was changed since, or that has another digest than `wanted`."""
    folder = Path(path)
    place = folder / MANIFEST
    if not place.is_file():
        made = "name a folder that salva questions made with -o"
        raise InputError.at(folder, None, f"holds no suite ({MANIFEST} is missing); {made}")
    plain = read_json(place)
    if not isinstance(plain, dict) or not isinstance(plain.get("name"), str):
        raise InputError.at(place, None, "is not the manifest of a suite")
    about = read_about(place)
    if (folder / CONTENT).is_symlink() or not (folder / CONTENT).is_file():
        raise InputError.at(folder / CONTENT, None, "is missing; get the suite again")
    own = {name: value for name, value in plain.items() if name in about.as_dict()}
    name, licence, signed = plain["name"], plain.get("licence"), str(plain.get("digest"))
    for path_, found, known in (
        (folder / CONTENT, digest(folder / CONTENT), plain.get("content")),
        (place, _digest(name, licence, own, str(plain.get("content"))), signed),
    ):
        if found != known:
            raise InputError.at(path_, None, "was changed since the suite was written; get the suite again")
    if wanted is not None:
        _refuse_digest(folder, signed, wanted)
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


def _refuse_digest(folder: Path, signed: str, wanted: str) -> None:
    """Refuse a suite with another digest than the one that was given, which may be shortened."""
    given = wanted.removeprefix("sha256:")
    if len(given) < 8 or not signed.removeprefix("sha256:").startswith(given.lower()):
        problem = f"has the digest {signed}, not {wanted!r:.80}"
        raise InputError.at(folder, None, f"{problem}; get the suite again, or correct {argument('digest')}")


def _prepare(folder: Path, *, overwrite: bool) -> bool:
    """Make the folder; return whether it is new."""
    with storage_errors(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError.at(folder, None, "is a file; give a folder for the suite")
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        refuse_existing(folder / MANIFEST, overwrite=overwrite)
        known = (MANIFEST, CONTENT)
        others = [one for one in folder.iterdir() if one.name not in known and not one.name.startswith(".")]
        if others and not (folder / MANIFEST).exists():
            raise InputError.at(folder, None, "is not empty and holds no suite; give another folder")
        (folder / MANIFEST).unlink(missing_ok=True)
    return made
