"""Sets of eight inliers and eight outliers: strict reading, writing, export, and division into exercises.

What only trips other programs (a byte-order mark, CRLF, no final newline) is accepted; any other deviation
from the format is refused with its line. `salva.outliers.checks.table` reports everything that is wrong.
"""

from __future__ import annotations

import hashlib
import logging
import os
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from salva._files import storage_errors, write_atomically
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.outliers.drafts import SIZE, Draft, Entry, parse_name, read_draft, strip_word

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger("salva")

_FIX = "run salva outliers check --fix"


@dataclass(frozen=True, slots=True)
class Exercise:
    """Inliers and one outlier, number 0 to 7 in sub-set 1 to 4."""

    inliers: tuple[str, ...]
    outlier: str
    number: int
    subset: int


@dataclass(frozen=True, slots=True)
class WordSet:
    """The words of one topic in one language.

    >>> words = WordSet("Letters", "EN", tuple("abcdefgh"), tuple("12345678"))
    >>> [words.subset_of(k) for k in range(8)]
    [1, 1, 2, 2, 3, 3, 4, 4]
    """

    topic: str
    language: str
    inliers: tuple[str, ...]
    outliers: tuple[str, ...]
    path: str | None = None

    @property
    def digest(self) -> str:
        """A digest that identifies the words and their order, whatever file they are in."""
        content = unicodedata.normalize("NFC", "\n".join(self.words))
        return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"

    @property
    def words(self) -> tuple[str, ...]:
        """Inliers, then outliers."""
        return self.inliers + self.outliers

    def subset_of(self, k: int) -> int:
        """Return the sub-set, 1 to 4, of outlier number `k`, counted from 0."""
        return k // 2 + 1

    def exercises(self) -> tuple[Exercise, ...]:
        """Return one exercise per outlier."""
        return tuple(
            Exercise(self.inliers, outlier, number, self.subset_of(number))
            for number, outlier in enumerate(self.outliers)
        )


def read_set(path: PathLike, *, mend: bool = False, spaces: bool = False) -> WordSet:
    """Read one file strictly; `mend` accepts what `salva outliers check --fix` would repair.

    With `spaces`, the words of a term may be separated by spaces, which become underscores. A file that is
    not named LANG-Topic.txt is a set in an undetermined language, UND.
    """
    draft = read_draft(path)
    if spaces:
        draft = replace(draft, inliers=_join_words(draft.inliers), outliers=_join_words(draft.outliers))
    for line, problem in _faults(draft, mend=mend):
        raise InputError.at(path, line, problem)
    words = draft.words
    return WordSet(draft.topic, draft.language, words[:SIZE], words[SIZE:], draft.path)


