"""Small files, short functions: the limits of the style."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

FOLDERS = ("src", "tests", "tools", "benchmarks", "examples")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def faults(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    if text.count("\n") > 400:
        yield f"{path} has {text.count(chr(10))} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            size = node.end_lineno - body[0].lineno + 1 if body else 0
            if size > 50:
                yield f"{path}:{node.lineno} {node.name} has {size} lines"


def test_a_file_has_at_most_400_lines_and_a_function_50():
    assert [fault for path in FILES for fault in faults(path)] == []
