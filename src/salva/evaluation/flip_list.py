"""The flips on the page: some of all, and the fields by which a reader chooses among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from salva._results import choose_evenly
from salva._show import count
from salva.evaluation.results import ConditionResult, Edit, Flip
from salva.pages import Mark, Segment, marked

MOST_FLIPS = 200
_MOST_BLAMED = 12  # edits listed below a flip
DIRECTIONS = {
    "lost": "right → wrong",
    "won": "wrong → right",
    "both": "right → right",
    "other": "wrong → other wrong",
    "unlabelled": "no label",
}

CAUSES = {
    "alone": "one edit",
    "together": "several edits together",
    "either": "either of several edits",
    "render": "reassembled text",
    "variant": "other way to ask",
    None: "cause not found",
}


class Option(NamedTuple):
    """A value of a field: how items and links refer to it, its name in addresses, and its text."""

    value: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field to choose by: its label, the text for no choice, and its options under their headings."""

    label: str
    every: str
    groups: Mapping[str, Sequence[Option]]

    @property
    def options(self) -> list[Option]:
        """All options."""
        return [option for some in self.groups.values() for option in some]


@dataclass(frozen=True, slots=True)
class ShownFlip:
    """A flip as the page shows it; `values` has those of its fields, several with spaces between them."""

    flip: Flip
    direction: str
    values: dict[str, str]
    segments: list[Segment]
    rules: list[tuple[str, int]]
    blamed: list[Edit]
    blamed_left_out: int