def _join_words(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(replace(entry, bare="_".join(entry.bare.split(" "))) for entry in entries)


def read_sets(
    source: PathLike | Iterable[PathLike],
    *,
    languages: Collection[str] | None = None,
    mend: bool = False,
    spaces: bool = False,
) -> list[WordSet]:
    """Read set files, and folders of TOPIC/LANG-TOPIC.txt or LANG-TOPIC.txt; sorted by topic and language.

    `mend` and `spaces` are as in `read_set`.
    """
    paths = set_files(source, languages=languages)
    if not paths:
        raise no_sets(list_paths(source), languages)
    sets = [read_set(path, mend=mend, spaces=spaces) for path in paths]
    return sorted(sets, key=lambda words: (words.topic, words.language, words.path or ""))


def read_finished_sets(
    source: PathLike | Iterable[PathLike],
    *,
    languages: Collection[str] | None = None,
    mend: bool = False,
    spaces: bool = False,
) -> list[WordSet]:
    """Read sets as `read_sets` does, but leave out unfinished ones, and name them in a warning.

    A set is unfinished if it still lacks inliers or outliers. If all are, the first of them is refused.
    """
    paths = set_files(source, languages=languages)
    if not paths:
        raise no_sets(list_paths(source), languages)
    unfinished = [path for path in paths if read_draft(path).is_unfinished]
    finished = [path for path in paths if path not in unfinished] or paths
    if len(finished) < len(paths):
        logger.warning("left out because unfinished: %s", ", ".join(map(os.fspath, unfinished)))
    return read_sets(finished, mend=mend, spaces=spaces)


def no_sets(paths: Iterable[PathLike], languages: Iterable[str] | None) -> InputError:
    """Return the error for paths without any set, or without one in some languages."""
    which = "" if languages is None else f" in {', '.join(sorted(map(str.upper, languages)))}"
    names = ", ".join(repr(os.fspath(path)) for path in paths) or "nothing"
    return InputError(f"no sets{which} in {names}; a set is a file TOPIC/LANG-TOPIC.txt")


def set_files(source: PathLike | Iterable[PathLike], *, languages: Iterable[str] | None = None) -> list[Path]:
    """Return the set files among files and in folders, of all or some languages; folders sorted by name."""
    named = None if languages is None else {language.upper() for language in languages}
    files: dict[Path, None] = {}
    for path in map(Path, list_paths(source)):
        with storage_errors(path):
            files |= dict.fromkeys(_files_in(path) if path.is_dir() else [path])
    return [path for path in files if named is None or parse_name(path)[1] in named]


def list_paths(source: PathLike | Iterable[PathLike]) -> list[PathLike]:
    """Return one path or several as a list."""
    return [source] if isinstance(source, str | os.PathLike) else list(source)


def _files_in(folder: Path) -> list[Path]:
    # One level of folders: deeper ones hold other people's files.
    paths = sorted([*folder.glob("*.txt"), *folder.glob("*/*.txt")])
    return [path for path in paths if not path.name.startswith(".") and not path.is_dir()]


def set_path(folder: PathLike, topic: str, language: str) -> Path:
    """Return where a set belongs in a folder.

    >>> set_path("sets", "Music", "EN").as_posix()
    'sets/Music/EN-Music.txt'
    """
    return Path(folder) / topic / f"{language}-{topic}.txt"


def render(inliers: Iterable[str], outliers: Iterable[str]) -> str:
    """Return the text of a set file, for a finished or an unfinished set."""
    return "".join(f"{line}\n" for line in [*inliers, "", *outliers])


def write_set(words: WordSet, path: PathLike, *, overwrite: bool = False) -> None:
    """Write a set atomically; a set that the strict reader would refuse is refused here too."""
    text = render(words.inliers, words.outliers)
    draft = Draft.of(os.fspath(path), text.encode(), topic=words.topic, language=words.language)
    for line, problem in _faults(draft, mend=False):
        raise InputError.at(path, line, problem)
    if draft.words != words.words:
        raise UsageError(f"set {words.topic!r} must have {SIZE} inliers and {SIZE} outliers, one word each")
    write_atomically(path, text.encode(), overwrite=overwrite)


def sets_table(sets: Iterable[WordSet]) -> pa.Table:
    """Return one row per word: topic, language, role, number from 1, sub-set of outliers, word, digest."""
    import pyarrow as pa

    strings = ("topic", "language", "role", "word", "digest")
    names = ("topic", "language", "role", "number", "subset", "word", "digest")
    schema = pa.schema([(name, pa.string() if name in strings else pa.int8()) for name in names])
    rows = [dict(zip(names, row, strict=True)) for words in sets for row in _rows(words)]
    return pa.Table.from_pylist(rows, schema)


def export_sets(sets: Iterable[WordSet], path: PathLike, *, overwrite: bool = False) -> None:
    """Write `sets_table` as csv, tsv, jsonl, parquet or arrow, depending on the file name."""
    from salva.rows.write import write_table

    write_table(path, sets_table(sets), text_column="word", overwrite=overwrite)


def _rows(words: WordSet) -> Iterator[tuple[str | int | None, ...]]:
    for i, word in enumerate(words.inliers):
        yield words.topic, words.language, "inlier", i + 1, None, word, words.digest
    for i, word in enumerate(words.outliers):
        yield words.topic, words.language, "outlier", i + 1, words.subset_of(i), word, words.digest


def _faults(draft: Draft, *, mend: bool) -> Iterator[tuple[int | None, str]]:
    """Yield every deviation from the format, with its line."""
    if draft.text is None:
        yield None, "is not UTF-8; save it as UTF-8"
        return
    for entry in draft.entries:
        yield from ((entry.line, problem) for problem in _word_faults(entry, mend=mend))
    for half, what in ((draft.inliers, "inlier"), (draft.outliers, "outlier")):
        if len(half) != SIZE:
            yield half[-1].line if half else None, f"{number_of(len(half), what)}, not {SIZE}"
    if not mend:
        yield from _line_faults(draft.lines())


def _word_faults(entry: Entry, *, mend: bool) -> Iterator[str]:
    if any(c.isspace() for c in entry.word):
        yield f"{entry.word!r} contains white space; join the words of a term with _"
    elif not mend and entry.text != strip_word(entry.text):
        yield f"{entry.text!r} has white space around it; {_FIX}"
    elif not mend and entry.number is not None:
        yield f"{entry.text!r} has a number before the word; {_FIX}"
    elif not mend and entry.text != entry.word:
        yield f"{entry.text!r} is not in NFC; {_FIX}"


def _line_faults(lines: list[str]) -> Iterator[tuple[int, str]]:
    if len(lines) > SIZE and lines[SIZE] != "":
        yield SIZE + 1, f"{lines[SIZE]!r} where an empty line must separate inliers from outliers"
    for number, line in enumerate(lines, 1):
        if not strip_word(line) and number != SIZE + 1:
            yield number, f"an extra empty line; the only one comes after the {SIZE} inliers"
