"""The folder of a run: who may write to it, the settings of the run, and files that are written whole.

`run.json` holds the settings. A resumed run must have the same model; what else may differ is up to the
caller. No path in it is absolute, so the folder may be moved. If several models are asked the same questions,
each has a run in a folder of its own, inside that of the questions and the answers, which all of them share.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from salva._arguments import argument
from salva._arrow import open_disk
from salva._files import PREFIX, clear_folder, locked, storage_errors, write_atomically
from salva._results import as_json, read_json
from salva._types import PathLike
from salva.asking.log import holds_answers
from salva.errors import InputError, UsageError
from salva.models.secrets import hide_secrets
from salva.questions.table import TABLE, made_folder

# Raise it when a file of a run changes its form: a Salva with another number then refuses the run.
FORMAT = 2
SETTINGS, LOG, QUESTIONS = "run.json", "answers.db", "questions"
RUNS = "runs"  # in the settings of a folder with the runs of several models: their folders
# What runs write, in the order in which it is removed: a run without results is not finished.
FILES = (
    *("results.json", "report.html", "timings.json", "answers.parquet", "flips.parquet", "unchanged.parquet"),
    *(LOG, f"{LOG}-wal", f"{LOG}-shm", f"{LOG}-journal", SETTINGS),
)
_LONGEST = 60  # characters of the name of a model's folder


class RunFolder:
    """The folder of a run, locked by this process; made by `RunFolder.open`.

    `questions` and `log` are in the folder itself or, if they are shared, in the one around it.
    """

    def __init__(self, path: Path, *, resume: bool, overwrite: bool, is_shared: bool = False) -> None:
        self.path = path
        self.overwrites = overwrite  # whether an older run is there that will be removed
        self._kept = resume or overwrite  # whether an older run is still there
        home = path.parent if is_shared else path
        self.questions, self.log = home / QUESTIONS, home / LOG

    @classmethod
    @contextlib.contextmanager
    def open(
        cls, path: PathLike, *, resume: bool = False, overwrite: bool = False, is_shared: bool = False
    ) -> Iterator[RunFolder]:
        """Create the folder, or reopen an existing one, and lock it to the end of the block.

        With `overwrite`, an older run is removed when the settings of the new one are written. A run that
        fails without a single answer leaves nothing behind.
        """
        folder = Path(path)
        with storage_errors(folder):
            begun = _check_place(folder, resume=resume, overwrite=overwrite)
        with made_folder(folder), locked(folder):
            clear_folder(folder)
            if (folder / QUESTIONS).is_dir():
                clear_folder(folder / QUESTIONS)
            left = begun or (folder / QUESTIONS).exists()  # which a kill may leave without settings
            home = cls(folder, resume=begun and resume, overwrite=left and overwrite, is_shared=is_shared)
            try:
                yield home
            except BaseException:
                home._discard()
                raise

    def settle(self, settings: Mapping[str, Any], *, same_model: bool = False) -> dict[str, str]:
        """Write the settings of the run, and return the name and digest of its model.

        If there are settings, the model must be the same. With `same_model`, it may be another one, whose
        answers count as those of the first.
        """
        current = json.loads(as_json({"format": FORMAT, **settings}))
        self.begin()
        if (self.path / SETTINGS).exists():
            saved = read_settings(self.path)
            if same_model:
                current["model"] = saved["model"]
            if saved["model"] != current["model"]:  # another judge is welcome: verdicts are kept for each
                raise UsageError(
                    f"{self.path}: {_describe_change(saved['model'], current['model'])}; pass "
                    f"{argument('same_model', True)} to keep its answers, {_start_over()}"
                )
        self._write_settings(current)
        return dict(current["model"])

    def share(self, models: Sequence[Any]) -> list[Path]:
        """Note that several models are asked, and return the folder for the run of each."""
        self.begin()
        names = _name_folders(models)
        if (self.path / SETTINGS).exists() and list_runs(self.path) != [self.path / name for name in names]:
            raise UsageError(f"{self.path}: was made with other models; pass {_start_over()}")
        self._write_settings({"format": FORMAT, RUNS: names})
        return [self.path / name for name in names]

    def begin(self) -> None:
        """Remove the older run that is to be replaced, once."""
        if self.overwrites:
            self.overwrites = self._kept = False
            _remove(self.path)

    def _write_settings(self, settings: dict[str, Any]) -> None:
        place, content = self.path / SETTINGS, as_json(settings)
        if not place.exists() or place.read_bytes() != content:
            self.write(SETTINGS, content)

    def _discard(self) -> None:
        """Remove a run that has no answers, so that the next one finds an empty folder."""
        if self._kept or holds_answers(self.log):
            return
        with contextlib.suppress(OSError):
            clear_folder(self.path)
            _remove(self.path)
            (self.path / ".lock").unlink(missing_ok=True)

    def write(self, name: str, content: bytes) -> None:
        """Write a whole file, replacing an older one."""
        write_atomically(self.path / name, content, overwrite=True)


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of a run; refuse a folder that holds none, or one of another format."""
    saved = read_run_file(folder / SETTINGS)
    if RUNS in saved:
        first = next(iter(list_runs(folder)), folder)
        raise InputError.at(folder, None, f"holds the runs of several models; name one, such as {first}")
    model = saved.get("model")
    if not isinstance(model, dict) or not all(isinstance(model.get(key), str) for key in ("name", "digest")):
        raise InputError.at(folder / SETTINGS, None, "is broken (model)")
    return saved


