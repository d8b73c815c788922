"""The folder of a run: who may write to it, the settings of the run, and files that are written whole.

`run.json` holds the settings. A resumed run must have the same ones, except for those that do not change
what the model is asked. No path in it is absolute, so the folder may be moved.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from salva._arguments import argument
from salva._files import locked, storage_errors, write_atomically
from salva._results import as_json, read_json
from salva._temporaries import PREFIX, clear_folder
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.runs.store import holds_answers

# Raise it when a field of a run's files goes away or changes its meaning: a Salva with a lower number then
# refuses the run instead of misreading it. Runs begun with a lower number can be read, but not resumed. A new
# field that has a default does not need it: older runs can still be read.
FORMAT = 1
SETTINGS = "run.json"
# What runs write, in the order in which it is removed: a run without results is not finished.
FILES = (
    *("results.json", "report.html", "timings.json", "answers.parquet", "flips.parquet"),
    *("run.db", "run.db-wal", "run.db-shm", "run.db-journal", "data.parquet", "pairs.jsonl", SETTINGS),
)


class RunFolder:
    """The folder of a run, locked by this process; made by `RunFolder.open`."""

    def __init__(self, path: Path, *, resume: bool, overwrite: bool) -> None:
        self.path, self._overwrite = path, overwrite
        self._kept = resume or overwrite  # whether an older run is still there

    @classmethod
    @contextlib.contextmanager
    def open(cls, path: PathLike, *, resume: bool = False, overwrite: bool = False) -> Iterator[RunFolder]:
        """Create the folder, or reopen an existing one, and lock it to the end of the block.

        With `overwrite`, an older run is removed when the settings of the new one are written. A run that
        fails without a single answer leaves nothing behind.
        """
        folder = Path(path)
        with storage_errors(folder):
            begun = _check_place(folder, resume=resume, overwrite=overwrite)
            made = _make_folders(folder)
        with _removed_on_error(made), locked(folder):
            clear_folder(folder)
            home = cls(folder, resume=begun and resume, overwrite=begun and overwrite)
            try:
                yield home
            except BaseException:
                home._discard()
                raise

    def settle(
        self, settings: Mapping[str, Any], *, free: Collection[str] = (), same_model: bool = False
    ) -> dict[str, str]:
        """Write the settings of the run, and return the name and digest of its model.

        If there are settings, only those named in `free` may be different, such as "settings.noise". With
        `same_model`, the model may be another one; its answers count as those of the first.
        """
        current = json.loads(as_json({"format": FORMAT, **settings}))
        if self._overwrite:
            self._overwrite = self._kept = False
            _remove(self.path, FILES)
        place = self.path / SETTINGS
        if place.exists():
            saved = read_run_file(place)
            _check_model(place, saved.get("model"))
            if same_model:
                current["model"] = saved.get("model")
            self._refuse_difference(_without(saved, free), _without(current, free))
        content = as_json(current)
        if not place.exists() or place.read_bytes() != content:
            self.write(SETTINGS, content)
        return cast(dict[str, str], current.get("model"))

    def _refuse_difference(self, saved: Mapping[str, Any], current: Mapping[str, Any]) -> None:
        for name in dict.fromkeys([*current, *saved]):
            if current.get(name) != saved.get(name):
                afresh = f"{argument('overwrite', True)} to start over, or give another folder"
                if name == "model":
                    ways = f"{argument('same_model', True)} to keep its answers, {afresh}"
                    raise UsageError(
                        f"{self.path}: {_describe_change(saved[name], current[name])}; pass {ways}"
                    )
                problem = f"was made with different settings: {_difference(name, saved, current)}"
                raise UsageError(f"{self.path}: {problem}; resume with the same settings, pass {afresh}")

    def _discard(self) -> None:
        """Remove a run that has no answers, so that the next one finds an empty folder."""
        if self._kept or holds_answers(self.path / "run.db"):
            return
        with contextlib.suppress(OSError):
            clear_folder(self.path)
            _remove(self.path, [*FILES, ".lock"])

    def write(self, name: str, content: bytes) -> None:
        """Write a whole file, replacing an older one."""
        write_atomically(self.path / name, content, overwrite=True)


def _check_model(path: Path, model: Any) -> None:
    """Refuse settings whose model is not described by texts; a run need not have one."""
    is_plain = isinstance(model, dict) and all(isinstance(model.get(key), str) for key in ("name", "digest"))
    if model is not None and not is_plain:
        raise InputError.at(path, None, "is broken (model)")


def read_run_file(path: PathLike) -> dict[str, Any]:
    """Return the content of a JSON file of a run; refuse one that is cut off or has a later format."""
    saved = read_json(path)
    if not isinstance(saved, dict) or not isinstance(saved.get("format"), int):
        raise InputError.at(path, None, "is not a file of a Salva run")
    if saved["format"] > FORMAT:
        problem = f"has format {saved['format']}, but this Salva reads only {FORMAT}; use a newer Salva"
        raise InputError.at(path, None, problem)
    return saved


def _check_place(folder: Path, *, resume: bool, overwrite: bool) -> bool:
    """Return whether the folder holds a run; refuse one that must stay as it is."""
    if resume and overwrite:
        both = f"{argument('resume', True)} and {argument('overwrite', True)}"
        raise UsageError(f"{both} exclude each other; continue the run, or start over")
    if folder.exists() and not folder.is_dir():
        raise InputError.at(folder, None, "is a file; give a folder for the run")
    _refuse_links(folder)
    begun = (folder / SETTINGS).exists()
    if begun and not resume and not overwrite:
        ways = f"{argument('resume', True)} to continue it, {argument('overwrite', True)} to start over"
        raise InputError.at(folder, None, f"holds a run; pass {ways}, or give another folder")
    if not begun and folder.is_dir() and not _is_bare(folder):
        raise InputError.at(folder, None, "is not empty and holds no run; give another folder")
    return begun


def _refuse_links(folder: Path) -> None:
    """Refuse a folder in which a file of a run is a link: writing it would replace a file somewhere else."""
    for item in folder.iterdir() if folder.is_dir() else ():
        if item.is_symlink() and (item.name in FILES or item.name.startswith((".lock", PREFIX))):
            raise InputError.at(item, None, "is a symbolic link; replace it by the file, or remove it")


def _make_folders(folder: Path) -> list[Path]:
    """Make a folder and its parents; return those that were not there, innermost first."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


