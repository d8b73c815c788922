"""Which checks are not run because an optional package is not installed; this is never an error."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.util import find_spec

from salva.outliers.drafts import UNDETERMINED
from salva.outliers.subjects import SOURCE

# The extra, the package it installs, and the checks of languages other than English that need it.
NEEDED: dict[str, tuple[str, tuple[str, ...]]] = {
    "lemmas": ("simplemma", ("L9", "L10")),
    "frequencies": ("wordfreq", ("M1",)),
}


@dataclass(frozen=True, slots=True)
class NotRun:
    """Checks that an extra would add, and the languages they would apply to."""

    extra: str
    codes: tuple[str, ...]
    languages: tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.codes)} in {', '.join(self.languages)} (pip install 'salva[{self.extra}]')"


def not_run(languages: Iterable[str], codes: Collection[str], listed: Collection[str] = ()) -> list[NotRun]:
    """Return which of some checks are not run; `listed` are the languages with a given frequency list.

    >>> not_run(["EN"], ["L9", "M1"])
    []
    """
    others = sorted(set(languages) - {SOURCE, UNDETERMINED})
    found = [
        NotRun(
            extra,
            tuple(code for code in needing if code in codes),
            tuple(one for one in others if extra != "frequencies" or one not in listed),
        )
        for extra, (package, needing) in NEEDED.items()
        if find_spec(package) is None
    ]
    return [one for one in found if one.codes and one.languages]
