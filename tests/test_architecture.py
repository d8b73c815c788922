"""The table of levels in docs/design, held against every import in the package."""

from __future__ import annotations

import ast
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import salva
from tests.conftest import ROOT

SOURCE = Path(salva.__file__).parent


class Row(NamedTuple):
    level: str
    ours: set[str]
    theirs: set[str]


def table() -> dict[str, Row]:
    """Return what docs/design/levels.md says of every package."""
    rows = {}
    for line in (ROOT / "docs/design/levels.md").read_text("utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| level"):
            level, package, _, ours, theirs = (cell.strip() for cell in line.strip("|").split("|"))
            rows[package.strip("`")] = Row(
                level, set(re.findall(r"`(\w+)`", ours)), set(theirs.split(", ")) - {""}
            )
    return rows


TABLE = table()
LEVEL_0 = {package for package, row in TABLE.items() if row.level == "0"}
# The doors of the package import nothing but what they open.
TABLE |= {"__main__": Row("door", {"cli"}, set()), "": Row("door", set(TABLE), set())}
MODULES = sorted(SOURCE.rglob("*.py"))


def banned() -> set[str]:
    """Return what docs/design/levels.md says is never imported; numba's cache alone uses pickle, hidden."""
    text = (ROOT / "docs/design/levels.md").read_text("utf-8")
    (rule,) = re.findall(r"^Never imported: (.+?)\.$", text, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`(\w+)`", rule))


BANNED = banned()


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def imports_of(path: Path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "salva":
                yield from (f"salva.{alias.name}" for alias in node.names if alias.name != "__version__")
            else:
                yield node.module


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_what_the_table_allows(path):
    home = package_of(name_of(path))
    row = TABLE[home]
    for name in imports_of(path):
        top = name.split(".")[0]
        if top == "salva":
            assert package_of(name) in row.ours | LEVEL_0 | {home}, f"{home} imports {name}"
        elif top not in sys.stdlib_module_names:
            assert top in row.theirs, f"{home} imports {name}"
        assert top not in BANNED, f"{home} imports {name}"


@pytest.mark.parametrize("package", [package for package, row in TABLE.items() if row.level != "door"])
def test_the_table_allows_nothing_that_is_not_used(package):
    names = {name for path in MODULES if package_of(name_of(path)) == package for name in imports_of(path)}
    assert TABLE[package].ours <= {package_of(name) for name in names if name.startswith("salva.")}
    assert TABLE[package].theirs <= {name.split(".")[0] for name in names}


def test_there_is_no_import_cycle():
    known = {name_of(path) for path in MODULES}
    graph = {name_of(p): {n for n in imports_of(p) if n in known and n != name_of(p)} for p in MODULES}
    graph["salva"] = set()  # its imports are for type checkers; names load on first use
    tuple(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_code_is_made_from_data(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec", "compile"}, f"{path}:{node.lineno}"
        if isinstance(node, ast.keyword):
            assert node.arg not in {"allow_pickle", "parallel"}, f"{path}:{node.lineno}"