def list_runs(folder: Path) -> list[Path]:
    """Return the runs in a folder: itself, or those of several models."""
    place = folder / SETTINGS
    names = read_run_file(place).get(RUNS) if place.is_file() else None
    return [folder] if names is None else [folder / Path(name).name for name in names]


def find_shared(folder: Path) -> Path:
    """Return the folder with the questions of a run: its own, or the one around it."""
    return folder if (folder / QUESTIONS).is_dir() else folder.parent


def read_run_file(path: PathLike) -> dict[str, Any]:
    """Return the content of a JSON file of a run; refuse one that is cut off or has another format."""
    saved = read_json(path)
    if not isinstance(saved, dict) or not isinstance(saved.get("format"), int):
        raise InputError.at(path, None, "is not a file of a Salva run")
    if saved["format"] != FORMAT:
        problem = f"has format {saved['format']}, and this Salva reads format {FORMAT}"
        raise InputError.at(path, None, f"{problem}; start a new run")
    return saved


def read_run_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Return a parquet file of a run, or some of its columns; refuse one that is damaged."""
    with storage_errors(path):
        try:
            return pq.ParquetFile(open_disk(path), page_checksum_verification=True).read(columns)
        except (pa.ArrowException, OSError) as error:
            raise InputError.at(path, None, f"is damaged ({str(error).splitlines()[0]})") from None


def _check_place(folder: Path, *, resume: bool, overwrite: bool) -> bool:
    """Return whether the folder holds a run; refuse one that must stay as it is."""
    if resume and overwrite:
        raise UsageError(
            f"{argument('resume', True)} and {argument('overwrite', True)} "
            "exclude each other; continue the run, or start over"
        )
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
        own = item.name in (*FILES, QUESTIONS) or item.name.startswith((".lock", PREFIX))
        if item.is_symlink() and own:
            raise InputError.at(item, None, "is a symbolic link; replace it by the file, or remove it")


def _remove(folder: Path) -> None:
    """Remove a run: its settings last but for its questions."""
    with storage_errors(folder):
        for own in list_runs(folder):
            if own != folder and own.is_dir() and not own.is_symlink():
                _remove(own)
                (own / ".lock").unlink(missing_ok=True)
                with contextlib.suppress(OSError):
                    own.rmdir()
        for name in FILES:
            (folder / name).unlink(missing_ok=True)
        home = folder / QUESTIONS
        if home.is_dir() and not home.is_symlink():
            clear_folder(home)
            for item in home.iterdir():
                if item.name == TABLE or item.suffix == ".parquet":
                    item.unlink()
            with contextlib.suppress(OSError):
                home.rmdir()


def _is_bare(folder: Path) -> bool:
    """Return whether the folder holds only what a run that was killed at its start leaves."""
    return all(item.name.startswith((".lock", PREFIX)) or item.name == QUESTIONS for item in folder.iterdir())


def _start_over() -> str:
    return f"{argument('overwrite', True)} to start over, or give another folder"


def _describe_change(saved: Mapping[str, str], current: Mapping[str, str]) -> str:
    if saved["name"] != current["name"]:
        return f"was made with the model {saved['name']!r}, not {current['name']!r}"
    return "the code or the files of the model changed since, or its options, or it exists only in memory"


def _name_folders(models: Sequence[Any]) -> list[str]:
    """Return distinct names for the folders of models.

    >>> _name_folders(["hf:a/b", "hf:a/b", "openai:m@http://h/v1"])
    ['hf-a-b', 'hf-a-b-2', 'openai-m-http-h-v1']
    """
    names: list[str] = []
    for model in models:
        shown = model if isinstance(model, str) else getattr(model, "__name__", type(model).__name__)
        name = re.sub(r"[^A-Za-z0-9._]+", "-", hide_secrets(shown)).strip("-.")[-_LONGEST:] or "model"
        times = sum(re.fullmatch(rf"{re.escape(name)}(-[0-9]+)?", other) is not None for other in names)
        names.append(f"{name}-{times + 1}" if times else name)
    return names
