"""Write docs/faults.md: what was tried, what the user sees, and the tests that hold it: `make docs`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CATALOGUE = ROOT / "tests/faults/catalogue.toml"
OUT = ROOT / "docs/faults.md"
BAR = r"\|"  # inside a cell
HEAD = """# Bad inputs and faults

Made by `make docs` from `tests/faults/catalogue.toml`. Each row is an input or a fault that was tried, what
the user sees, the exit code, and the tests that hold it; a test checks that they exist. {tried} inputs and
faults have tests, {tests} in all, most with several cases. {absent} do not apply; the reason is given.

[Reliability](design/reliability.md) explains how faults are made to happen at every write. `make faults` runs
all of them.
"""


def read_catalogue() -> list[dict[str, Any]]:
    """Return the sections, each with a title and its rows."""
    sections: list[dict[str, Any]] = tomllib.loads(CATALOGUE.read_text("utf-8"))["section"]
    return sections


def list_tests() -> list[str]:
    """Return every test that a row names, once."""
    rows = (row for section in read_catalogue() for row in section["row"])
    return sorted({test for row in rows for test in row.get("tests", ())})


def write_row(row: Mapping[str, Any]) -> str:
    """Return a line of the table."""
    tests = "<br>".join(f"`{test.removeprefix('tests/')}`" for test in row.get("tests", ()))
    cells = (row["item"], row["tried"], row["sees"], row.get("code", ""), tests)
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


def sections() -> Iterator[str]:
    """Yield a heading and a table per section."""
    for section in read_catalogue():
        lines = [write_row(row) for row in section["row"]]
        head = "| item | what was tried | what the user sees | exit code | tests |\n|---|---|---|---|---|"
        yield f"## {section['title']}\n\n{head}\n" + "\n".join(lines) + "\n"


def page() -> str:
    """Return the whole page."""
    rows = [row for section in read_catalogue() for row in section["row"]]
    tried = [row for row in rows if "tests" in row]
    head = HEAD.format(tried=len(tried), tests=len(list_tests()), absent=len(rows) - len(tried))
    return "\n".join([head, *sections()])


if __name__ == "__main__":
    OUT.write_text(page(), "utf-8")
