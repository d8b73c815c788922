"""The progress of a collection of sets: topics by languages, each ok, faulty or missing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from salva._types import PathLike
from salva.outliers.check import Finding, Profile, check, tally
from salva.outliers.drafts import name_parts
from salva.outliers.sets import set_files

State: TypeAlias = Literal["ok", "errors", "missing"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One topic in one language."""

    state: State
    errors: int = 0
    warnings: int = 0
    hints: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """All topics by all languages, both in alphabetical order."""

    languages: tuple[str, ...]
    topics: dict[str, dict[str, Cell]]

    def totals(self) -> dict[str, dict[State, int]]:
        """Return how many sets of each language are in each state."""
        states: tuple[State, ...] = ("ok", "errors", "missing")
        return {
            language: {
                state: sum(cells[language].state == state for cells in self.topics.values())
                for state in states
            }
            for language in self.languages
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"languages": list(self.languages), "totals": self.totals(), "topics": asdict(self)["topics"]}


def status(
    folder: PathLike, *, languages: Collection[str] | None = None, profile: Profile = "hamod"
) -> Status:
    """Return the progress of the sets in a folder.

    The languages are the given ones, or all that any topic has. A set is ok if `check` finds no error in it
    except waived ones.
    """
    places: dict[tuple[str, str], list[Finding]] = {name_parts(path): [] for path in set_files(folder)}
    for finding in check(folder, profile=profile):
        if Path(finding.path).suffix == ".txt":
            places.get(name_parts(finding.path), []).append(finding)
    wanted = {one.upper() for one in languages} if languages else {language for _, language in places}
    names = tuple(sorted(wanted))
    topics = sorted({topic for topic, _ in places})
    return Status(
        names,
        {topic: {one: _cell(places.get((topic, one))) for one in names} for topic in topics},
    )


def _cell(findings: list[Finding] | None) -> Cell:
    if findings is None:
        return Cell("missing")
    counts = tally(findings)
    state: State = "errors" if counts["error"] else "ok"
    return Cell(state, counts["error"], counts["warning"], counts["hint"])