@contextlib.contextmanager
def _removed_on_error(folders: list[Path]) -> Iterator[None]:
    """Remove folders, as far as they are empty, if the block ends with an error."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for folder in folders:
                folder.rmdir()
        raise


def _remove(folder: Path, names: Collection[str]) -> None:
    with storage_errors(folder):
        for name in names:
            (folder / name).unlink(missing_ok=True)


def _is_bare(folder: Path) -> bool:
    """Return whether the folder holds only what a run that was killed at its start leaves."""
    return all(item.name.startswith((".lock", PREFIX)) for item in folder.iterdir())


def _describe_change(saved: Mapping[str, str], current: Mapping[str, str]) -> str:
    if saved["name"] != current["name"]:
        return f"was made with the model {saved['name']!r}, not {current['name']!r}"
    return "the code or the files of the model changed since, or its options, or it exists only in memory"


def _without(settings: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return nested settings without some of them.

    >>> _without({"metric": None, "settings": {"seed": 0, "noise": 5}}, ["metric", "settings.noise"])
    {'settings': {'seed': 0}}
    """
    kept = {name: value for name, value in settings.items() if name not in names}
    for name, value in kept.items():
        inside = [part.removeprefix(f"{name}.") for part in names if part.startswith(f"{name}.")]
        if inside and isinstance(value, dict):
            kept[name] = _without(value, inside)
    return kept


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
