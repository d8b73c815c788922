"""Kills at random moments: 200 over all commands, each of which is then killed again or finished.

`make faults` prints what was found; a kill counts only if the command was still running. Models are slow, so
that kills meet them at every stage: making questions, asking them, noise, a judge, blame, the page.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.conftest import Lab
from tests.faults.scenarios import ALL, answers, calls

KILLS, LEAST = 200, 60  # of all commands, and of those that ask a model
# What a run has written when it comes to a stage, the last one first.
STAGES = {
    "results.json": "end",
    "questions/blamed-*": "page",
    "answers.parquet": "blame",
    "questions/judge-*": "judge",
    "questions/repeated.parquet": "noise",
    "answers.db": "asking",
}


def fresh(lab: Lab, name: str) -> Path:
    """Return a new folder with inputs, in which models are slow."""
    folder = lab.fresh(name)
    (folder / "slow").touch()
    return folder


def measure(lab: Lab, name: str) -> tuple[float, list[int]]:
    """Return how many seconds a command takes, and the sizes of the batches that models get."""
    folder, start = fresh(lab, name), time.monotonic()
    lab.program.run(folder, *ALL[name].command, traced=False)
    return time.monotonic() - start, calls(folder)


def kill_at_random(lab: Lab, name: str, folder: Path, chance: random.Random, longest: float) -> bool:
    """Begin or go on with a command, and kill it after a while; return whether it was still running."""
    process = lab.program.begin(folder, *ALL[name].finish, traced=False)
    time.sleep(chance.uniform(0, longest))
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
    killed = lab.program.end().code == -signal.SIGKILL
    lab.check(name, folder)
    return killed


def stage_of(folder: Path) -> str:
    home = folder / "out/run"
    return next((stage for pattern, stage in STAGES.items() if any(home.glob(pattern))), "making")


@pytest.mark.slow
def test_200_kills_at_random_lose_no_answer_change_no_byte_and_need_no_hand(lab, capsys):
    chance, kills, stages, finished, asked_again = random.Random(0), Counter(), Counter(), 0, 0
    clean = {name: measure(lab, name) for name in ALL}
    asking = [name for name, (_, batches) in clean.items() if batches]
    for name in itertools.cycle([*ALL, *asking]):
        if kills.total() >= KILLS and sum(kills[name] for name in asking) >= LEAST:
            break
        folder, (longest, batches) = fresh(lab, name), clean[name]
        for _ in range(chance.randint(1, 4)):
            sent, kept = sum(calls(folder)), answers(folder).total()
            killed = kill_at_random(lab, name, folder, chance, longest)
            lost = sum(calls(folder)) - sent - (answers(folder).total() - kept)
            if not ALL[name].clears:  # which removes an older log
                assert 0 <= lost <= max(batches, default=0), "more than the batch under way"
                asked_again += lost
            kills[name] += killed
            stages[stage_of(folder)] += killed and name in asking
        lab.finish(name, folder)
        finished += 1
    with capsys.disabled():
        each, met = (
            ", ".join(f"{name} {n}" for name, n in sorted((+some).items())) for some in (kills, stages)
        )
        print(f"\n{kills.total()} kills ({each}); runs were killed at {met}")
        print(f"{finished} results, all with the same bytes; {asked_again} questions were asked again")
