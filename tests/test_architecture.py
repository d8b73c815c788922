"""The table of levels in docs/design, held against every import in the package."""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterator
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
    """Return what docs/design/levels.md says is never imported."""
    text = (ROOT / "docs/design/levels.md").read_text("utf-8")
    (rule,) = re.findall(r"^Never imported: (.+?)\.$", text, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`(\w+)`", rule))


BANNED = banned()


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


@functools.cache
def imports_of(path: Path) -> tuple[str, ...]:
    return tuple(imports_in(path))


def imports_in(path: Path) -> Iterator[str]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "salva":
                yield from (f"salva.{alias.name}" for alias in node.names if alias.name != "__version__")
            else:
                yield node.module


def is_allowed(home: str, name: str) -> bool:
    """Return whether a package may import a module."""
    row, top = TABLE[home], name.split(".", maxsplit=1)[0]
    if top == "salva":
        return package_of(name) in row.ours | LEVEL_0 | {home}
    return top not in BANNED and (top in sys.stdlib_module_names or top in row.theirs)


def test_a_module_imports_only_what_the_table_allows():
    found = [(name_of(path), name) for path in MODULES for name in imports_of(path)]
    wrong = [f"{module} imports {name}" for module, name in found if not is_allowed(package_of(module), name)]
    assert wrong == []


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


def makes_code(node: ast.AST) -> bool:
    """Return whether a part of a module makes code from data."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in {"eval", "exec", "compile"}
    return isinstance(node, ast.keyword) and node.arg in {"allow_pickle", "parallel"}


def test_no_code_is_made_from_data():
    wrong = [f"{path}:{node.lineno}" for path in MODULES for node in nodes_of(path) if makes_code(node)]
    assert wrong == []