@dataclass(frozen=True, slots=True)
class FlipList:
    """The flips on the page and their fields; links refer to a condition or a severity by its value."""

    shown: list[ShownFlip]
    fields: dict[str, Field]
    conditions: dict[str, str]
    severities: dict[tuple[str, float | None], str]
    directions: Counter[str]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield what is known about each flip besides its texts."""
        for one in self.shown:
            flip, blamed = one.flip, "; ".join(f"{edit.old} → {edit.new}" for edit in one.blamed)
            place: dict[str, Any] = {
                "row": flip.row,
                "id": flip.id,
                "condition": flip.condition,
                "label": flip.label,
            }
            answers = {"before": flip.before, "after": flip.after, "direction": DIRECTIONS[one.direction]}
            yield {**place, **answers, "cause": flip.cause, "to_blame": blamed}


def list_flips(flips: Sequence[Flip], conditions: Sequence[ConditionResult]) -> FlipList:
    """Return an even choice of flips over the conditions, with the fields that tell some of them apart."""
    chosen = _choose(flips)
    values = [_values_of(flip) for flip in chosen]
    places = _Places(conditions, Counter(flip.condition for flip in chosen))
    directions = Counter(map(direction_of, chosen))
    found = [Option(key, text, text) for key, text in DIRECTIONS.items() if directions[key]]
    fields = {
        "condition": places.field(),
        "direction": Field("Direction", "all directions", {"": found}),
    }
    numbers: dict[str, dict[str, str]] = {}
    for name, label, every in _FIELDS:
        known = sorted({value for one in values for value in one[name]})
        numbers[name] = {value: str(number) for number, value in enumerate(known)}
        fields[name] = Field(label, every, {"": [Option(numbers[name][v], v, v) for v in known]})
    shown = []
    for flip, one in zip(chosen, values, strict=True):
        mine = {name: " ".join(numbers[name][value] for value in some) for name, some in one.items()}
        mine |= {"condition": places.values_of(flip.condition), "direction": direction_of(flip)}
        shown.append(_show(flip, mine))
    return FlipList(shown, fields, places.conditions, places.severities, directions)


_FIELDS = (
    ("label", "Label", "all labels"),
    ("outcome", "Outcome", "all outcomes"),
    ("cause", "Cause", "all causes"),
    ("rule", "Rule", "all rules"),
)


def direction_of(flip: Flip) -> str:
    """Return a key of `DIRECTIONS`."""
    if flip.label is None:
        return "unlabelled"
    is_right, stays_right = flip.before == flip.label, flip.after == (flip.label_after or flip.label)
    if is_right:
        return "both" if stays_right else "lost"
    return "won" if stays_right else "other"


def _values_of(flip: Flip) -> dict[str, list[str]]:
    return {
        "label": [] if flip.label is None else [flip.label],
        "outcome": [f"{flip.before} → {flip.after}"],
        "cause": [CAUSES.get(flip.cause, CAUSES[None])] if flip.edits or flip.cause else [],
        "rule": sorted({edit.rule for edit in flip.edits}),
    }


class _Places:
    """Conditions, their presets or axes and severities, as values of one field; only those with flips."""

    def __init__(self, conditions: Sequence[ConditionResult], shown: Counter[str]) -> None:
        self._known = {condition.name: condition for condition in conditions if shown[condition.name]}
        self._shown = shown
        self.conditions = {name: f"c{i}" for i, name in enumerate(self._known)}
        self._presets = {name: f"p{i}" for i, name in enumerate(dict.fromkeys(self._preset_names()))}
        together = Counter(map(_place_of, self._known.values()))
        self._together = {key: f"s{i}" for i, (key, times) in enumerate(together.items()) if times > 1}
        alone = {_place_of(one): self.conditions[name] for name, one in self._known.items()}
        self.severities = {**alone, **self._together}

    def _preset_names(self) -> list[str]:
        return [condition.group for condition in self._known.values()]

    def values_of(self, name: str) -> str:
        """Return the values of a flip's condition: its own, its preset's, and its severity's."""
        one = self._known.get(name)
        if one is None:  # the flip of a condition that the results do not have
            return ""
        together = self._together.get(_place_of(one))
        return " ".join(filter(None, (self.conditions[name], self._presets[one.group], together)))

    def field(self) -> Field:
        """Return the field; its options are under the preset if that has several conditions."""
        groups: dict[str, list[Option]] = {}
        for preset, value in self._presets.items():
            mine = [one for one in self._known.values() if one.group == preset]
            options = [self._option(self.conditions[one.name], one.name, [one]) for one in mine]
            joint = [self._joint(key, at) for key, at in self._together.items() if key[0] == preset]
            whole = [self._option(value, preset, mine, f"{preset}, all")] if len(mine) > 1 else []
            groups[preset] = [*whole, *joint, *options]
        if all(len(options) == 1 for options in groups.values()):
            groups = {"": [options[0] for options in groups.values()]}
        return Field("Condition", "all conditions", groups)

    def _joint(self, key: tuple[str, float | None], value: str) -> Option:
        mine = [one for one in self._known.values() if _place_of(one) == key]
        name = key[0] if key[1] is None else f"{key[0]}@{key[1]:g}"
        return self._option(value, f"{name}, all replicates", mine)

    def _option(self, value: str, name: str, mine: Sequence[ConditionResult], title: str = "") -> Option:
        shown, changed = sum(self._shown[one.name] for one in mine), sum(one.score.changed for one in mine)
        return Option(value, name, f"{title or name} ({count(shown)} of {count(changed)})")


def _place_of(condition: ConditionResult) -> tuple[str, float | None]:
    """Return the preset and the severity, which replicates share; what has a variant is on its own."""
    if condition.variant is not None:
        return condition.name, None
    return condition.group, condition.severity


def _choose(flips: Sequence[Flip]) -> list[Flip]:
    """Return flips from all over the data, taking turns between the conditions while there is room."""
    by_condition: dict[str, list[Flip]] = {}
    for flip in flips:
        by_condition.setdefault(flip.condition, []).append(flip)
    turns = [
        ((k + 0.5) / len(some), number, flip)
        for number, some in enumerate(choose_evenly(by_condition.values(), MOST_FLIPS))
        for k, flip in enumerate(some)
    ]
    return [flip for *_, flip in sorted(turns, key=lambda turn: turn[:2])]


def _show(flip: Flip, values: dict[str, str]) -> ShownFlip:
    marks = [Mark(e.start, e.end, e.old, e.rule, e.blamed) for e in flip.edits]
    blamed = [e for e in flip.edits if e.blamed]
    return ShownFlip(
        flip=flip,
        direction=direction_of(flip),
        values=values,
        segments=marked(flip.text, marks),
        rules=sorted(Counter(e.rule for e in flip.edits).items()),
        blamed=blamed[:_MOST_BLAMED],
        blamed_left_out=max(0, len(blamed) - _MOST_BLAMED),
    )
