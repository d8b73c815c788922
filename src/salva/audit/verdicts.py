"""What readers judge, and the verdicts that they choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from salva.errors import UsageError

Unit: TypeAlias = Literal["edit", "text"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict: how sheets write it, the key that chooses it, what it means, and whether it is a pass."""

    name: str
    key: str
    meaning: str
    valid: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What readers of a unit are asked, and the verdicts to choose from, by name."""

    title: str
    help: str
    verdicts: dict[str, Verdict]


_EDIT = [
    Verdict("a", "a", "same meaning, reads well", valid=True),
    Verdict("b", "b", "ungrammatical: inflection, number, a/an", valid=False),
    Verdict("c", "c", "wrong sense, or wrong part of speech", valid=False),
    Verdict("d", "d", "the opposite meaning", valid=False),
    Verdict("e", "e", "a name, a title, a fixed phrase or markup is broken", valid=False),
    Verdict("f", "f", "obscure or unidiomatic", valid=False),
]
_TEXT = [
    Verdict("valid", "v", "reads well, and means the same in what matters for its label", valid=True),
    Verdict("invalid", "i", "another label fits, or it can no longer be understood", valid=False),
]

QUESTIONS: dict[Unit, Question] = {
    "edit": Question(
        "Does the edit keep the meaning?",
        "One word or phrase differs between the two texts. Judge only this edit, in its context.",
        {verdict.name: verdict for verdict in _EDIT},
    ),
    "text": Question(
        "Is the twin still valid?",
        "The twin is the original with some edits. Would you give both the same label?",
        {verdict.name: verdict for verdict in _TEXT},
    ),
}


def parse_verdict(unit: Unit, text: str) -> str | None:
    """Return the name of a verdict that is given by name, key or meaning; None for an empty one.

    >>> parse_verdict("edit", " A "), parse_verdict("text", "v"), parse_verdict("text", "")
    ('a', 'valid', None)
    """
    wanted = text.strip().lower()
    if not wanted:
        return None
    verdicts = QUESTIONS[unit].verdicts
    for name, verdict in verdicts.items():
        if wanted in (name, verdict.key, verdict.meaning.lower()):
            return name
    raise UsageError(f"verdict {text!r:.60} is unknown; use one of {', '.join(verdicts)}, or leave it empty")


def is_valid(unit: Unit, verdict: str) -> bool:
    """Return whether a verdict is a pass."""
    return QUESTIONS[unit].verdicts[verdict].valid
