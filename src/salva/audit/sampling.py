"""Draw the items of a sheet at random; the choice depends only on the seed, the row's id and the edit.

Items are ordered by a keyed hash, and the first ones are drawn. So the order is random too, what a reader
has read is a random choice wherever the reader stops, and a longer sheet begins with the shorter one.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from salva._arguments import argument, check_choice, check_whole
from salva._progress import ProgressOption, Tracker, tracking
from salva._types import PathLike
from salva.audit.sheet import Item, ItemEdit, Sheet
from salva.audit.source import AuditTwin, TwinSource, is_run, open_data, open_run, short_digest
from salva.audit.verdicts import QUESTIONS, Unit
from salva.errors import InputError, UsageError
from salva.questions.options import Data
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
    copy: int = 0,
    n: int = 200,
    seed: int = 0,
    unit: Unit | None = None,
    label: bool = False,
    transform_seed: int = 0,
    data: Data | None = None,
    threads: int | None = None,
    progress: ProgressOption = False,
) -> Sheet:
    """Draw `n` items to read: edits in their context, or whole twins; fewer if there are not as many.

    `source` is the folder of a run, or data as `evaluate` takes it, read as `data` says. For a run, `preset`,
    `severity` and `copy` choose a condition, and may be left out if there is only one. For data, `preset` is
    a name, a TOML file or a transform, and `transform_seed` the seed of its edits. By default, the `unit`
    is `text` for a run, as the drop is a mean over twins, and `edit` for data, as a preset makes edits.
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
    chosen: dict[str, Any] = {"severity": severity, "copy": copy}
    if is_run(source):
        if transform_seed or data is not None:
            remedy = f"leave out {argument('transform_seed')}, columns and options"
            raise UsageError(f"a run has its own data and seed; {remedy}")
        if preset is not None and not isinstance(preset, str):
            raise UsageError(f"preset={preset!r:.60} must be the name of a preset of the run")
        return _draw(open_run(source, preset=preset, **chosen), unit=unit or "text", **draw)
    if preset is None:
        raise UsageError("there is no preset; name one, such as natural, or give the folder of a run")
    with open_data(
        source, preset, transform_seed=transform_seed, reading=data, threads=threads, **chosen
    ) as twins:
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
        tracker.begin("drawing", "rows", len(source))
        places = heapq.nsmallest(n, counted())
    if not places:
        raise InputError(f"{source.data}: {source.condition.name} changes no text; there is nothing to read")
    items = _make_items(source, places, unit, label=label)
    name = short_digest("s", [source.digest, unit, n, seed])
    condition = source.condition
    preset = condition.preset or ""
    return Sheet(name, source.digest, condition.name, preset, source.data, unit, population, items)


def _list_places(source: TwinSource, unit: Unit, seed: int, tracker: Tracker) -> Iterator[_Place]:
    """Yield every item there is; for whole texts, the twins that differ from their original."""
    for rows, twins in source.blocks():
        for twin in twins:
            edits = (_name_place(start, end) for start, end in twin.old_places)
            for place in edits if unit == "edit" else [""] * twin.is_changed:
                yield _Place(_key(seed, unit, twin.id, place), twin.item, place)
        tracker.advance(rows)


def _name_place(start: int, end: int) -> str:
    return f"{start}..{end}"


def _key(seed: int, unit: Unit, name: str, place: str) -> bytes:
    content = f"{unit}\x1f{place}\x1f{name}".encode()
    return hashlib.blake2b(content, digest_size=16, key=str(seed).encode()).digest()


def _make_items(source: TwinSource, places: Sequence[_Place], unit: Unit, *, label: bool) -> tuple[Item, ...]:
    """Return the items in the order of their keys."""
    twins = source.take(sorted({place.row for place in places}))
    known = {twin.item: (twin, edits) for twin, edits in zip(twins, _name_parts(twins), strict=True)}
    items = []
    for number, (_, row, place) in enumerate(places, 1):
        twin, own = known[row]
        original, text = twin.original, twin.twin
        if unit == "edit":
            [edit] = (one for one in own if _name_place(one.start, one.end) == place)
            original, text, own = _cut_out(original, edit)
        items.append(
            Item(
                number,
                twin.id,
                place,
                original,
                text,
                own,
                other=twin.other,
                label=twin.label if label else None,
            )
        )
    return tuple(items)


def _name_parts(twins: Sequence[AuditTwin]) -> Iterator[tuple[ItemEdit, ...]]:
    """Yield the edits of every text, with the parts of speech of the old words."""
    tagged = tag([twin.original for twin in twins])
    spans = tagged.spans
    ends, parts = (spans.ends.to_pylist() if spans else []), tagged.parts.to_pylist()
    for row, twin in enumerate(twins):
        found = []
        for edit, (start, end) in zip(twin.edits, twin.old_places, strict=True):
            # The part of speech of the first word that ends after the edit begins.
            words = zip(ends[row] or (), parts[row] or (), strict=True)
            part = next((part for last, part in words if last > start), "other")
            found.append(ItemEdit(start, end, edit.start, edit.end, edit.old, edit.new, edit.rule, part))
        yield tuple(found)


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
    placed = replace(
        edit, start=start, end=start + len(edit.old), new_start=start, new_end=start + len(edit.new)
    )
    return before + edit.old + after, before + edit.new + after, (placed,)
