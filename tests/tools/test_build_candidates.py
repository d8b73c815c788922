"""Candidates: the shipped file is what the tool makes of the shipped pairs and the verdicts."""

from __future__ import annotations

from tools.build_candidates import build
from tools.tables import DATA


def test_the_shipped_candidates_are_those_that_the_tool_makes():
    assert (DATA / "candidates.txt").read_text("utf-8") == build()
