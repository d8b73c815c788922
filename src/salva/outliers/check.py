"""Finds what is wrong with sets: a table of checks, each a function whose docstring is its message.

Errors are certain violations of a rule. Warnings rely on a lexicon or on other files; hints on a model, a
frequency list or the form of a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from salva._types import PathLike
from salva.errors import UsageError
from salva.outliers.checks_across import ACROSS
from salva.outliers.checks_format import FORMAT
from salva.outliers.checks_forms import FORMS
from salva.outliers.checks_language import LANGUAGE
from salva.outliers.checks_model import MODEL
from salva.outliers.checks_notes import NOTES
from salva.outliers.checks_words import WORDS
from salva.outliers.collecting import Source, VectorSource, collect
from salva.outliers.notes import note_paths
from salva.outliers.subjects import Check, Checks, Level, Place, Subject

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


def unknown_code(one: Subject) -> Iterator[Place]:
    """A waiver names a check that does not exist."""
    for code in one.notes.waivers:
        if code not in CHECKS:
            own = code in one.own_notes.waivers
            yield Place(None, None, repr(code), str(note_paths(one.draft.path)[0 if own else 1]))


CHECKS: Checks = {
    **FORMAT,
    **WORDS,
    **LANGUAGE,
    **FORMS,
    **MODEL,
    **ACROSS,
    **NOTES,
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


_MISSING = ("X1", "X2")  # about sets that do not exist; reported at other sets of the topic


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
    if profile not in PROFILES:
        raise UsageError(f"unknown profile {profile!r}; use {', '.join(get_args(Profile))}")
    collection = collect(source, frequencies, vectors, languages)
    codes = {code: CHECKS[code] for code in run_codes(profile, ignore)}
    missing = {code: one for code, one in codes.items() if code in _MISSING}
    return [
        finding
        for subject in collection.subjects
        for finding in _findings(subject, codes if subject.language in collection.wanted else missing)
    ]


def run_codes(profile: Profile, ignore: Iterable[str]) -> list[str]:
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
    counts = Counter("waived" if finding.waived else finding.level for finding in findings)
    return {name: counts[name] for name in (*get_args(Level), "waived")}


def _findings(one: Subject, codes: Mapping[str, tuple[Level, Check]]) -> list[Finding]:
    found = [
        Finding(
            code,
            level,
            place.path or one.draft.path,
            place.line,
            place.word,
            f"{(function.__doc__ or '').rstrip('.')}: {place.detail}",
            one.notes.waives(code, place.word),
        )
        for code, (level, function) in codes.items()
        for place in function(one)
    ]
    return sorted(found, key=lambda finding: finding.line or 0)
