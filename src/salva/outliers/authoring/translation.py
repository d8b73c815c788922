"""Translation of sets: a table with English and the target language side by side, and reading it back.

English is the only source. There is one row per word: a translator fills in the target column and, if a word
was adapted, the case (1 no exact correspondence, 2 infrequent, 3 too specific to a culture) and a note.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from salva._arguments import argument
from salva._files import refuse_existing, storage_errors, write_atomically
from salva._results import brief
from salva._show import UNSHOWN, number_of
from salva._spreadsheets import read_table, render_table
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.drafts import ENGLISH, SIZE
from salva.outliers.notes import Adaptation, Notes, note_paths, parse_notes, read_notes, write_notes
from salva.outliers.sets import WordSet, set_path, write_set
from salva.outliers.vectors.formats import as_similarities
from salva.outliers.vectors.similarities import Similarities
from salva.outliers.words.frequencies import Frequencies, read_frequencies

Case = Literal[1, 2, 3]

_LANGUAGE_CODE = re.compile("[A-Z]{2,3}")
_TOPIC = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")
_NEEDED = ("topic", "role", "number", ENGLISH, "case", "note", "sense", "key")
_CASES: dict[str, Case | None] = {"": None, "1": 1, "2": 2, "3": 3}


@dataclass(frozen=True, slots=True)
class Row:
    """A word of a set in English and in the target language; `target` is empty until it is filled in.

    `per_million` and `known` describe the target word; they are None if it was not looked up.
    """

    topic: str
    role: Literal["inlier", "outlier"]
    number: int
    english: str
    target: str = ""
    case: Case | None = None
    note: str = ""
    sense: str = ""
    per_million: float | None = None
    known: bool | None = None
    line: int | None = field(default=None, compare=False)

    @property
    def subset(self) -> int | None:
        """The sub-set of an outlier."""
        return (self.number + 1) // 2 if self.role == "outlier" else None

    @property
    def multiword(self) -> bool:
        """Whether the target word, or the English word if there is none yet, is a multiword term."""
        return "_" in (self.target or self.english)

    @property
    def key(self) -> str:
        """A digest that shows whether somebody changed a column other than the translator's."""
        content = "\x1f".join((self.topic, self.role, str(self.number), self.english))
        return hashlib.sha256(content.encode()).hexdigest()[:8]


def _is_begun(row: Row) -> bool:
    return bool(row.target or row.case)


# The columns of the table, and what each shows of a row; the column of the target is named by its language.
_COLUMNS: dict[str, Callable[[Row], str]] = {
    "topic": lambda row: row.topic,
    "role": lambda row: row.role,
    "number": lambda row: str(row.number),
    "sub-set": lambda row: str(row.subset or ""),
    ENGLISH: lambda row: row.english,
    "target": lambda row: row.target,
    "case": lambda row: str(row.case or ""),
    "note": lambda row: row.note,
    "sense": lambda row: row.sense,
    "multiword": lambda row: "yes" if row.multiword else "",
    "per million": lambda row: "" if row.per_million is None else f"{row.per_million:.2f}",
    "vocabulary": lambda row: "" if row.known is None else "yes" if row.known else "no",
    "key": lambda row: row.key,
}


