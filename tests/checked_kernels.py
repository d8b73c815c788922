"""With `-p tests.checked_kernels`, tests use the kernels of `make checked`, which check every index."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

NAME = "salva._kernels._compiled"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Put the checked extension where the package looks for its own, before anything imports that."""
    assert NAME not in sys.modules
    (path,) = Path(__file__).parents[1].glob("build/checked/salva/_kernels/_compiled.*")
    spec = importlib.util.spec_from_file_location(NAME, path)
    sys.modules[NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[NAME])
