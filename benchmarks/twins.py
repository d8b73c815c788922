"""Twins compared with plain Python: interpreting lines and generating a full corpus, as ratios in one run.

    python benchmarks/twins.py [LINES]

The plain versions are the slow reference implementations from the tests: a recursive interpreter on list
slices, and the generator's recipe with trees as lists, strings in a set and draws from `random`. Both do the
same work as Salva, text in and text out, including writing files. They take turns, and medians are reported;
the plain generator runs only once, because it takes a minute. The lines are the official ones in `../shared`
if they are there, else generated.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from publish import ROOT, publish
from salva.twins import generate, generate_lines, interpret_lines
from salva.twins.pcfg.generator import LINES, SPLITS, split_sizes
from salva.twins.pcfg.official import official
from salva.twins.pcfg.sampling import SYMBOLS, divide, make_symbols
from timing import seconds

OFFICIAL = ROOT.parent / "shared/data/pcfgset"
TURNS = 7


def slow(name: str) -> Any:
    """Return a slow reference implementation from the tests."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    return importlib.import_module(f"tests.reference.{name}")


def official_lines() -> list[str]:
    """Return all official lines that are available, or as many generated ones."""
    found = sorted(OFFICIAL.rglob("*.src"))
    lines = [line for path in found for line in path.read_text("utf-8").splitlines()]
    return lines or generate_lines(54_581)


def medians(*works: Callable[[], object]) -> list[float]:
    """Return the median time of each, measured alternately."""
    turns = [[seconds(work) for work in works] for _ in range(TURNS)]
    return [statistics.median(times) for times in zip(*turns, strict=True)]


def interpreting() -> list[str]:
    """Return the row about interpreting lines."""
    lines = official_lines()
    plain = slow("pcfg").interpret
    if interpret_lines(lines) != [plain(line) for line in lines]:
        raise AssertionError("the two interpreters differ")
    ours, theirs = medians(lambda: interpret_lines(lines), lambda: [plain(line) for line in lines])
    measured = f"{theirs / ours:.1f} times as fast ({len(lines) / ours / 1e6:.2f} M lines/s)"
    return [f"{len(lines):,} lines interpreted", "a recursive interpreter on list slices", measured, "≥ 5"]


def plain_corpus(folder: Path, lines: int) -> None:
    """Generate a corpus in plain Python and write it."""
    module = slow("pcfg_generator")
    cells = official().cells
    parts = [divide(size, cells) for size in split_sizes(lines).values()]
    wanted = {cell: sum(part[cell] for part in parts) for cell in cells}
    recipe = module.Recipe(make_symbols(SYMBOLS), dict(official().strings), 0, module.any_draw)
    made = module.all_lines(recipe, wanted, {cell: group for group, cell in enumerate(wanted)})
    splits = module.split(recipe, made, [list(part.values()) for part in parts])
    for name, split in zip(SPLITS, splits, strict=True):
        (folder / f"{name}.src").write_text("".join(f"{line.source}\n" for line in split), "utf-8")
        (folder / f"{name}.tgt").write_text("".join(f"{line.target}\n" for line in split), "utf-8")


def generating(lines: int) -> list[list[str]]:
    """Return the rows about a corpus: its time, and its distances from the official test set."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write = partial(generate, place / "ours", lines=lines, overwrite=True)
        corpus = write()
        ours = statistics.median(seconds(write) for _ in range(3))
        theirs = seconds(lambda: plain_corpus(place, lines))
    measured = f"{theirs / ours:.0f} times as fast ({ours:.1f} s)"
    rows = [[f"`generate` of {lines:,} lines", "the recipe in plain Python", measured, "≥ 5"]]
    for name in dict.fromkeys(one.measure for one in corpus.distances):
        some = [one for one in corpus.distances if one.measure == name]
        found = ", ".join(f"{one.split} {one.distance:.4f}" for one in some)
        against = "the official test set, total variation distance"
        shown = name.replace("joint_depth_length", "depth_and_length_together").replace("_", " ")
        rows.append([f"its {shown}", against, found, f"≤ {some[0].tolerance:.4f}"])
    return rows


def main() -> None:
    """Measure and publish."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    table = [interpreting(), *generating(lines)]
    publish("twins", ["what", "against", "measured", "bar"], table)


if __name__ == "__main__":
    main()