@brief
@dataclass(frozen=True, slots=True)
class Translation:
    """The words of many sets and their translations into one language."""

    language: str
    rows: tuple[Row, ...]

    @property
    def topics(self) -> dict[str, list[Row]]:
        """The rows of every topic, inliers first."""
        topics: dict[str, list[Row]] = {}
        for row in sorted(self.rows, key=lambda row: (row.role, row.number)):
            topics.setdefault(row.topic, []).append(row)
        return {row.topic: topics[row.topic] for row in self.rows}

    @property
    def waiting(self) -> list[str]:
        """The topics in which nothing is filled in yet."""
        return [topic for topic, rows in self.topics.items() if not any(map(_is_begun, rows))]

    @property
    def unfinished(self) -> dict[str, list[Row]]:
        """The rows that still lack a word, by topic, of the topics in which something is filled in."""
        begun = {topic: rows for topic, rows in self.topics.items() if any(map(_is_begun, rows))}
        missing = {topic: [row for row in rows if not row.target] for topic, rows in begun.items()}
        return {topic: rows for topic, rows in missing.items() if rows}

    def sets(self) -> list[WordSet]:
        """Return the sets all of whose words are translated."""
        left_out = {*self.waiting, *self.unfinished}
        topics = self.topics.items()
        return [_word_set(self.language, rows) for topic, rows in topics if topic not in left_out]

    def notes(self, topic: str) -> Notes:
        """Return the senses and adaptations of a topic, by target word."""
        rows = [row for row in self.topics[topic] if row.target]
        return Notes(
            senses={row.target: row.sense for row in rows if row.sense},
            adaptations={row.target: Adaptation(row.case, row.note) for row in rows if row.case},
        )

    def as_tsv(self) -> str:
        """Return the table for a spreadsheet, with formulas made harmless."""
        header = [self.language if name == "target" else name for name in _COLUMNS]
        return render_table([header, *([cell(row) for cell in _COLUMNS.values()] for row in self.rows)])

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def translation_table(
    sets: Iterable[WordSet],
    language: str,
    *,
    frequencies: Frequencies | PathLike | None = None,
    vectors: Similarities | PathLike | None = None,
) -> Translation:
    """Return English sets side by side with their translations, if these are among the sets.

    Notes are read from files next to the sets. `frequencies` and `vectors` are for the target language, given
    as objects or files.
    """
    code = language.upper()
    if not _LANGUAGE_CODE.fullmatch(code) or code == ENGLISH:
        wrong = argument("language", language, flag="--to")
        raise UsageError(f"{wrong} must be the code of a language other than {ENGLISH}, such as IT")
    all_sets = list(sets)
    sources, targets = _by_topic(all_sets, ENGLISH), _by_topic(all_sets, code)
    if not sources:
        languages = ", ".join(sorted({words.language for words in all_sets})) or "no language"
        raise InputError(f"the sets are in {languages}; {ENGLISH} is the only source of translations")
    rows = [row for topic, source in sources.items() for row in _rows(source, targets.get(topic))]
    targeted = [row.target for row in rows if row.target]
    if isinstance(frequencies, str | os.PathLike):
        frequencies = read_frequencies(frequencies, targeted)
    if vectors is not None:  # a term must be known as a whole
        vectors = as_similarities(vectors, targeted, chain=("exact", "lower"))
    return Translation(code, tuple(_look_up(row, frequencies, vectors) for row in rows))


def _by_topic(sets: Iterable[WordSet], language: str) -> dict[str, WordSet]:
    topics: dict[str, WordSet] = {}
    for words in sets:
        if words.language == language and topics.setdefault(words.topic, words) is not words:
            paths = f"{topics[words.topic].path}, {words.path}"
            raise InputError(f"{language}-{words.topic} exists twice: {paths}")
    return topics


def _rows(source: WordSet, target: WordSet | None) -> Iterator[Row]:
    english = read_notes(source.path) if source.path else Notes()
    own = read_notes(target.path) if target and target.path else Notes()
    theirs = target.words if target else ("",) * len(source.words)
    for i, (word, other) in enumerate(zip(source.words, theirs, strict=True)):
        adapted = own.adaptations.get(other)
        yield Row(
            source.topic,
            "inlier" if i < SIZE else "outlier",
            i % SIZE + 1,
            word,
            other,
            None if adapted is None else adapted.case,
            "" if adapted is None else adapted.note,
            own.senses.get(other) or english.senses.get(word, ""),
        )


def _look_up(row: Row, frequencies: Frequencies | None, vectors: Similarities | None) -> Row:
    if not row.target:
        return row
    return replace(
        row,
        per_million=None if frequencies is None else frequencies.per_million(row.target),
        known=None if vectors is None else vectors.known(row.target),
    )


def write_table(table: Translation, path: PathLike, *, overwrite: bool = False) -> None:
    """Write the table as .tsv for a spreadsheet."""
    if Path(path).suffix.lower() != ".tsv":
        raise UsageError(f"output {os.fspath(path)!r} must end in .tsv")
    write_atomically(path, table.as_tsv().encode(), overwrite=overwrite)


def read_translation(path: PathLike) -> Translation:
    """Read a filled-in table; every fault is refused with its line.

    Rows and columns may have been sorted. Words may be missing: see `Translation.unfinished`.
    """
    lines = read_table(path)
    _, header = next(lines, (1, []))
    languages = [name for name in header if _LANGUAGE_CODE.fullmatch(name) and name != ENGLISH]
    missing = next((name for name in _NEEDED if header.count(name) != 1), None)
    if missing is not None or len(languages) != 1:
        problem = "not exactly one target language column" if missing is None else f"no column {missing!r}"
        raise InputError.at(path, 1, f"{problem}; make the table with salva outliers translate SETS --to IT")
    rows = [_read_row(path, line, header, cells, languages[0]) for line, cells in lines]
    table = Translation(languages[0], tuple(rows))
    for topic, own in table.topics.items():
        _check_topic(path, topic, own)
    return table


