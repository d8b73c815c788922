"""Write what the sheets in docs/validity say: the data file that Salva ships, and the table of presets.

`join KEY VERDICTS` prints the lines of a sheet from the key of a blind sheet and the verdicts on it;
docs/validity/README.md describes the format.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from salva._files import parse_toml, read_text
from salva._presets.validity import Reading, describe_validity
from salva._results import as_json
from salva.errors import InputError
from salva.transforms import FAMILIES, PRESETS, preset

ROOT = Path(__file__).parents[1]
SHEETS = ROOT / "docs/validity"
DATA = ROOT / "src/salva/_presets/data/validity.json"
PAGE = ROOT / "docs/transforms.md"
TABLE = re.compile(r"(<!-- presets -->\n).*?(<!-- end presets -->)", re.DOTALL)
BEFORE, AFTER = 160, 120  # the most characters of a text that may be published around an edit
EDIT = ("preset", "rule", "row", "start", "old", "new", "context", "verdict")
VERDICTS = "abcdef"
TWIN = ("preset", "row", "label", "read")


def read_sheets(folder: Path = SHEETS) -> dict[str, list[Reading]]:
    """Return the readings of every preset, in the order of the names of their sheets."""
    readings: dict[str, list[Reading]] = {}
    for about in sorted(folder.glob("*.toml")):
        for name, reading in read_sheet(about):
            readings.setdefault(name, []).append(reading)
    return dict(sorted(readings.items()))


def read_sheet(about: Path) -> Iterator[tuple[str, Reading]]:
    """Yield the presets of a sheet and what was found about them, from its lines or from its counts."""
    facts = parse_toml(about, read_text(about))
    lines, counted = about.with_suffix(".jsonl"), "verdicts" in facts
    if lines.exists() == counted:
        raise InputError.at(about, None, f"needs either counts under [verdicts] or {lines.name}")
    verdicts = facts["verdicts"] if counted else count_verdicts(lines)
    labels = facts.get("labels", {}) if counted else count_twins(lines)
    sheet = about.name if counted else lines.name
    for name in sorted({*verdicts, *labels} & {*facts.get("counted", [*verdicts, *labels])}):
        if name not in facts.get("versions", {}):
            raise InputError.at(about, None, f"[versions] has no {name!r}; give the version that was read")
        unknown = sorted(verdicts.get(name, {}).keys() - {*VERDICTS})
        if unknown:
            problem = f"verdict {unknown[0]!r} is unknown; use one of {', '.join(VERDICTS)}"
            raise InputError.at(lines if lines.exists() else about, None, problem)
        twins = labels.get(name, {"twins": 0, "kept": 0})
        yield (
            name,
            Reading(
                version=str(facts["versions"][name]),
                sheet=sheet,
                sample=facts["sample"],
                date=str(facts["date"]),
                reader=facts["reader"],
                verdicts=dict(sorted(verdicts.get(name, {}).items())),
                twins=twins["twins"],
                labels_kept=twins["kept"],
            ),
        )


def count_verdicts(lines: Path) -> dict[str, Counter[str]]:
    """Return how often each verdict was given, by preset; refuse a line that publishes too much of a text."""
    counts: dict[str, Counter[str]] = {}
    for number, item in read_lines(lines, EDIT):
        before, marked, rest = item["context"].partition("[[")
        edit, closed, after = rest.partition("]]")
        if not marked or not closed or edit != f"{item['old']} => {item['new']}":
            raise InputError.at(lines, number, "context must show the edit as [[old => new]]")
        if len(before) > BEFORE or len(after) > AFTER:
            problem = f"context has more than {BEFORE} characters before or {AFTER} after the edit"
            raise InputError.at(lines, number, problem)
        counts.setdefault(item["preset"], Counter())[item["verdict"]] += 1
    return counts


def count_twins(lines: Path) -> dict[str, dict[str, int]]:
    """Return how many whole twins were read, and how many with the label of their original, by preset."""
    counts: dict[str, dict[str, int]] = {}
    for _, item in read_lines(lines, TWIN):
        known = counts.setdefault(item["preset"], {"twins": 0, "kept": 0})
        known["twins"] += 1
        known["kept"] += item["read"] == item["label"]
    return counts


def read_lines(lines: Path, keys: tuple[str, ...]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines about edits, or those about whole twins, with their numbers."""
    for number, item in read_items(lines):
        kind = TWIN if "read" in item else EDIT
        missing = [key for key in kind if key not in item]
        if missing:
            raise InputError.at(lines, number, f"key {missing[0]!r} is missing")
        if kind == keys:
            yield number, item


def read_items(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSONL file with the numbers of their lines."""
    for number, line in number_lines(path):
        try:
            yield number, json.loads(line)
        except ValueError as error:
            raise InputError.at(path, number, f"is not JSON ({error})") from None


def number_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; only a newline ends one, not the other marks that reviews contain."""
    return ((number, line) for number, line in enumerate(read_text(path).split("\n"), 1) if line)


def join(key: Path, verdicts: Path) -> Iterator[str]:
    """Yield the lines of a sheet: those of a blind sheet's key, each with the verdict on its number."""
    given: dict[int, list[str]] = {}
    for number, line in number_lines(verdicts):
        place, *words = line.split("\t")
        if not place.isdecimal() or not words or words[0] not in [*VERDICTS]:
            raise InputError.at(verdicts, number, "must be a number, a tab and a letter from a to f")
        given[int(place)] = words
    for number, item in read_items(key):
        if item["n"] not in given:
            raise InputError.at(key, number, f"has no verdict in {verdicts.name}")
        verdict, *notes = given[item.pop("n")]
        note = {"note": notes[0]} if notes and notes[0] else {}
        yield json.dumps({**item, "verdict": verdict, **note}, ensure_ascii=False)


def shipped() -> bytes:
    """Return the content of the data file."""
    return as_json({name: list(map(asdict, readings)) for name, readings in read_sheets().items()})


def table() -> str:
    """Return the table of presets, those that keep the meaning first."""
    lines = ["| preset | what it does | validity | render | default severity |", "|---|---|---|---|---|"]
    for family, heading in FAMILIES.items():
        lines.append(f"| **{heading}** | | | | |")
        lines += [
            f"| [`{known.name}`](presets/{known.name}.md) | {known.about.rstrip('.')} "
            f"| {describe_validity(known.validity, str(known.version), known.family)} "
            f"| `{preset(known.name).render}` | {known.severity:g} |"
            for known in PRESETS.values()
            if known.family == family
        ]
    return "\n".join(lines)


def filled(text: str) -> str:
    """Return a page with the table of presets up to date."""
    return TABLE.sub(lambda found: f"{found[1]}{table()}\n{found[2]}", text)


def main() -> None:
    """Write the data file and the table, or print a joined sheet."""
    if sys.argv[1:2] == ["join"]:
        print("\n".join(join(*map(Path, sys.argv[2:4]))))
        return
    DATA.write_bytes(shipped())
    PAGE.write_text(filled(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
