"""Read verdicts: csv sheets that were filled in, and JSON from the page of a sheet or from Label Studio."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple, cast

from salva._results import read_json
from salva._spreadsheets import read_table
from salva._types import PathLike
from salva.audit.verdicts import QUESTIONS, Unit, parse_verdict
from salva.errors import InputError, UsageError

_NEEDED = ("item", "id", "unit", "condition", "preset", "of", "sheet", "twins")
_TEXTS = ("original", "twin", "place", "old", "new", "rule", "part")
_DELIMITERS = ",;\t"


class ItemKey(NamedTuple):
    """What identifies an item, whichever sheet it is on: its twins and unit, its row, and its edit."""

    twins: str
    unit: Unit
    id: str
    place: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict of a reader about an item, None if there is none yet; and where it was read."""

    key: ItemKey
    item: int
    of: int
    sheet: str
    condition: str
    preset: str
    texts: dict[str, str]
    reader: str
    verdict: str | None
    note: str
    path: str
    line: int | None

    def error(self, problem: str) -> InputError:
        """Return an error about this verdict."""
        where = "" if self.line is not None else f"item {self.item}: "
        return InputError.at(self.path, self.line, f"{where}{problem}")


def read_judgements(paths: PathLike | Iterable[PathLike]) -> list[Judgement]:
    """Return the verdicts in files; refuse a reader who judges an item twice, and an item twice in a file."""
    listed = [paths] if isinstance(paths, str | PurePath) else list(cast("Iterable[PathLike]", paths))
    judgements: list[Judgement] = []
    seen: dict[tuple[str, ItemKey], Judgement] = {}
    for path in listed:
        own = list(_read_file(path))
        if not own:
            raise InputError.at(path, None, "has no items; pass a sheet that salva audit sample made")
        for judgement in own:
            earlier = seen.get((judgement.reader, judgement.key))
            if earlier is not None:
                _refuse_second(earlier, judgement)
            if earlier is None or earlier.verdict is None:
                seen[judgement.reader, judgement.key] = judgement
        judgements += own
    return judgements


def _refuse_second(earlier: Judgement, later: Judgement) -> None:
    """Refuse a second verdict; an empty one on another sheet is not one, as on a longer sheet."""
    if earlier.path == later.path or None not in (earlier.verdict, later.verdict):
        at = earlier.path if earlier.line is None else f"{earlier.path}:{earlier.line}"
        raise later.error(
            f"reader {later.reader!r} has item {later.item} twice, first in {at}; "
            "keep one, or name readers in the column reader"
        )


def _read_file(path: PathLike) -> Iterator[Judgement]:
    ending = PurePath(path).suffix.lower()
    if ending in (".html", ".htm"):
        raise InputError.at(
            path,
            None,
            "is the page itself; open it in a browser, download the verdicts there, and pass that file",
        )
    return _read_json(path) if ending == ".json" else _read_csv(path)


def _read_csv(path: PathLike) -> Iterator[Judgement]:
    rows = read_table(path, _DELIMITERS)
    _, columns = next(rows, (0, []))
    if missing := [name for name in (*_NEEDED, "verdict") if name not in columns]:
        raise InputError.at(path, None, f"is not an audit sheet: it has no column {missing[0]!r}")
    for line, cells in rows:
        if len(cells) != len(columns):
            raise InputError.at(path, line, f"{len(cells)} cells, not {len(columns)}")
        yield _judge(path, line, dict(zip(columns, cells, strict=True)))


def _read_json(path: PathLike) -> Iterator[Judgement]:
    """Yield the verdicts of a JSON export of Label Studio, which the page of a sheet writes too."""
    tasks = read_json(path)
    if not isinstance(tasks, list):
        raise InputError.at(path, None, "must be a list of tasks; export them from Label Studio as JSON")
    for number, task in enumerate(tasks, 1):
        try:
            record = {name: str(value) for name, value in task["data"].items()}
            annotations = [one for one in task.get("annotations", []) if not one.get("was_cancelled")]
            filled = [_filled_in(annotation) for annotation in annotations] or [{}]
        except (AttributeError, KeyError, TypeError, IndexError):
            raise InputError.at(path, None, f"task {number} is not one that Label Studio exports") from None
        if missing := [name for name in _NEEDED if name not in record]:
            raise InputError.at(
                path, None, f"task {number} is not from an audit sheet: it has no {missing[0]!r}"
            )
        yield from (_judge(path, None, record | values) for values in filled)


def _filled_in(annotation: Mapping[str, Any]) -> dict[str, str]:
    """Return the verdict, the note and the reader of an annotation."""
    values = {result["from_name"]: result["value"] for result in annotation["result"]}
    verdict = values["verdict"]["choices"][0] if "verdict" in values else ""
    note = " ".join(values["note"]["text"]) if "note" in values else ""
    by = annotation.get("completed_by", "")
    reader = by.get("email") or by.get("id", "") if isinstance(by, Mapping) else by
    return {"verdict": str(verdict), "note": note, "reader": str(reader)}


def _judge(path: PathLike, line: int | None, record: Mapping[str, str]) -> Judgement:
    def number(name: str) -> int:
        try:
            return int(record[name])
        except ValueError:
            raise InputError.at(
                path, line, f"{name} is {record[name]!r:.60}; it must be a whole number"
            ) from None

    item, of = number("item"), number("of")
    if record["unit"] not in QUESTIONS:
        raise InputError.at(
            path, line, f"unit is {record['unit']!r:.60}; it must be one of {', '.join(QUESTIONS)}"
        )
    unit: Unit = record["unit"]
    try:
        verdict = parse_verdict(unit, record.get("verdict", ""))
    except UsageError as error:
        where = "" if line is not None else f"item {item}: "
        raise InputError.at(path, line, f"{where}{error}") from None
    return Judgement(
        key=ItemKey(record["twins"], unit, record["id"], record.get("place", "")),
        item=item,
        of=of,
        sheet=record["sheet"],
        condition=record["condition"],
        preset=record["preset"],
        texts={name: record.get(name, "") for name in _TEXTS},
        reader=record.get("reader", "").strip() or Path(path).stem,
        verdict=verdict,
        note=record.get("note", ""),
        path=str(path),
        line=line,
    )


def group_by(judgements: Iterable[Judgement], key: Callable[[Judgement], Any]) -> dict[Any, list[Judgement]]:
    """Return the verdicts in groups, in order of first appearance."""
    groups: dict[Any, list[Judgement]] = {}
    for judgement in judgements:
        groups.setdefault(key(judgement), []).append(judgement)
    return groups
