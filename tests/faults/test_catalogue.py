"""The page of faults is what the catalogue says, and every test that it names exists."""

from __future__ import annotations

import ast
import functools
import re

from tests.conftest import ROOT
from tools.write_faults import OUT, list_tests, page, read_catalogue

ITEMS = [*map(str, range(1, 133)), *(f"G{number}" for number in range(1, 28))]
SUITES = [f"S{number}" for number in range(1, 17)]


@functools.cache
def functions_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_page_is_what_the_catalogue_says():
    assert OUT.read_text("utf-8") == page(), "run make docs"


def test_every_test_that_a_row_names_exists():
    named = [test.partition("::") for test in list_tests()]
    assert [f"{path}::{name}" for path, _, name in named if name not in functions_in(path)] == []


def test_every_item_has_a_row_and_150_rows_have_tests():
    rows = [row for section in read_catalogue() for row in section["row"]]
    assert list(dict.fromkeys(row["item"] for row in rows)) == [*ITEMS, *SUITES]
    assert sum("tests" in row for row in rows) >= 150


def test_a_row_has_tests_or_says_why_not():
    rows = [row for section in read_catalogue() for row in section["row"]]
    for row in rows:
        assert row["tried"]
        assert row["sees"]
        assert ("tests" in row) != row["sees"].startswith("does not apply: ") or "code" in row, row
        assert re.fullmatch(r"|\d+(, \d+)*", row.get("code", "")), row
