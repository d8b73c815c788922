"""What tests of audits share: a run, and sheets filled in by a rule."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from salva.audit import Sheet, write_sheet
from salva.rows import reviews
from tests.evaluation.keywords import classify
from tests.evaluation.running import run as run_on

TEXTS = [f"A good movie, number {number}. I've seen it." for number in range(12)]


def filled(sheet: Sheet, path: Path, judge, **more: str) -> Path:
    """Write a sheet as csv, with the verdict that a function gives for each item."""
    write_sheet(sheet, path)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row |= {"verdict": judge(int(row["item"])), **more}
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """The folder of a run over bundled reviews, under two severities of one preset."""
    folder = tmp_path_factory.mktemp("audit") / "run"
    table = reviews("test").slice(0, 120)
    run_on(table, classify, presets=["hybrid"], severities=(0.5, 1.0), out=folder)
    return folder
