"""What a set file has no place for: kind, part of speech, senses, waivers and adaptations, in a TOML file.

`Music.toml` next to `EN-Music.txt` applies to the topic in every language; `EN-Music.toml` applies to one
language and wins, key by key. Scorers would read a comment in the set file as a word, so notes are separate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from salva._files import parse_toml, read_text, write_atomically
from salva._types import PathLike
from salva.errors import InputError
from salva.outliers.drafts import parse_name

SetKind: TypeAlias = Literal["category", "topic"]
PartOfSpeech: TypeAlias = Literal["noun", "verb", "adjective"]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Why a word was adapted: 1 no exact correspondence, 2 infrequent, 3 too specific to a culture."""

    case: Literal[1, 2, 3]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes on a set.

    `senses` says what a word means here, `waivers` which words a check leaves alone (`*`: all), and
    `adaptations` which words of a translated set are not translations, and why.
    """

    kind: SetKind | None = None
    pos: PartOfSpeech | None = None
    senses: dict[str, str] = field(default_factory=dict)
    waivers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    adaptations: dict[str, Adaptation] = field(default_factory=dict)

    def waives(self, code: str, word: str | None) -> bool:
        """Return whether a check leaves a word alone.

        >>> Notes(waivers={"W5": ("Java",)}).waives("W5", "Java")
        True
        """
        words = self.waivers.get(code, ())
        return "*" in words or word in words

    def over(self, other: Notes) -> Notes:
        """Return both merged; these notes win over the other ones."""
        return Notes(
            self.kind or other.kind,
            self.pos or other.pos,
            other.senses | self.senses,
            other.waivers | self.waivers,
            other.adaptations | self.adaptations,
        )


def note_paths(set_path: PathLike) -> tuple[Path, Path]:
    """Return the paths of a set's notes: those of its language, then those of its topic.

    >>> [path.name for path in note_paths("Music/EN-Music.txt")]
    ['EN-Music.toml', 'Music.toml']
    """
    own = Path(set_path).with_suffix(".toml")
    return own, own.with_name(f"{parse_name(set_path)[0]}.toml")


def read_notes(set_path: PathLike) -> Notes:
    """Return the notes of a set file, empty if there are none; a faulty notes file is refused."""
    notes = Notes()
    for path in dict.fromkeys(note_paths(set_path)):
        if path.is_file():
            notes = notes.over(parse_notes(path))
    return notes


def parse_notes(path: PathLike) -> Notes:
    """Read one notes file; an unknown key or a wrong value is refused with its line."""
    text = read_text(path)
    content = parse_toml(path, text)
    values: dict[str, Any] = {}
    for key, value in content.items():
        line = _line_of(text, key)
        if key not in _READERS:
            raise InputError.at(path, line, f"key {key!r} is unknown; the keys are {', '.join(_READERS)}")
        try:
            values[key] = _READERS[key](value)
        except ValueError as error:
            raise InputError.at(path, line, f"{key} {error}") from None
    return Notes(**values)


def write_notes(notes: Notes, path: PathLike, *, overwrite: bool = False) -> None:
    """Write a notes file atomically; `note_paths` says where it belongs."""
    write_atomically(path, "".join(f"{line}\n" for line in _lines(notes)).encode(), overwrite=overwrite)


def _lines(notes: Notes) -> Iterator[str]:
    for name, value in (("kind", notes.kind), ("pos", notes.pos)):
        if value is not None:
            yield f"{name} = {_quoted(value)}"
    tables: dict[str, dict[str, str]] = {
        "senses": {word: _quoted(sense) for word, sense in notes.senses.items()},
        "waivers": {code: f"[{', '.join(map(_quoted, words))}]" for code, words in notes.waivers.items()},
        "adaptations": {
            word: f"{{ case = {adaptation.case}, note = {_quoted(adaptation.note)} }}"
            for word, adaptation in notes.adaptations.items()
        },
    }
    for name, table in tables.items():
        if table:
            yield f"\n[{name}]"
            yield from (f"{_quoted(key)} = {value}" for key, value in table.items())


def _quoted(text: str) -> str:
    """Return a TOML string: that of JSON, with the delete character escaped as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _line_of(text: str, key: str) -> int | None:
    """Return the line on which a key or table starts, if it is written in the usual way."""
    match = re.search(rf"^\s*(?:\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[\].=]", text, re.MULTILINE)
    return None if match is None else text.count("\n", 0, match.end()) + 1


def _choice(choices: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in get_args(choices):
            raise ValueError(f"is {value!r}; it must be {' or '.join(map(repr, get_args(choices)))}")
        return value

    return read


def _table(read: Callable[[Any], Any], example: str) -> Callable[[Any], dict[str, Any]]:
    def read_table(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError(f"is {value!r}; it must be a table such as {example}")
        table = {key: read(cell) for key, cell in value.items()}
        wrong = next((key for key, cell in table.items() if cell is None), None)
        if wrong is not None:
            raise ValueError(f"has {value[wrong]!r} for {wrong!r}; write {example}")
        return table

    return read_table


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _words(value: Any) -> tuple[str, ...] | None:
    words = [value] if isinstance(value, str) else value
    fine = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return tuple(words) if fine else None


def _adaptation(value: Any) -> Adaptation | None:
    if not isinstance(value, dict) or value.keys() - {"case", "note"}:
        return None
    case, note = value.get("case"), value.get("note", "")
    fine = (
        isinstance(case, int) and not isinstance(case, bool) and case in (1, 2, 3) and isinstance(note, str)
    )
    return Adaptation(case, note) if fine else None  # type: ignore[arg-type]


_READERS: dict[str, Callable[[Any], Any]] = {
    "kind": _choice(SetKind),
    "pos": _choice(PartOfSpeech),
    "senses": _table(_text, 'oil = "petroleum"'),
    "waivers": _table(_words, 'W5 = ["DIY"]'),
    "adaptations": _table(_adaptation, 'tvaroh = { case = 3, note = "for custard" }'),
}
