"""Plain English: turns of phrase that made readers stop; CONTRIBUTING says what to write instead."""

from __future__ import annotations

import re

from tests.conftest import ROOT

_FOLDERS = ("src", "docs", "tools", "benchmarks", "examples")
_SUFFIXES = {".py", ".md", ".html", ".js", ".toml"}
FILES = sorted(
    path
    for folder in _FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in _SUFFIXES and path.is_file()
)
FILES += sorted(ROOT.glob("*.md"))

COUNTS = r"(?:an?|once|one|two|three|four|eight|\d[\d.,]*(?: ?(?:ns|µs|ms|s|kB|MB))?)"
# Words that make a clause of what is around them: "a word of a line" is English, "a word a line" is not.
LINKS = """
    a after an and as at be becomes begins but by for from gets gives has have if in into is like
    may means not of on or over per takes than that the times to under was when where which whose
    with
"""
UNITS = """
    adapter answer batch block byte call category cell character chunk class column condition
    document edit exercise file format function group kernel key kind label language letter line
    machine megabyte minute model name page pair part planner preset process question reader record
    resample row run second seed sentence set severity side source step test text token topic type
    unit user vector word worker writer year
"""
NOT_THERE = r"(?<!there )(?<!There )"
LINK, UNIT = (f"(?:{'|'.join(words.split())})" for words in (LINKS, UNITS))

# What to write, and what not to write.
BANNED = {
    "one X per Y": rf"\b{COUNTS} (?!{LINK}\b)[a-z][a-z-]* an? (?:[a-z]+ )?{UNIT}\b",
    "one per Y": rf"\b(?:one|once) an? (?:[a-z]+ )?{UNIT}\b",
    "is not a X": rf"{NOT_THERE}\b(?:is|are|was|were) no (?!longer|more|less|better|worse)[\w`'\"{{]",
    "is not a X, or has none": rf"{NOT_THERE}\b(?:is|are|was|were) none\b(?! of)",
    "what identifies X": r"\b[Bb]y what an? ",
    "again": r"\banew\b",
    "by default": r"\b(?:if|unless|where) (?:not )?said\b",
    "differently from": r"\botherwise than\b",
}


def test_no_banned_turn_of_phrase():
    found = [
        f"{path.relative_to(ROOT)}:{number}: write {better!r} instead of {match[0]!r}"
        for path in FILES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        for better, pattern in BANNED.items()
        for match in re.finditer(pattern, line)
    ]
    assert not found, "\n".join(found)
