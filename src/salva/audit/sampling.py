"""Draw the items of a sheet at random; the choice depends only on the seed, the row's id and the edit.

Items are ordered by a keyed hash, and the first ones are drawn. So the order is random too, what a reader
has read is a random choice wherever the reader stops, and a longer sheet begins with the shorter one.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from salva._arguments import argument, check_choice, check_whole
from salva._progress import ProgressOption, Tracker, tracking
from salva._types import PathLike
from salva.audit.sheet import Item, ItemEdit, Sheet
from salva.audit.source import TwinSource, is_run, open_data, open_run, short_digest
from salva.audit.verdicts import QUESTIONS, Unit
from salva.errors import InputError, UsageError
from salva.rows import ReadOptions, select_columns
from salva.text import tag
from salva.transforms import Transform

CONTEXT = 240  # characters of the text that are shown on either side of an edit
MOST_ITEMS = 10_000
_WORD = 30  # how far to look for the end of a word


class _Place(NamedTuple):
    """Where an item is: its key in the draw, its row, and where its edit is in the text, if it is one."""

    key: bytes
    row: int
    place: str


def sample(
    source: Any,
    *,
    preset: PathLike | Transform | None = None,
    severity: float | None = None,
    replicate: int = 0,
    n: int = 200,
    seed: int = 0,
    unit: Unit | None = None,
    label: bool = False,
    transform_seed: int = 0,
    text_column: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    options: ReadOptions | None = None,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> Sheet:
    """Draw `n` items to read: edits in their context, or whole twins; fewer if there are not as many.

    `source` is the folder of a run, or data as `evaluate` takes it. For a run, `preset`, `severity` and
    `replicate` choose a condition, and may be left out if there is only one. For data, `preset` is a name, a
    TOML file or a transform, and `transform_seed` the seed of its edits. By default, the `unit` is `text`
    for a run, because the drop is a mean over twins, and `edit` for data, because a preset makes edits.
    With `label`, the sheet also shows the labels of the rows. It never contains an answer of a model.
    `progress` is as for `salva.evaluate`.

    >>> sheet = sample([("A good movie.", 1)], preset="natural", n=5)
    >>> next(sheet.records())["twin"]
    'A good {+film+}.'
    """
    check_whole("n", n, 1, MOST_ITEMS)
    check_whole("seed", seed)
    if unit is not None:
        check_choice("unit", unit, QUESTIONS)
    draw: dict[str, Any] = {"n": n, "seed": seed, "label": label, "progress": progress}
    chosen: dict[str, Any] = {"severity": severity, "replicate": replicate, "threads": threads}
    columns = (text_column, label_column, id_column)
    if is_run(source):
        if transform_seed or options is not None or any(columns):
            remedy = f"leave out {argument('transform_seed')}, columns and options"
            raise UsageError(f"a run has its own data and seed; {remedy}")
        if preset is not None and not isinstance(preset, str):
            raise UsageError(f"preset={preset!r:.60} must be the name of a preset of the run")
        return _draw(open_run(source, preset=preset, **chosen), unit=unit or "text", **draw)
    if preset is None:
        raise UsageError("there is no preset; name one, such as natural, or give the folder of a run")
    reading = select_columns(options, *columns)
    with open_data(source, preset, transform_seed=transform_seed, options=reading, **chosen) as twins:
        return _draw(twins, unit=unit or "edit", **draw)


def _draw(
    source: TwinSource, *, unit: Unit, n: int, seed: int, label: bool, progress: ProgressOption
) -> Sheet:
    population = 0

    def counted() -> Iterator[_Place]:
        nonlocal population
        for place in _list_places(source, unit, seed, tracker):
            population += 1
            yield place

    with tracking(progress) as tracker:
        tracker.begin("drawing", "rows", len(source.rows))
        places = heapq.nsmallest(n, counted())
    if not places:
        raise InputError(f"{source.data}: {source.condition.name} changes no text; there is nothing to read")
    items = _make_items(source, places, unit, label=label)
    name = short_digest("s", [source.digest, unit, n, seed])
    condition = source.condition
    return Sheet(name, source.digest, condition.name, condition.preset, source.data, unit, population, items)


def _list_places(source: TwinSource, unit: Unit, seed: int, tracker: Tracker) -> Iterator[_Place]:
    """Yield every item there is; for whole texts, the twins that differ from their original."""
    for group, twins in source:
        if unit == "edit":
            spans = zip(twins.places.start.tolist(), twins.places.end.tolist(), strict=True)
            rows, places = twins.places.row.tolist(), [_name_place(*span) for span in spans]
        else:
            rows = source.find_changed(group, twins).nonzero()[0].tolist()
            places = [""] * len(rows)
        for row, place in zip(rows, places, strict=True):
            yield _Place(_key(seed, unit, group.ids[row], place), group.first + row, place)
        tracker.advance(len(group))


def _name_place(start: int, end: int) -> str:
    return f"{start}..{end}"


def _key(seed: int, unit: Unit, name: str, place: str) -> bytes:
    content = f"{unit}\x1f{place}\x1f{name}".encode()
    return hashlib.blake2b(content, digest_size=16, key=str(seed).encode()).digest()


def _make_items(source: TwinSource, places: Sequence[_Place], unit: Unit, *, label: bool) -> tuple[Item, ...]:
    """Return the items in the order of their keys; the twins of their rows are made again."""
    numbers = sorted({place.row for place in places})
    group = source.rows.rows(numbers)
    originals = group.texts[source.column].array.to_pylist()
    twins = source.make_twins(group)
    changed = twins.column.to_pylist()
    others = group.texts[1 - source.column].array.to_pylist() if len(group.texts) > 1 else [None] * len(group)
    edits = _edits_by_row(originals, twins.edits.to_pylist())
    rows = {number: row for row, number in enumerate(numbers)}
    items = []
    for number, (_, place_row, place) in enumerate(places, 1):
        row = rows[place_row]
        original, twin, own = originals[row], changed[row], edits[row]
        if unit == "edit":
            [edit] = (one for one in own if _name_place(one.start, one.end) == place)
            original, twin, own = _cut_out(original, edit)
        more = {"other": others[row], "label": group.labels[row] if label else None}
        items.append(Item(number, group.ids[row], place, original, twin, own, **more))
    return tuple(items)


def _edits_by_row(texts: list[str | None], edits: list[dict[str, Any]]) -> list[tuple[ItemEdit, ...]]:
    tagged = tag(texts)
    spans = tagged.spans
    ends, parts = (spans.ends.to_pylist() if spans else []), tagged.parts.to_pylist()
    by_row: list[list[ItemEdit]] = [[] for _ in texts]
    for edit in edits:
        row = edit.pop("row")
        # The part of speech of the first word that ends after the edit begins.
        words = zip(ends[row] or (), parts[row] or (), strict=True)
        part = next((part for end, part in words if end > edit["start"]), "other")
        by_row[row].append(ItemEdit(**edit, part=part))
    return [tuple(own) for own in by_row]


def _cut_out(text: str, edit: ItemEdit) -> tuple[str, str, tuple[ItemEdit, ...]]:
    """Return the text around an edit, the same with this edit alone, and the edit as it is placed there."""
    first, last = max(0, edit.start - CONTEXT), min(len(text), edit.end + CONTEXT)
    if first:
        first = text.find(" ", first, min(edit.start, first + _WORD)) + 1 or first
    if last < len(text):
        space = text.rfind(" ", max(edit.end, last - _WORD), last)
        last = last if space < 0 else space
    before = ("… " if first else "") + text[first : edit.start]
    after = text[edit.end : last] + (" …" if last < len(text) else "")
    start = len(before)
    placed = ItemEdit(
        start,
        start + len(edit.old),
        start,
        start + len(edit.new),
        edit.old,
        edit.new,
        edit.rule,
        edit.part,
    )
    return before + edit.old + after, before + edit.new + after, (placed,)
