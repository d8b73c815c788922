"""Answers that are labelled spans of a text: entities, or what was extracted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from salva.rows.columns import Entity, is_tag, join_entities, read_entities
from salva.tasks.answer_kinds import AnswerKind, Expected, Grade
from salva.tasks.choices import Options


@dataclass(frozen=True, kw_only=True)
class Spans(AnswerKind):
    """Labelled spans of the edited column, as JSON: [start, end, label] or {"start", "end", "label"} each.

    Tags of its tokens stand for spans, too: see `read_reply`.
    An answer is right if it has the same spans and labels as the target; its score is their F1.
    """

    is_graded = True

    def parse(self, text: str, options: Options) -> str | None:
        """Return the spans in a text, sorted and as JSON; None if there is no list of spans."""
        found = read_spans(text)
        return None if found is None else _write_spans(found)

    def grade(self, reply: str, expected: Expected) -> Grade | None:
        """Return the spans in a reply as spans of the original text, and their F1."""
        text = self.extract(reply)
        found = None if text is None else read_reply(text, expected.text)
        if found is None:
            return None
        answer = _write_spans(found if expected.to_original is None else expected.to_original(found))
        return Grade(answer, _f1_of(answer, expected.targets[0]) if expected.targets else None)


def check_spans(target: str, text: str) -> None:
    """Refuse a target that is not a list of spans of its text; raises a ValueError."""
    read_entities(_find_list(target), text)


def read_spans(text: str) -> list[Entity] | None:
    """Return the list of spans in a reply; None if there is none.

    >>> read_spans('Here: [[0, 5, "PER"]]')
    [Entity(start=0, end=5, label='PER')]
    """
    try:
        found = _find_list(text)
        return None if found is None else read_entities(found, None)
    except ValueError:
        return None


def read_reply(reply: str, text: str) -> list[Entity] | None:
    r"""Return the spans of a text that a reply lists, or those of the tokens that it tags; None if neither.

    Tags are a JSON list with one for each token, as blanks separate them, or lines of `token TAG`. Tokens of
    lines may be smaller than words, but all of the text must be in them. Tags are BIO (either form), BIOES or
    BILOU.

    >>> read_reply('["B-PER", "O", "B-LOC"]', "Maria in Paris.")
    [Entity(start=0, end=5, label='PER'), Entity(start=9, end=15, label='LOC')]
    >>> read_reply("Maria B-PER\nin O\nParis B-LOC\n. O", "Maria in Paris.")
    [Entity(start=0, end=5, label='PER'), Entity(start=9, end=14, label='LOC')]
    """
    tokens, tags = _read_lines(reply)
    if not tags:
        tokens, tags = text.split(), _list_tags(reply)
    if not tags:
        return read_spans(reply)
    places = _find_tokens(tokens, text)
    if places is None or len(tags) != len(tokens) or not all(map(is_tag, tags)):
        return None
    return join_entities(tags, places)


def _read_lines(reply: str) -> tuple[list[str], list[str]]:
    """Return the tokens and tags of lines that have one of each; none if a line has not."""
    lines = [line.split() for line in reply.splitlines() if line.strip() and not line.startswith("```")]
    if any(len(line) != 2 or not is_tag(line[1]) for line in lines):
        return [], []
    return [line[0] for line in lines], [line[1] for line in lines]


def _list_tags(reply: str) -> list[str]:
    """Return the JSON list of texts in a reply; nothing if there is none."""
    try:
        found = _find_list(reply)
    except ValueError:
        return []
    return found if isinstance(found, list) and all(isinstance(tag, str) for tag in found) else []


def _find_tokens(tokens: Sequence[str], text: str) -> list[tuple[int, int]] | None:
    """Return where tokens are in a text that consists of them and of blanks; None if it does not."""
    places, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        if start < 0 or text[end:start].strip():
            return None
        end = start + len(token)
        places.append((start, end))
    return None if text[end:].strip() else places


def _write_spans(spans: Iterable[tuple[object, ...]]) -> str:
    """Return spans in one form: as JSON, in order, each once."""
    return json.dumps(sorted({tuple(span) for span in spans}, key=repr), ensure_ascii=False)


def _f1_of(answer: str, target: str) -> float:
    """Return the F1 of the spans that two lists share; 1 if both are empty.

    >>> _f1_of('[[0, 5, "PER"]]', '[[0, 5, "PER"], [7, 9, "LOC"]]')
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
