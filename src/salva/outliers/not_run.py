"""Which checks keep silent because an optional package is not installed; nothing here is an error."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.util import find_spec

from salva.outliers.drafts import UNDETERMINED
from salva.outliers.subjects import SOURCE

__all__ = ["NotRun", "not_run"]

# The extra, what it brings, and the checks of other languages than English that need it.
NEEDED: dict[str, tuple[str, tuple[str, ...]]] = {
    "lemmas": ("simplemma", ("L9", "L10")),
    "frequencies": ("wordfreq", ("M1",)),
}


@dataclass(frozen=True, slots=True)
class NotRun:
    """Checks that an extra would add, and the languages that they would be for."""

    extra: str
    codes: tuple[str, ...]
    languages: tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.codes)} in {', '.join(self.languages)} (pip install 'salva[{self.extra}]')"


def not_run(languages: Iterable[str], codes: Collection[str], listed: Collection[str] = ()) -> list[NotRun]:
    """Return what is not run of some checks; `listed` are the languages that have a frequency list given.

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
