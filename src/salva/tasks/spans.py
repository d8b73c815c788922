"""Answers that are labelled spans of a text: entities, or what was extracted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from salva.datasets.spans import Entity, read_entities, read_labelled
from salva.tasks.kind import Grade, Key, Kind
from salva.tasks.options import Options


@dataclass(frozen=True, kw_only=True)
class Spans(Kind):
    """Labelled spans of the edited column, as JSON: [start, end, label] or {"start", "end", "label"} each.

    An answer is right if it has the same spans and labels as the target; its score is their F1.
    """

    @property
    def is_graded(self) -> bool:
        """F1 has values between 0 and 1."""
        return True

    def read_target(self, target: str, options: Options) -> str | None:
        """Return the spans of the data in the form in which they are compared."""
        return self.parse(target, options)

    def check_target(self, target: str, text: str) -> None:
        """Refuse spans that are not spans of their text; raises a ValueError."""
        read_entities(_find_list(target), text)

    def parse(self, text: str, options: Options) -> str | None:
        """Return the spans in a text, sorted and as JSON; None if there is no list of spans."""
        found = read_spans(text)
        return None if found is None else write_spans(found)

    def grade(self, reply: str, key: Key) -> Grade | None:
        """Return the spans in a reply as spans of the original text, and their F1."""
        text = self.extract(reply)
        found = None if text is None else read_spans(text)
        if found is None:
            return None
        spans: Sequence[tuple[object, ...]] = found if key.back is None else key.back(found)
        answer = write_spans(spans)
        return Grade(answer, f1_of(answer, key.targets[0]) if key.targets else None)


def read_spans(text: str) -> list[Entity] | None:
    """Return the list of spans in a reply; None if there is none.

    >>> read_spans('Here: [[0, 5, "PER"]]')
    [Entity(start=0, end=5, label='PER')]
    """
    try:
        return read_labelled(_find_list(text))
    except ValueError:
        return None


def write_spans(spans: Iterable[tuple[object, ...]]) -> str:
    """Return spans in one form: as JSON, in order, each once."""
    return json.dumps(sorted({tuple(span) for span in spans}, key=repr), ensure_ascii=False)


def f1_of(answer: str, target: str) -> float:
    """Return the F1 of the spans that two lists share; 1 if both are empty.

    >>> f1_of('[[0, 5, "PER"]]', '[[0, 5, "PER"], [7, 9, "LOC"]]')
    0.6666666666666666
    """
    ours, theirs = ({tuple(span) for span in json.loads(text)} for text in (answer, target))
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 1.0


def _find_list(text: str) -> object:
    """Return the JSON list in a text; raises a ValueError if there is none."""
    first, last = text.find("["), text.rfind("]")
    try:
        return json.loads(text[first : last + 1]) if first >= 0 else None
    except RecursionError:
        raise ValueError("nested too deeply") from None
