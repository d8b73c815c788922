"""The registries and walks in docs/design exist; each step is named in an earlier file; files are counted.

A walk is a section that begins with `## Walk: what (5 files)`. Each of its steps is a numbered line that
begins with a name of the package: 1. `rows.rows.open_rows` opens the file.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import salva
from tests.conftest import ROOT

SOURCE = Path(salva.__file__).parent
HEADING = re.compile(r"## Walk: (.+) \((\d+) files\)\n")


class Walk(NamedTuple):
    title: str
    files: int
    steps: list[str]


class Step(NamedTuple):
    module: ModuleType
    names: list[str]


def read_walks() -> list[Walk]:
    walks = []
    for page in sorted((ROOT / "docs/design").glob("*.md")):
        for section in re.split(r"^(?=## )", page.read_text("utf-8"), flags=re.M):
            if section.startswith("## Walk"):
                heading = HEADING.match(section)
                assert heading, f"{page.name}: a heading must be ## Walk: what (5 files)"
                steps = re.findall(r"^\d+\. (\S+)", section, re.M)
                walks.append(Walk(heading[1], int(heading[2]), [step.strip("`") for step in steps]))
    return walks


def find_step(step: str) -> Step:
    """Return the module of a step, and the names inside it."""
    parts = step.split(".")
    for size in range(len(parts), 0, -1):
        path = SOURCE.joinpath(*parts[:size])
        if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file():
            return Step(importlib.import_module(".".join(["salva", *parts[:size]])), parts[size:])
    raise AssertionError(f"{step}: no such module")


WALKS = read_walks()
each_walk = pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.title)


def test_the_design_has_walks():
    assert WALKS


def load(step: str) -> object:
    """Return what a step names."""
    value, names = find_step(step)
    for name in names:
        assert hasattr(value, name), f"{step}: no such name"
        value = getattr(value, name)
    return value


def test_every_registry_in_the_design_is_a_dict():
    page = (ROOT / "docs/design/README.md").read_text("utf-8")
    registries = re.findall(r"^\| [^|]+ \| `([\w.]+)` \|", page, re.M)
    assert registries
    assert all(isinstance(load(registry), dict) for registry in registries)


@each_walk
def test_every_step_of_a_walk_exists(walk):
    for step in walk.steps:
        load(step)


@each_walk
def test_every_step_of_a_walk_is_named_in_the_file_of_an_earlier_one(walk):
    earlier = ""
    for step in walk.steps:
        module, names = find_step(step)
        assert not earlier or any(re.search(rf"\b{name}\b", earlier) for name in names), step
        earlier += Path(module.__file__).read_text("utf-8")


@each_walk
def test_a_walk_counts_its_files(walk):
    assert walk.files == len({find_step(step).module for step in walk.steps})
