"""When two answers are the same, and when an answer is right: five rules, each with its normalisation.

A comparator turns every answer into a form. Two answers are the same if their forms are equal, and an answer
is right if its form equals that of the target. A user's own function compares two answers itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from salva.errors import ModelError, UsageError
from salva.twins.pair import TwinPair

Same: TypeAlias = Callable[[str, str], bool]
_ACCEPTED = "\0accepted"  # differs from every other form: these contain no control characters
AROUND = " \t\r\n*\"'`“”‘’«»"  # noqa: RUF001 - what models put around an answer


def spaced(answer: str) -> str:
    r"""Return an answer with every run of white space reduced to one blank, and none at the ends.

    >>> spaced(" A1  B2\t\n")
    'A1 B2'
    """
    return " ".join(answer.split())


def _fold(answer: str) -> str:
    """Return only the letters and digits of an answer, case-folded, with compatibility forms unified."""
    plain = unicodedata.normalize("NFKC", answer).casefold()
    return " ".join(re.findall(r"[^\W_]+", plain))


def _fold_label(answer: str) -> str:
    return spaced(answer).strip(AROUND).rstrip(".").strip(AROUND).casefold()


@dataclass(frozen=True, slots=True)
class Comparator:
    """A rule for comparing answers; `form` takes the answer and the kind of its pair."""

    name: str
    says: str
    form: Callable[[str, str], str]
    same: Same | None = None
    accepts: frozenset[str] = frozenset()

    def target(self, pair: TwinPair, *, twin: bool = False) -> str | None:
        """Return the form of a right answer to one side of a pair; None if the target is unknown."""
        if pair.kind in self.accepts:
            return f"{_ACCEPTED} {pair.kind}"
        text = pair.twin_target if twin else pair.target
        return self.form(text, pair.kind) if text.strip() else None

    def equal(self, a: str, b: str) -> bool:
        """Return whether two forms are the same."""
        if self.same is None or a == b:
            return a == b
        return _call(self.same, self.name, a, b)


COMPARATORS: dict[str, Comparator] = {
    comparator.name: comparator
    for comparator in (
        Comparator(
            "exact",
            "character by character; a run of white space counts as one blank, at the ends as nothing",
            lambda answer, _: spaced(answer),
        ),
        Comparator(
            "normalised",
            "letters and digits only: NFKC, no case, no punctuation, one blank between words",
            lambda answer, _: _fold(answer),
        ),
        Comparator(
            "label", "without case, quotes, asterisks and a final stop", lambda answer, _: _fold_label(answer)
        ),
    )
}


def accepted_outputs(outputs: Mapping[str, Sequence[str]]) -> Comparator:
    """Return the comparator for accepted outputs, given the outputs for each kind of pair.

    An answer that contains one of them, word by word and normalised, is right, and the same as any other
    answer of that kind that does. So a free translation is judged only by its translation of the synonym.
    Kinds without accepted outputs are compared as `normalised`.

    >>> rule = accepted_outputs({"football/soccer": ["voetbal"]})
    >>> rule.form("Hij houdt van Voetbal.", "football/soccer") == rule.form("voetbal!", "football/soccer")
    True
    """
    forms = {kind: tuple(filter(None, map(_fold, accepted))) for kind, accepted in outputs.items()}

    def form(answer: str, kind: str) -> str:
        folded = _fold(answer)
        is_accepted = any(f" {output} " in f" {folded} " for output in forms.get(kind, ()))
        return f"{_ACCEPTED} {kind}" if is_accepted else folded

    kinds = frozenset(kind for kind, accepted in forms.items() if accepted)
    return Comparator(
        "accepted", "an accepted output occurs among the words, normalised", form, accepts=kinds
    )


def own_function(same: Same, name: str = "own") -> Comparator:
    """Return a comparator that calls a function of two answers to decide whether they are the same.

    >>> own_function(lambda a, b: a[0] == b[0]).equal("A1 B2", "A1 C3")
    True
    """
    return Comparator(name, "as the function decides", COMPARATORS["exact"].form, same)


def find_comparator(
    spec: str | Comparator | Same, accepted: Mapping[str, Sequence[str]] | None = None
) -> Comparator:
    """Return a comparator by name: exact, normalised, label, accepted, or python:MODULE:FUNCTION.

    A function of two answers is accepted as well.
    """
    if isinstance(spec, Comparator):
        return spec
    if callable(spec):
        return own_function(spec, getattr(spec, "__name__", "own"))
    if not isinstance(spec, str):
        raise UsageError(
            f"compare={spec!r:.80} must be the name of a comparator or a function of two answers"
        )
    if spec == "accepted":
        if not accepted or not any(accepted.values()):
            raise UsageError("comparator 'accepted' needs accepted outputs; give a table with a third column")
        return accepted_outputs(accepted)
    if spec.startswith("python:"):
        from salva.models import load_function

        return own_function(load_function(spec), spec)
    if spec not in COMPARATORS:
        names = ", ".join([*COMPARATORS, "accepted", "python:MODULE:FUNCTION"])
        raise UsageError(f"comparator {spec!r} is unknown; expected one of {names}")
    return COMPARATORS[spec]


def _call(same: Same, name: str, a: str, b: str) -> bool:
    try:
        return bool(same(a, b))
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise ModelError(f"comparator {name!r} failed on {a!r:.80} and {b!r:.80}: {problem:.200}") from error
