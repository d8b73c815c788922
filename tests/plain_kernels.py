"""With `-p tests.plain_kernels`, tests use the kernels as Python runs them, uncompiled.

Arrays become memoryviews, whose elements are Python's own integers: nothing overflows without a mask, and a
number that does not fit into an array raises an error.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import types
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

NAME = "salva._kernels._compiled"
ROOM = Path(__file__).parents[1] / "src/salva/_kernels"
SOURCES = sorted(ROOM.glob("[!_]*.py"))


def takes_views(function):
    """Return a function that takes arrays as memoryviews."""

    @functools.wraps(function)
    def call(*arguments, **options):
        return function(*map(view, arguments), **{name: view(value) for name, value in options.items()})

    return call


def view(value):
    return memoryview(value) if isinstance(value, np.ndarray) else value


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Import the kernels uncompiled, and put their names where those of the extension would be."""
    assert NAME not in sys.modules
    stand_in = sys.modules[NAME] = types.ModuleType(NAME)
    stand_in.built_from = crc32(b"".join(path.read_bytes() for path in [ROOM / "_compiled.pyx", *SOURCES]))
    package = importlib.import_module("salva._kernels")
    for path in SOURCES:
        module = importlib.import_module(f"salva._kernels.{path.stem}")
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) == module.__name__ != "salva._kernels.constants":
                given = value if inspect.isclass(value) else takes_views(value)
                if given is value:
                    value.__init__ = takes_views(value.__init__)
            elif isinstance(value, bytes):
                given = value
            else:
                continue
            setattr(package, name, given)
            setattr(stand_in, name, given)
