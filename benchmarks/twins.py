"""PCFG SET: how long lines and a corpus with both conditions take, and how far it is from the official one.

    python benchmarks/twins.py [LINES]

The lines to interpret are the official ones in `../shared` if they are there, else generated.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from publish import ROOT, publish
from salva.twins import generate_lines, interpret_lines
from salva.twins.pcfg.conditions import make_corpora
from salva.twins.pcfg.generator import LINES, Corpus, CorpusShape
from timing import seconds

OFFICIAL = ROOT.parent / "shared/data/pcfgset"
TURNS = 3


def official_lines() -> list[str]:
    """Return all official lines that are available, or as many generated ones."""
    found = sorted(OFFICIAL.rglob("*.src"))
    lines = [line for path in found for line in path.read_text("utf-8").splitlines()]
    return lines or generate_lines(54_581)


def interpreting() -> list[str]:
    """Return the row about interpreting lines."""
    lines = official_lines()
    taken = statistics.median(seconds(lambda: interpret_lines(lines)) for _ in range(TURNS))
    return [f"{len(lines):,} lines interpreted", f"{len(lines) / taken:,.0f} lines per second", ""]


def generating(lines: int) -> list[list[str]]:
    """Return the rows about a corpus: its time, and its distances from the official test set."""
    shape = CorpusShape(lines=lines, depth=None, length=None, alphabet=None, string_sizes=None)
    made: list[Corpus] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        taken = seconds(lambda: made.append(make_corpora(place / "made", corpus=shape)[0]))
    rows = [[f"a corpus of {lines:,} lines and both conditions", f"{taken:.0f} s", "≤ 120 s"]]
    for name in dict.fromkeys(one.measure for one in made[0].distances):
        some = [one for one in made[0].distances if one.measure == name]
        found = ", ".join(f"{one.split} {one.distance:.4f}" for one in some)
        shown = name.replace("joint_depth_length", "depth_and_length_together").replace("_", " ")
        rows.append([f"its {shown}, total variation distance", found, f"≤ {some[0].tolerance:.4f}"])
    return rows


def main() -> None:
    """Measure and publish."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    publish("twins", ["what", "measured", "bar"], [interpreting(), *generating(lines)])


if __name__ == "__main__":
    main()
