"""Answers that were made elsewhere: lines next to a source file, or a table of sources and predictions.

The content of a file decides which of the two it is: a table has tabs, and a header that names its columns,
whatever the file is called. Answers are matched by the text of the source, never by line number if sources
are present, and refused if they do not match. White space at the ends of lines is ignored, here and in
scores; an empty line is an empty answer; whether the last line ends with a newline does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from salva._arguments import argument
from salva._files import read_whole, storage_errors
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError
from salva.twins.comparators import spaced
from salva.twins.pair import TwinPair

_MOST_BYTES = 1 << 30
_COLUMNS = ("source", "prediction")
_KNOWN = frozenset([*_COLUMNS, "target"])
_HEADER = "name source, prediction and any target column in the first line, with tabs between them"
_TWIN_ENDINGS = ("_synonym", "_twin")  # in the published files, and in ours
_NO_ANSWERS = frozenset([".src", ".tgt", ".json", ".jsonl", ".html", ".safetensors"])


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """The answers to the sources and the twins of some pairs."""

    answers: list[str]
    twin_answers: list[str]
    unused: int  # lines that answer something else


class _AnswerLine(NamedTuple):
    """A line of a file of answers: its number, its source and its answer."""

    number: int
    source: str
    answer: str


def read_pair_answers(
    pairs: Sequence[TwinPair], path: PathLike, twin_path: PathLike | None = None
) -> PairAnswers:
    """Return the answers to pairs from one file that holds both sides, or from two.

    A table has a header with `source` and `prediction`; if it has a column `target`, this must hold the
    targets of the pairs, since otherwise it answers another test. Any other file holds one answer per line,
    next to the file of its sources (test.src for test.out). Pass the `answers` and `twin_answers` of the
    result to `score`.
    """
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    twins, twin_targets = [pair.twin for pair in pairs], [pair.twin_target for pair in pairs]
    if twin_path is None:
        _refuse_one_side(path, pairs)
        both, unused = read_answers(path, [*sources, *twins], [*targets, *twin_targets])
        return PairAnswers(both[: len(pairs)], both[len(pairs) :], unused)
    answers, unused = read_answers(path, sources, targets)
    twin_answers, more = read_answers(twin_path, twins, twin_targets)
    return PairAnswers(answers, twin_answers, unused + more)


def read_answers(
    path: PathLike, sources: Sequence[str], targets: Sequence[str] | None = None
) -> tuple[list[str], int]:
    """Return the answer to each source, and how many lines of the file answer something else.

    A table has a header with `source` and `prediction`; any other file holds one answer per line, next to the
    file of its sources (test.src for test.out). Only if that is missing do the lines answer `sources` in
    order, provided there are as many. Several answers to one source must be the same.
    """
    if Path(path).suffix == ".src":
        raise InputError.at(path, None, "holds sources; name the answers, such as test.out")
    target_of = dict(zip(map(spaced, sources), map(spaced, targets or [""] * len(sources)), strict=True))
    lines: dict[str, _AnswerLine] = {}
    unused = 0
    for line in _read_answers(path, sources, target_of):
        if line.source not in target_of:
            unused += 1
            continue
        first = lines.setdefault(line.source, line)
        if spaced(first.answer) != spaced(line.answer):
            problem = f"answers the source of line {first.number} again, but differently: {line.source!r:.80}"
            raise InputError.at(path, line.number, f"{problem}; keep one answer per source")
    missing = [source for source in target_of if source not in lines]
    if missing:
        some = f"{len(missing):,} of {len(target_of):,} sources, such as {missing[0]!r:.80}"
        remedy = "give one answer per source, empty if there is none"
        if unused and not lines:
            remedy = "do these answers belong to another file?"
        raise InputError.at(path, None, f"has no answer for {some}; {remedy}")
    return [lines[spaced(source)].answer for source in sources], unused


def find_traces(folder: PathLike) -> list[tuple[Path, Path]]:
    """Return the files in a folder that hold the answers of several runs: to sources, and to twins.

    The published files are called run=1.txt and run=1_synonym.txt; the ending `_twin` works as well.
    """
    home = Path(folder)
    with storage_errors(home):
        files = {path.name: path for path in home.iterdir() if path.is_file() and path.name[0] != "."}
    traces = []
    for path in sorted(files.values(), key=_by_number):
        if path.suffix in _NO_ANSWERS:
            continue
        ending = next((ending for ending in _TWIN_ENDINGS if path.stem.endswith(ending)), None)
        twins = [f"{path.stem}{ending}{path.suffix}" for ending in _TWIN_ENDINGS]
        twin = next((files[name] for name in twins if name in files), None)
        if ending is not None:
            base = f"{path.stem.removesuffix(ending)}{path.suffix}"
            if base not in files:
                raise InputError.at(path, None, f"answers twins, but {base} is not next to it; put it there")
        elif twin is None:
            raise InputError.at(path, None, f"has no twin answers next to it, such as {twins[0]}")
        else:
            traces.append((path, twin))
    if not traces:
        problem = "holds no answers; expected files such as run=1.txt and run=1_synonym.txt"
        raise InputError.at(home, None, problem)
    return traces


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Return a key that sorts run=2 before run=10."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"(\d{1,9})", path.name)]


def _read_answers(
    path: PathLike, sources: Sequence[str], targets: Mapping[str, str]
) -> Iterator[_AnswerLine]:
    """Read a table or a file of lines."""
    lines = _lines(path)
    names = _header(lines[0] if lines else "", "\t")
    if not _KNOWN.isdisjoint(names) and (len(names) > 1 or _is_tsv(path)):
        return _read_table(path, names, lines[1:], targets)
    _refuse_no_table(path, lines, targets)
    if _is_tsv(path):
        raise InputError.at(path, 1, f"has no column 'source'; {_HEADER}")
    return _read_lines(path, lines, sources)


def _header(line: str, parting: str) -> list[str]:
    return [name.strip().lower() for name in line.split(parting)]


def _is_tsv(path: PathLike) -> bool:
    return Path(path).suffix.lower() == ".tsv"


def _refuse_no_table(path: PathLike, lines: Sequence[str], known: Mapping[str, str]) -> None:
    """Refuse a near-table: one with commas between its columns, or with a column of sources but no header."""
    for parting, name in ((",", "commas"), (";", "semicolons"), ("|", "bars")):
        if set(_COLUMNS) <= set(_header(lines[0] if lines else "", parting)):
            raise InputError.at(path, 1, f"has {name} between its columns; write tabs instead")
    cells = [line.split("\t") for line in lines if "\t" in line]
    for column in range(max(map(len, cells), default=0)):
        sources = sum(spaced(row[column]) in known for row in cells if column < len(row))
        if 2 * sources >= len(lines):
            problem = f"column {column + 1} holds sources, but there is no header"
            raise InputError.at(path, 1, f"{problem}; {_HEADER}")


def _refuse_one_side(path: PathLike, pairs: Sequence[TwinPair]) -> None:
    """Refuse a file of lines that answers only the sources or only the twins."""
    lines = _lines(path)
    is_table = "\t" in lines[0] if lines else False
    if len(lines) == len(pairs) and not is_table and not Path(path).with_suffix(".src").is_file():
        problem = f"has one answer per pair, for {number_of(len(pairs), 'pair')} with two sides"
        given = argument("twin_path", flag="--twin-answers")
        remedy = f"name one file per side, the answers to twins with {given}"
        raise InputError.at(path, None, f"{problem}; {remedy}")


def _read_table(
    path: PathLike, names: Sequence[str], rows: Sequence[str], targets: Mapping[str, str]
) -> Iterator[_AnswerLine]:
    for name in _COLUMNS:
        if name not in names:
            columns = ", ".join(map(repr, names))
            raise InputError.at(path, 1, f"has no column {name!r}, only {columns:.120}; {_HEADER}")
        if names.count(name) > 1:
            raise InputError.at(path, 1, f"has {names.count(name)} columns {name!r}; keep one")
    source, prediction = map(names.index, _COLUMNS)
    target = names.index("target") if "target" in names else None
    for number, row in enumerate(rows, 2):
        if not row.strip():
            continue
        cells = row.split("\t")
        if len(cells) != len(names):
            problem = f"{number_of(len(cells), 'cell')}, not {len(names)}"
            raise InputError.at(path, number, f"{problem}; use tabs only between cells")
        text = spaced(cells[source])
        if target is not None:
            _refuse_target(path, number, text, spaced(cells[target]), targets)
        yield _AnswerLine(number, text, cells[prediction])


def _refuse_target(path: PathLike, number: int, source: str, given: str, targets: Mapping[str, str]) -> None:
    target = targets.get(source)
    if target and given != target:
        problem = f"the target of {source!r:.60} is {target!r:.60} in the pairs and {given!r:.60} here"
        raise InputError.at(path, number, f"{problem}; do these answers belong to another test?")


def _read_lines(path: PathLike, answers: Sequence[str], sources: Sequence[str]) -> Iterator[_AnswerLine]:
    """Yield the lines of a file with those of the source file next to it, or else with the pairs' sources."""
    place = Path(path).with_suffix(".src")
    there = place.is_file()
    texts = _lines(place) if there else list(sources)
    if len(answers) != len(texts):
        whose = f"{place} has {len(texts):,}" if there else f"there are {number_of(len(texts), 'source')}"
        problem = f"has {number_of(len(answers), 'line')} but {whose}; give one answer per line"
        hint = "" if there else f", put {place.name} next to it, or give a table with source and prediction"
        raise InputError.at(path, None, f"{problem}{hint}")
    for number, (text, answer) in enumerate(zip(texts, answers, strict=True), 1):
        yield _AnswerLine(number, spaced(text), answer)


def _lines(path: PathLike) -> list[str]:
    """Return the lines of a file, split only at newlines: an answer may contain other line breaks."""
    try:
        lines = read_whole(path, _MOST_BYTES).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError.at(path, None, f"byte {error.start} is not UTF-8") from None
    return lines if lines[-1] else lines[:-1]  # the last newline ends a line and does not start another
