"""What a task says about contrasts: where they may edit, and which answer is the opposite of which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from salva.errors import UsageError

AIMS = ("anywhere", "answer")


@dataclass(frozen=True, kw_only=True)
class ContrastRules:
    """The rules in `[contrast]`.

    With `aim = "answer"`, contrasts edit the right answer where the text has it, so that the new right answer
    follows from the edit. `opposites` are answers that a negation or an antonym turns into one another.
    """

    aim: str = "anywhere"
    opposites: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.aim not in AIMS:
            raise UsageError(f"contrast.aim = {self.aim!r:.60} must be one of {', '.join(AIMS)}")
        object.__setattr__(self, "opposites", both_ways(self.opposites))


def both_ways(opposites: Mapping[str, str]) -> dict[str, str]:
    """Return opposites in both directions; refuse a name that has two.

    >>> both_ways({"yes": "no"})
    {'yes': 'no', 'no': 'yes'}
    """
    found: dict[str, str] = {}
    for one, other in opposites.items():
        for name, opposite in ((one, other), (other, one)):
            if not isinstance(opposite, str) or found.get(name, opposite) != opposite or name == opposite:
                raise UsageError(f"{name!r:.60} must have exactly one other name as its opposite")
            found[name] = opposite
    return found
