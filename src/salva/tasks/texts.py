"""Free answers, and the ways to compare them with an accepted one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from salva._arguments import check_choice, check_number
from salva.tasks.kind import Kind
from salva.tasks.options import Options
from salva.tasks.replies import find_phrases, normalised


def equal(answer: str, target: str) -> float:
    """Return 1 for the same text."""
    return float(answer == target)


def contains(answer: str, target: str) -> float:
    """Return 1 if the target occurs in the answer as whole words.

    >>> contains("it is paris", "paris"), contains("parisian", "paris")
    (1.0, 0.0)
    """
    return float(bool(find_phrases([target], answer)))


def token_f1(answer: str, target: str) -> float:
    """Return the harmonic mean of the shares of words that the two have in common, as SQuAD has it.

    >>> token_f1("eiffel tower paris", "eiffel tower")
    0.8
    """
    ours, theirs = Counter(answer.split()), Counter(target.split())
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total()) if common else float(ours == theirs)


TEXT_SCORES: dict[str, Callable[[str, str], float]] = {
    "exact": equal,
    "normalised": equal,
    "contains": contains,
    "f1": token_f1,
}


@dataclass(frozen=True, kw_only=True)
class Text(Kind):
    """A free answer: `compare` says how it is compared with the accepted ones."""

    compare: str = "normalised"
    right_from: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("compare", self.compare, TEXT_SCORES)
        check_number("right_from", self.right_from, 0, 1)

    @property
    def is_graded(self) -> bool:
        """Token F1 has values between 0 and 1."""
        return self.compare == "f1"

    def parse(self, text: str, options: Options) -> str | None:
        """Return the text in the form in which it is compared."""
        plain = " ".join(text.split())
        return plain if self.compare == "exact" else normalised(plain) or plain.casefold() or None

    def score(self, answer: str, target: str) -> float:
        """Return what the chosen comparison gives."""
        return TEXT_SCORES[self.compare](answer, target)
