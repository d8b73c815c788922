"""Creates a new set file from a topic, a language and the words so far."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from salva._files import storage_errors, write_atomically
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.drafts import plain
from salva.outliers.notes import Kind, Notes, PartOfSpeech, parse_notes, write_notes
from salva.outliers.sets import render, set_path

_TOPIC = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")


def new_set(
    folder: PathLike,
    topic: str,
    language: str,
    *,
    inliers: Iterable[str] = (),
    outliers: Iterable[str] = (),
    kind: Kind | None = None,
    pos: PartOfSpeech | None = None,
    overwrite: bool = False,
) -> Path:
    """Write FOLDER/TOPIC/LANG-TOPIC.txt, and any notes to TOPIC.toml next to it; return the path of the set.

    There may be fewer than eight inliers and eight outliers: `check` reports what an unfinished set lacks.
    Spaces in a topic or term become underscores; nothing else about a word is changed.
    """
    topic, language = _joined(topic), language.upper()
    if not _TOPIC.fullmatch(topic):
        raise UsageError(f"topic {topic!r} must consist of letters, digits, hyphens and underscores")
    if not re.fullmatch("[A-Z]{2,3}", language):
        raise UsageError(f"language {language!r} must be a code of two or three letters, such as EN")
    path = set_path(folder, topic, language)
    with storage_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    text = render(map(_joined, inliers), map(_joined, outliers))
    notes = _notes(path.with_name(f"{topic}.toml"), Notes(kind, pos))
    write_atomically(path, text.encode(), overwrite=overwrite)
    if notes is not None:
        write_notes(notes, path.with_name(f"{topic}.toml"))
    return path


def _joined(text: str) -> str:
    return "_".join(plain(text).split())


def _notes(path: Path, wanted: Notes) -> Notes | None:
    """Return the notes to write, None if there is nothing to write; never contradict existing notes."""
    if wanted == Notes():
        return None
    if not path.is_file():
        return wanted
    there = parse_notes(path)
    for name in ("kind", "pos"):
        ours, theirs = getattr(wanted, name), getattr(there, name)
        if ours is not None and ours != theirs:
            raise InputError.at(path, None, f"{name} is {theirs!r}, not {ours!r}; change it there")
    return None
