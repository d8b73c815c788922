"""Docstrings that are shown to users: messages of checks, descriptions of presets, help of commands."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from typing import Any


def docstring(thing: Any) -> str:
    """Return the docstring of a function or class, also if Python was told to leave docstrings out (-OO).

    >>> docstring(docstring).partition(",")[0]
    'Return the docstring of a function or class'
    """
    if sys.flags.optimize < 2:
        return inspect.getdoc(thing) or ""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)  # noqa: S101
    return ast.get_docstring(definition) or ""
