"""Answers that are numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal

from salva._arguments import check_number
from salva.tasks.kind import Kind
from salva.tasks.options import Options

_NUMBER = re.compile(r"[-+−]?[$€£]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d{1,3}(?!\d))?")  # noqa: RUF001
_FINAL = re.compile(r"(?i)####|\\boxed\{|\banswer(?:\s+is)?\s*[:=]?")
_EXACT = Context(prec=400)
_LONGEST = 300  # characters of a number
_LARGE = 30  # digits of a number that is written out


@dataclass(frozen=True, kw_only=True)
class Number(Kind):
    """A number: the first after an announcement such as `####` or "the answer is", or else the last.

    Commas separate thousands. An answer is right within `tolerance` of the target.
    """

    tolerance: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("tolerance", self.tolerance, 0, 1e300)

    def parse(self, text: str, options: Options) -> str | None:
        """Return the number in a text, without thousands separators and superfluous zeros."""
        announced = [match.end() for match in _FINAL.finditer(text)]
        after = _NUMBER.search(text, announced[-1]) if announced else None
        found = after or next(reversed(list(_NUMBER.finditer(text))), None)
        if found is None or len(found[0]) > _LONGEST:
            return None
        plain = re.sub("[$€£,+]", "", found[0]).replace("−", "-")  # noqa: RUF001
        value = Decimal(plain).normalize(_EXACT)
        if not value:
            return "0"
        return format(value, "f") if abs(value.adjusted()) < _LARGE else str(value)

    def score(self, answer: str, target: str) -> float:
        """Return 1 within the tolerance, 0 beyond."""
        return float(abs(Decimal(answer) - Decimal(target)) <= Decimal(self.tolerance))
