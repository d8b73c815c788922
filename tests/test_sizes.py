"""Small files, short functions: the limits of the style."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import ROOT

FOLDERS = ("src", "tests", "tools", "benchmarks", "examples")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_has_at_most_400_lines_and_a_function_50(path):
    text = path.read_text("utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            size = node.end_lineno - body[0].lineno + 1 if body else 0
            assert size <= 50, f"{path}:{node.lineno} {node.name} has {size} lines"
