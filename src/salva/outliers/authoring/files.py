"""Set files while a collection is made: creating them, repairing them, and the progress of a folder."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, TypeAlias

from salva._files import storage_errors, write_atomically
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.checks.table import Finding, Profile, check, tally
from salva.outliers.drafts import Draft, clean_word, parse_name, read_draft, strip_word
from salva.outliers.notes import Notes, PartOfSpeech, SetKind, parse_notes, write_notes
from salva.outliers.sets import render, set_files, set_path

LANGUAGE_CODE = re.compile("[A-Z]{2,3}")
TOPIC = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")

State: TypeAlias = Literal["ok", "errors", "missing"]


def new_set(
    folder: PathLike,
    topic: str,
    language: str,
    *,
    inliers: Iterable[str] = (),
    outliers: Iterable[str] = (),
    kind: SetKind | None = None,
    pos: PartOfSpeech | None = None,
    overwrite: bool = False,
) -> Path:
    """Write FOLDER/TOPIC/LANG-TOPIC.txt, and any notes to TOPIC.toml next to it; return the path of the set.

    There may be fewer than eight inliers and eight outliers: `check` reports what an unfinished set lacks.
    Spaces in a topic or term become underscores; nothing else about a word is changed.
    """
    topic, language = _join_words(topic), language.upper()
    if not TOPIC.fullmatch(topic):
        raise UsageError(f"topic {topic!r} must consist of letters, digits, hyphens and underscores")
    if not LANGUAGE_CODE.fullmatch(language):
        raise UsageError(f"language {language!r} must be a code of two or three letters, such as EN")
    path = set_path(folder, topic, language)
    with storage_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    text = render(map(_join_words, inliers), map(_join_words, outliers))
    note_path = path.with_name(f"{topic}.toml")
    is_new = _are_new_notes(note_path, kind=kind, pos=pos)
    write_atomically(path, text.encode(), overwrite=overwrite)
    if is_new:
        write_notes(Notes(kind, pos), note_path)
    return path


def _join_words(text: str) -> str:
    return "_".join(clean_word(text).split())


def _are_new_notes(path: Path, **values: str | None) -> bool:
    """Return whether notes are to be written; existing notes are never contradicted."""
    stated = {name: value for name, value in values.items() if value is not None}
    if not stated or not path.is_file():
        return bool(stated)
    there = parse_notes(path)
    for name, value in stated.items():
        if value != getattr(there, name):
            problem = f"{name} is {getattr(there, name)!r}, not {value!r}; change it there"
            raise InputError.at(path, None, problem)
    return False


@dataclass(frozen=True, slots=True)
class Fix:
    """A repaired file, and what was changed in it."""

    path: str
    changes: tuple[str, ...]


def fix(source: PathLike | Iterable[PathLike], *, languages: Iterable[str] | None = None) -> list[Fix]:
    """Repair set files, given as files and folders, where that is safe; each is replaced atomically.

    Words stay as they are except for white space and invisible characters around them, Unicode composition
    (NFC), and numbers before them if every line has one. A file that is not UTF-8 is left alone.
    """
    fixes = []
    for path in set_files(source, languages=languages):
        draft = read_draft(path)
        content, changes = mend(draft)
        if changes:
            write_atomically(path, content, overwrite=True)
            fixes.append(Fix(draft.path, changes))
    return fixes


def mend(draft: Draft) -> tuple[bytes, tuple[str, ...]]:
    """Return the content of the repaired file, and the repairs."""
    if draft.text is None:
        return draft.raw, ()
    lines = draft.lines()
    words = {entry.line: entry.word for entry in draft.entries}
    kept = [words.get(number, "") for number in range(1, len(lines) + 1)]
    if _begins_again(draft):
        kept.insert(draft.outliers[0].line - 1, "")
    kept = [line for filled, run in groupby(kept, key=bool) for line in (run if filled else [""])]
    if draft.entries:
        kept = kept[not kept[0] : len(kept) - (not kept[-1])]
    content = "".join(f"{line}\n" for line in kept).encode()
    return content, _list_changes(draft, lines, len(kept)) if content != draft.raw else ()


def _begins_again(draft: Draft) -> bool:
    """Return whether two numbered lists follow each other with nothing between them."""
    first, second = draft.inliers[:1], draft.outliers[:1]
    parted = second and second[0].line > draft.inliers[-1].line + 1
    return bool(second and not parted and second[0].number and second[0].number == first[0].number)


def _list_changes(draft: Draft, lines: list[str], left: int) -> tuple[str, ...]:
    text = draft.text or ""
    around = sum(line != strip_word(line) for line in lines)
    numbers = sum(entry.number is not None for entry in draft.entries)
    composed = sum(entry.bare != entry.word for entry in draft.entries)
    parted = _begins_again(draft)
    emptied = len(lines) - left + parted
    changes = {
        "removed the byte-order mark": draft.raw.startswith(codecs.BOM_UTF8),
        "converted line ends to LF": "\r\n" in text or ("\r" in text and "\n" not in text),
        "added the final newline": not text.endswith(("\n", "\r")),
        f"removed white space ({number_of(around, 'line')})": around,
        f"removed numbers ({number_of(numbers, 'line')})": numbers,
        "separated inliers from outliers": parted,
        f"normalised words to NFC ({number_of(composed, 'line')})": composed,
        f"removed empty lines ({number_of(emptied, 'line')})": emptied,
    }
    named = tuple(change for change, happened in changes.items() if happened)
    return named or ("removed a stray line end",)  # a lone CR after the last LF


@dataclass(frozen=True, slots=True)
class Cell:
    """One topic in one language."""

    state: State
    errors: int = 0
    warnings: int = 0
    hints: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """All topics by all languages, both in alphabetical order."""

    languages: tuple[str, ...]
    topics: dict[str, dict[str, Cell]]

    def totals(self) -> dict[str, dict[State, int]]:
        """Return how many sets of each language are in each state."""
        states: tuple[State, ...] = ("ok", "errors", "missing")
        return {
            language: {
                state: sum(cells[language].state == state for cells in self.topics.values())
                for state in states
            }
            for language in self.languages
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"languages": list(self.languages), "totals": self.totals(), "topics": asdict(self)["topics"]}


def status(
    folder: PathLike, *, languages: Collection[str] | None = None, profile: Profile = "hamod"
) -> Status:
    """Return the progress of the sets in a folder.

    The languages are the given ones, or all that any topic has. A set is ok if `check` finds no error in it
    except waived ones.
    """
    findings: dict[tuple[str, str], list[Finding]] = {parse_name(path): [] for path in set_files(folder)}
    for finding in check(folder, profile=profile):
        if Path(finding.path).suffix == ".txt":
            findings.get(parse_name(finding.path), []).append(finding)
    codes = map(str.upper, languages) if languages else (language for _, language in findings)
    names = tuple(sorted(set(codes)))
    topics = sorted({topic for topic, _ in findings})
    return Status(
        names,
        {topic: {name: _cell(findings.get((topic, name))) for name in names} for topic in topics},
    )


def _cell(findings: list[Finding] | None) -> Cell:
    if findings is None:
        return Cell("missing")
    counts = tally(findings)
    return Cell("errors" if counts["error"] else "ok", counts["error"], counts["warning"], counts["hint"])
