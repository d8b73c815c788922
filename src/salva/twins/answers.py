"""Answers that were made elsewhere: lines beside a source file, or a TSV of sources and predictions.

They are aligned by the text of the source, never by line number where sources are there, and refused where
they do not match. White space at the ends of lines means nothing, here and in scores; a line with nothing in
it is an empty answer; whether the last line ends with a newline does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from salva._files import read_whole
from salva._types import PathLike
from salva.errors import InputError
from salva.twins.comparators import spaced
from salva.twins.pair import TwinPair

__all__ = ["PairAnswers", "read_answers", "read_pair_answers"]

_MOST_BYTES = 1 << 30
_COLUMNS = ("source", "prediction")


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """The answers to the sources and the twins of some pairs."""

    answers: list[str]
    twin_answers: list[str]
    unused: int  # lines that answer something else


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer, and the line where it stands."""

    line: int
    answer: str


def read_pair_answers(
    pairs: Sequence[TwinPair], path: PathLike, twin_path: PathLike | None = None
) -> PairAnswers:
    """Return the answers to pairs from one file that holds both sides, or from two.

    A TSV with a column `target` must have the targets of the pairs: else it answers another test.
    """
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    twins, twin_targets = [pair.twin for pair in pairs], [pair.twin_target for pair in pairs]
    if twin_path is None:
        both, unused = read_answers(path, [*sources, *twins], [*targets, *twin_targets])
        return PairAnswers(both[: len(pairs)], both[len(pairs) :], unused)
    answers, unused = read_answers(path, sources, targets)
    twin_answers, more = read_answers(twin_path, twins, twin_targets)
    return PairAnswers(answers, twin_answers, unused + more)


def read_answers(
    path: PathLike, sources: Sequence[str], targets: Sequence[str] | None = None
) -> tuple[list[str], int]:
    """Return the answer to each source, and how many lines of the file answer something else.

    A name that ends in .tsv has a header with `source` and `prediction`; any other holds an answer a line,
    and beside it lies the file of its sources: test.src for test.out. Only where that is missing are the
    lines those of `sources`, if there are as many. Several answers to one source must be the same.
    """
    known: dict[str, _Said] = {}
    wanted = dict(zip(map(spaced, sources), map(spaced, targets or [""] * len(sources)), strict=True))
    unused = 0
    for number, source, answer in _table(path, wanted) if _is_table(path) else _beside(path, sources):
        if source not in wanted:
            unused += 1
            continue
        other = known.setdefault(source, _Said(number, answer))
        if spaced(other.answer) != spaced(answer):
            problem = f"answers the source of line {other.line} once more, and differently"
            raise InputError.at(path, number, f"{problem}: {source!r:.80}; keep one answer a source")
    _refuse_missing(path, wanted, known, unused)
    return [known[spaced(source)].answer for source in sources], unused


def _is_table(path: PathLike) -> bool:
    return Path(path).suffix.lower() == ".tsv"


def _refuse_missing(
    path: PathLike, wanted: Mapping[str, str], known: Mapping[str, _Said], unused: int
) -> None:
    missing = [text for text in wanted if text not in known]
    if not missing:
        return
    problem = f"has no answer for {len(missing):,} of {len(wanted):,} sources, such as {missing[0]!r:.80}"
    if not known and unused:
        raise InputError.at(path, None, f"{problem}; are these answers to another file?")
    raise InputError.at(path, None, f"{problem}; give an answer to each, an empty one where there is none")


def _table(path: PathLike, targets: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    header, *rows = _lines(path) or [""]
    names = [name.strip().lower() for name in header.split("\t")]
    for name in _COLUMNS:
        if names.count(name) != 1:
            found = ", ".join(map(repr, names))
            problem = f"has the columns {found:.120}; expected source, target and prediction"
            raise InputError.at(path, 1, f"{problem}, one of each")
    source, prediction = map(names.index, _COLUMNS)
    target = names.index("target") if "target" in names else None
    for number, row in enumerate(rows, 2):
        if not row.strip():
            continue
        cells = row.split("\t")
        if len(cells) != len(names):
            problem = f"{len(cells)} cells, not {len(names)}; a tab stands between cells and nowhere else"
            raise InputError.at(path, number, problem)
        text = spaced(cells[source])
        if target is not None:
            _refuse_target(path, number, text, spaced(cells[target]), targets)
        yield number, text, cells[prediction]


def _refuse_target(path: PathLike, number: int, source: str, given: str, targets: Mapping[str, str]) -> None:
    wanted = targets.get(source)
    if wanted and given != wanted:
        problem = f"the target of {source!r:.60} is {wanted!r:.60} in the pairs and {given!r:.60} here"
        raise InputError.at(path, number, f"{problem}; is it another test?")


def _beside(path: PathLike, sources: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the lines of a file with those of the source file beside it; without one, with the pairs' own."""
    place = Path(path).with_suffix(".src")
    if Path(path).suffix == ".src":
        raise InputError.at(path, None, "holds sources; name the answers, such as test.out")
    there = place.is_file()
    texts = _lines(place) if there else list(sources)
    answers = _lines(path)
    if len(answers) != len(texts):
        whose = f"{place} has {len(texts):,}" if there else f"there are {len(texts):,} sources"
        hint = "" if there else f"; put {place.name} beside it, or give a .tsv with source and prediction"
        raise InputError.at(
            path, None, f"has {len(answers):,} lines and {whose}; give an answer a line{hint}"
        )
    for number, (text, answer) in enumerate(zip(texts, answers, strict=True), 1):
        yield number, spaced(text), answer


def _lines(path: PathLike) -> list[str]:
    """Return the lines of a file, cut at newlines alone: other breaks may stand inside of an answer."""
    try:
        lines = read_whole(path, _MOST_BYTES).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError.at(path, None, f"byte {error.start} is not UTF-8") from None
    return lines if lines[-1] else lines[:-1]  # what follows the newline of the last line is no line
