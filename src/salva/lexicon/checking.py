"""Check a file of synonym groups or of pairs, whichever it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from salva._files import read_text
from salva._types import PathLike
from salva.lexicon.findings import Finding, Level, run_checks
from salva.lexicon.groups import GROUP_CHECKS, check_groups, read_groups
from salva.lexicon.pair_checks import LINE_CHECKS, PAIR_CHECKS, check_pairs
from salva.lexicon.pairs import parse_pairs


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """How many groups or pairs a file has, and what is wrong with them."""

    path: str
    kind: Literal["group", "pair"]
    size: int
    findings: tuple[Finding, ...]

    def count(self, level: Level) -> int:
        """Return the number of findings of a level."""
        return sum(finding.level == level for finding in self.findings)


CHECKS: dict[str, tuple[Level, Callable[[Any, Any], Iterator[str]]]] = {
    **GROUP_CHECKS,
    **LINE_CHECKS,
    **PAIR_CHECKS,
}


def check_file(path: PathLike) -> CheckedFile:
    """Check a file of groups, which is TOML, or of pairs, which has one per line."""
    if is_toml(path):
        groups = read_groups(path)
        return CheckedFile(os.fspath(path), "group", len(groups), tuple(check_groups(groups)))
    pairs, faults = parse_pairs(read_text(path))
    unread = run_checks(LINE_CHECKS, faults, None)
    findings = sorted([*unread, *check_pairs(pairs)], key=lambda finding: finding.line)
    return CheckedFile(os.fspath(path), "pair", len(pairs), tuple(findings))


def is_toml(path: PathLike) -> bool:
    """Return whether the name of a file or, failing that, its first line of content is that of TOML."""
    if Path(path).suffix == ".toml":
        return True
    lines = (line.strip() for line in read_text(path).split("\n"))
    return next((line for line in lines if line and not line.startswith("#")), "").startswith("[")