def _read_row(path: PathLike, line: int, header: list[str], cells: list[str], language: str) -> Row:
    if len(cells) != len(header):
        raise InputError.at(path, line, f"{number_of(len(cells), 'cell')}, not {len(header)}")
    row = dict(zip(header, cells, strict=True))
    try:
        return _parse_row(row, row[language], line)
    except ValueError as error:
        raise InputError.at(path, line, str(error)) from None


def _parse_row(cells: Mapping[str, str], target: str, line: int) -> Row:
    role, number = cells["role"], cells["number"]
    if role not in ("inlier", "outlier") or number not in map(str, range(1, SIZE + 1)):
        raise ValueError(f"{role!r} number {number!r} must be an inlier or outlier from 1 to {SIZE}")
    if not _TOPIC.fullmatch(cells["topic"]):
        raise ValueError(f"topic {cells['topic']!r} must consist of letters, digits, hyphens and underscores")
    if cells["case"] not in _CASES:
        raise ValueError(f"case {cells['case']!r} must be 1, 2 or 3, or empty for a plain translation")
    case = _CASES[cells["case"]]
    if cells["note"] and case is None:
        raise ValueError("a note without a case; say why the word was adapted: 1, 2 or 3")
    _check_word(target)
    row = Row(
        cells["topic"],
        role,  # type: ignore[arg-type]
        int(number),
        cells[ENGLISH],
        target,
        case,
        cells["note"],
        cells["sense"],
        line=line,
    )
    if cells["key"] != row.key:
        changed = f"topic, role, number or the {ENGLISH} word {row.english!r}"
        raise ValueError(f"{changed} was changed; restore it, since English is the source")
    return row


def _check_word(word: str) -> None:
    if any(c.isspace() for c in word):
        fine = "_".join(word.split())
        raise ValueError(f"{word!r} contains white space; write {fine!r}")
    if UNSHOWN.search(word):
        raise ValueError(f"{word!r} contains an invisible character; type it again")
    if unicodedata.normalize("NFC", word) != word:
        raise ValueError(f"{word!r} is not in NFC; type it again")


def _check_topic(path: PathLike, topic: str, rows: Sequence[Row]) -> None:
    """Refuse repeated words, and numbers that are missing or repeated."""
    places: dict[tuple[str, int], Row] = {}
    words: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row.line or 0):
        first = places.setdefault((row.role, row.number), row)
        if first is not row:
            problem = f"{row.role} {row.number} of {topic} is also on line {first.line}"
            raise InputError.at(path, row.line, problem)
        other = words.setdefault(row.target, row) if row.target else row
        if other is not row:
            problem = f"{row.target!r} is also on line {other.line}; adapt one of them"
            raise InputError.at(path, row.line, problem)
    if len(rows) != 2 * SIZE:
        absent = next(
            f"{r} {n}" for r in ("inlier", "outlier") for n in range(1, SIZE + 1) if (r, n) not in places
        )
        problem = f"{topic} has {number_of(len(rows), 'row')}, not {2 * SIZE}; {absent} is missing"
        raise InputError.at(path, rows[-1].line, problem)


def _word_set(language: str, rows: Sequence[Row]) -> WordSet:
    words = tuple(row.target for row in rows)
    return WordSet(rows[0].topic, language, words[:SIZE], words[SIZE:])


def write_translation(table: Translation, folder: PathLike, *, overwrite: bool = False) -> list[Path]:
    """Write the translated sets and their notes into a folder; return the paths of the sets.

    If any of the sets or notes exists, nothing is written unless `overwrite` is set; an existing kind, part
    of speech and waivers in the notes are kept.
    """
    planned: list[tuple[WordSet, Path, Path, Notes]] = []
    for words in table.sets():
        path = set_path(folder, words.topic, words.language)
        beside = note_paths(path)[0]
        for file in (path, beside):
            refuse_existing(file, overwrite=overwrite)
        old, new = parse_notes(beside) if beside.exists() else Notes(), table.notes(words.topic)
        planned.append((words, path, beside, replace(old, senses=new.senses, adaptations=new.adaptations)))
    for words, path, beside, notes in planned:
        with storage_errors(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_set(words, path, overwrite=overwrite)
        if notes != Notes() or beside.exists():
            write_notes(notes, beside, overwrite=overwrite)
    return [path for _, path, *_ in planned]
