"""The folder of a run: who may write to it, the settings of the run, and files that are written whole.

`run.json` holds the settings and is written once; a resumed run must have the same ones. No path in it is
absolute, so the folder may be moved.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from salva._files import locked, storage_errors, write_atomically
from salva._results import as_json, read_json
from salva._types import PathLike
from salva.errors import InputError, UsageError

# Raise it when a field of a run's files goes away or changes its meaning: a Salva with a lower number then
# refuses the run instead of misreading it. Runs begun with a lower number can be read, but not resumed. A new
# field that has a default does not need it: older runs can still be read.
FORMAT = 1
SETTINGS = "run.json"
_OTHER_MODEL = ", give a function that exists only in memory a version with model_id"


class RunFolder:
    """The folder of a run, locked by this process; made by `RunFolder.open`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: PathLike, *, resume: bool = False) -> Iterator[RunFolder]:
        """Create the folder, or reopen an existing one, and lock it to the end of the block."""
        folder = Path(path)
        with storage_errors(folder):
            if folder.exists() and not folder.is_dir():
                raise InputError.at(folder, None, "is a file; give a folder for the run")
            begun = (folder / SETTINGS).exists()
            if begun and not resume:
                raise InputError.at(
                    folder, None, "holds a run; pass --resume to continue it, or give another folder"
                )
            if not begun and folder.is_dir() and not _is_bare(folder):
                raise InputError.at(folder, None, "is not empty and holds no run; give another folder")
            folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            yield cls(folder)

    def settle(self, settings: Mapping[str, Any]) -> None:
        """Write the settings of the run; if they are already written, refuse different ones."""
        current = json.loads(as_json({"format": FORMAT, **settings}))
        place = self.path / SETTINGS
        if not place.exists():
            write_atomically(place, as_json(current))
            return
        saved = read_run_file(place)
        for name in dict.fromkeys([*current, *saved]):
            if current.get(name) != saved.get(name):
                difference = _difference(name, saved, current)
                hint = "" if not difference.startswith("model.digest ") else _OTHER_MODEL
                raise UsageError(
                    f"{self.path}: was made with different settings: {difference}; "
                    f"resume with the same settings{hint}, or give another folder"
                )

    def write(self, name: str, content: bytes) -> None:
        """Write a whole file, replacing an older one."""
        write_atomically(self.path / name, content, overwrite=True)


def read_run_file(path: PathLike) -> dict[str, Any]:
    """Return the content of a JSON file of a run; refuse one that is cut off or has a later format."""
    saved = read_json(path)
    if not isinstance(saved, dict) or not isinstance(saved.get("format"), int):
        raise InputError.at(path, None, "is not a file of a Salva run")
    if saved["format"] > FORMAT:
        problem = f"has format {saved['format']}, but this Salva reads only {FORMAT}; use a newer Salva"
        raise InputError.at(path, None, problem)
    return saved


def _is_bare(folder: Path) -> bool:
    """Return whether the folder holds only what a run that was killed at its start leaves."""
    return all(item.name.startswith((".lock", ".tmp-")) for item in folder.iterdir())


def _difference(name: str, saved: Mapping[str, Any], current: Mapping[str, Any]) -> str:
    old, new = saved.get(name), current.get(name)
    if isinstance(old, dict) and isinstance(new, dict):
        inner = next(key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key))
        return _difference(
            f"{name}.{inner}", {f"{name}.{inner}": old.get(inner)}, {f"{name}.{inner}": new.get(inner)}
        )
    return f"{name} was {_short(old)} and is {_short(new)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
