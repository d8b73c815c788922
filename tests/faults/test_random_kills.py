"""Kills at random moments: 200 over the four commands, each of which is then killed again or finished.

`make faults` prints what was found; a kill counts only if the command was still running.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.conftest import Lab
from tests.faults.scenarios import ALL

KILLS = 200


def kill_at_random(lab: Lab, name: str, folder: Path, chance: random.Random, longest: float) -> bool:
    """Begin or go on with a command, and kill it after a while; return whether it was still running."""
    process = lab.program.begin(folder, *ALL[name].finish, traced=False)
    time.sleep(chance.uniform(0, longest))
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    killed = lab.program.end().code == -signal.SIGKILL
    lab.check(name, folder)
    return killed


def last(lab: Lab, name: str) -> float:
    """Return how many seconds a command takes."""
    folder, start = lab.fresh(name), time.monotonic()
    lab.program.run(folder, *ALL[name].command, traced=False)
    return time.monotonic() - start


@pytest.mark.slow
def test_200_kills_at_random_lose_no_row_change_no_byte_and_need_no_hand(lab, capsys):
    chance, counts, finished = random.Random(0), Counter(), 0
    longest = {name: last(lab, name) for name in ALL}
    while sum(counts.values()) < KILLS:
        name = chance.choice([*ALL])
        folder = lab.fresh(name)
        for _ in range(chance.randint(1, 4)):
            counts[name] += kill_at_random(lab, name, folder, chance, longest[name])
        lab.finish(name, folder)
        finished += 1
    with capsys.disabled():
        each = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        print(f"\n{sum(counts.values())} kills ({each}); {finished} results, all with the same bytes")
