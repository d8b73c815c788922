"""The table of checks, and `check`, which runs them: each is a function whose docstring is its message.

Errors are certain violations of a rule. Warnings rely on a lexicon or on other files; hints on a model, a
frequency list or the form of a word. The checks of notes are here because one of them reads the table.
"""

from __future__ import annotations

import collections
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Literal, TypeAlias, get_args

from salva._arguments import check_choice
from salva._docstrings import docstring
from salva._types import PathLike
from salva.errors import UsageError
from salva.outliers.checks.collection import (
    Check,
    Checks,
    Level,
    Problem,
    SetFile,
    Source,
    VectorSource,
    collect,
)
from salva.outliers.checks.format import FORMAT
from salva.outliers.checks.lemmas import LEMMAS
from salva.outliers.checks.model import MODEL
from salva.outliers.checks.spelling import SPELLING
from salva.outliers.checks.translations import TRANSLATIONS
from salva.outliers.drafts import ENGLISH, UNDETERMINED
from salva.outliers.notes import note_paths

Profile: TypeAlias = Literal["hamod", "8-8-8", "50-8-8"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem and where it is; a waived finding is kept but does not count."""

    code: str
    level: Level
    path: str
    line: int | None
    word: str | None
    message: str
    waived: bool = False

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.level} {self.code}: {self.message}{' (waived)' if self.waived else ''}"


@dataclass(frozen=True, slots=True)
class MissingChecks:
    """Checks that are not run because an extra is not installed, and the languages they would apply to."""

    extra: str
    codes: tuple[str, ...]
    languages: tuple[str, ...]

    def __str__(self) -> str:
        return f"{', '.join(self.codes)} in {', '.join(self.languages)} (pip install 'salva[{self.extra}]')"


def broken_notes(file: SetFile) -> Iterator[Problem]:
    """The notes next to the set cannot be read and are ignored."""
    if file.note_fault is not None:
        yield Problem(file.note_fault)


def unknown_word(file: SetFile) -> Iterator[Problem]:
    """A note is about a word that is not in the set."""
    notes, words = file.own_notes, {*file.draft.words, "*"}
    waived = [word for waiver in notes.waivers.values() for word in waiver]
    for word in dict.fromkeys([*notes.senses, *notes.adaptations, *waived]):
        if word not in words:
            yield Problem(repr(word), word=word, path=str(note_paths(file.draft.path)[0]))


def unknown_code(file: SetFile) -> Iterator[Problem]:
    """A waiver names a check that does not exist."""
    for code in file.notes.waivers:
        if code not in CHECKS:
            own = code in file.own_notes.waivers
            yield Problem(repr(code), path=str(note_paths(file.draft.path)[0 if own else 1]))


CHECKS: Checks = {
    **FORMAT,
    **SPELLING,
    **LEMMAS,
    **MODEL,
    **TRANSLATIONS,
    "N1": ("error", broken_notes),
    "N2": ("warning", unknown_word),
    "N3": ("warning", unknown_code),
}

# The checks that a profile leaves out. The English sets before HAMOD contain names, plurals and CRLF, and
# their file names have no language.
_BEFORE_HAMOD = frozenset({"F3", "F10", "F11", "W5", "W6", "L2", "L5", "X1", "X2"})
PROFILES: dict[Profile, frozenset[str]] = {
    "hamod": frozenset(),
    "8-8-8": _BEFORE_HAMOD,
    "50-8-8": _BEFORE_HAMOD,
}

_ABOUT_MISSING_SETS = ("X1", "X2")  # reported at other sets of the topic

# The extra, the package it installs, and the checks of languages other than English that need it.
_NEEDED: dict[str, tuple[str, tuple[str, ...]]] = {
    "lemmas": ("simplemma", ("L9", "L10")),
    "frequencies": ("wordfreq", ("M1",)),
}


def check(
    source: Source | Iterable[Source],
    *,
    profile: Profile = "hamod",
    frequencies: PathLike | Mapping[str, PathLike] | None = None,
    vectors: VectorSource | Mapping[str, VectorSource] | None = None,
    languages: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
) -> list[Finding]:
    """Return everything that is wrong with the given sets, files and folders of sets, in their order.

    `languages` limits the findings to these languages; other sets are still used for comparison. Checks in
    `ignore` are not run.

    `frequencies` and `vectors` are for one language; if there are several, pass a mapping from language.
    Vectors are a file, `glove`, or any object that knows similarities. In a folder, a language that some
    topics have and others lack is reported as missing.

    >>> from salva.outliers import WordSet
    >>> pets = WordSet("Pets", "EN", tuple("abcdefg") + ("cats",), tuple("ijklmnop"))
    >>> [str(finding) for finding in check(pets)]
    ["EN-Pets.txt:8: warning L2: A noun is plural although it has a singular: 'cats'; the lemma is 'cat'"]
    """
    check_choice("profile", profile, PROFILES)
    collection = collect(source, frequencies, vectors, languages)
    checks = {code: CHECKS[code] for code in select_codes(profile, ignore)}
    elsewhere = {code: checks[code] for code in _ABOUT_MISSING_SETS if code in checks}
    return [
        finding
        for file in collection.files
        for finding in _run(checks if file.language in collection.languages else elsewhere, file)
    ]


def select_codes(profile: Profile, ignore: Iterable[str]) -> list[str]:
    """Return the codes of the checks in a profile, except the ignored ones."""
    ignored = {code.upper() for code in ignore}
    for code in sorted(ignored - CHECKS.keys()):
        raise UsageError(f"there is no check {code!r}; the checks are {', '.join(CHECKS)}")
    return [code for code in CHECKS if code not in PROFILES[profile] | ignored]


def tally(findings: Iterable[Finding]) -> dict[str, int]:
    """Return the numbers of errors, warnings, hints and waived findings.

    >>> tally([])
    {'error': 0, 'warning': 0, 'hint': 0, 'waived': 0}
    """
    counts = collections.Counter("waived" if finding.waived else finding.level for finding in findings)
    return {name: counts[name] for name in (*get_args(Level), "waived")}


def missing_checks(
    languages: Iterable[str], codes: Collection[str], with_frequencies: Collection[str] = ()
) -> list[MissingChecks]:
    """Return which checks are not run for lack of an extra; this is never an error.

    `with_frequencies` are the languages with a frequency list of the user's own.

    >>> missing_checks(["EN"], ["L9", "M1"])
    []
    """
    others = sorted(set(languages) - {ENGLISH, UNDETERMINED})
    missing = [
        MissingChecks(
            extra,
            tuple(code for code in needing if code in codes),
            tuple(name for name in others if extra != "frequencies" or name not in with_frequencies),
        )
        for extra, (package, needing) in _NEEDED.items()
        if find_spec(package) is None
    ]
    return [checks for checks in missing if checks.codes and checks.languages]


def _run(checks: Mapping[str, tuple[Level, Check]], file: SetFile) -> list[Finding]:
    findings = [
        Finding(
            code,
            level,
            problem.path or file.draft.path,
            problem.line,
            problem.word,
            f"{docstring(function).rstrip('.')}: {problem.detail}",
            file.notes.waives(code, problem.word),
        )
        for code, (level, function) in checks.items()
        for problem in function(file)
    ]
    return sorted(findings, key=lambda finding: finding.line or 0)
