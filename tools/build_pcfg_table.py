"""Write the distributions of the official PCFG SET test set that ship with `salva.twins`.

    python tools/build_pcfg_table.py STATS OUT

STATS is `stats.json`, computed from the files of i-machine-think/am-i-compositional (MIT).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def table(stats: dict[str, Any]) -> dict[str, Any]:
    """Return what the generator needs: cells, histograms, string sizes of test and dev, and tolerances."""
    test, dev = stats["pcfgset/test"], stats["pcfgset/dev"]
    cells: dict[str, dict[str, int]] = {}
    for cell, count in test["joint_depth_length"].items():
        depth, length = cell.split(",")
        cells.setdefault(depth, {})[length] = count
    strings = {
        size: round(sum(one["string_argument_length"][size] * one["string_arguments"] for one in (test, dev)))
        for size in ("2", "3", "4", "5")
    }
    return {
        "source": "i-machine-think/am-i-compositional, data/pcfgset/pcfgset/test (MIT)",
        "lines": test["lines"],
        "depth_length": cells,
        "functions_per_line": test["functions_per_line"]["hist"],
        "output_length": test["output_length"]["hist"],
        "strings": strings,
        "tolerance": {name: value for name, value in stats["_tolerance"].items() if name != "note"},
    }


def main() -> None:
    """Read STATS and write OUT."""
    stats, out = map(Path, sys.argv[1:])
    text = json.dumps(table(json.loads(stats.read_text("utf-8"))), separators=(",", ":"))
    out.write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
