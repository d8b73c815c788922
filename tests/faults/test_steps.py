"""Faults at single steps: files are old or new, and the command can be finished, whatever write was spoilt.

A step is a system call that changes the disk. A first run counts the steps of a command; then the fault comes
at some of them in turn, and the command is finished as a user would: the bytes are those of the first run.
Steps are of one kind if they make the same call for the same file, or for any temporary one in its folder;
`make faults` spoils every single step.
"""

from __future__ import annotations

import errno
import itertools
import os
import random
import re
import signal

import pytest

from tests.faults.scenarios import KILLED, SCENARIOS
from tests.faults.tracing import GROWING, Fault

COMMANDS = ("transform", "evaluate", "questions", "report")
FEW, LAST = 3, 9
EVERY = os.environ.get("EVERY_STEP") == "1"
TEMPORARY = re.compile(r"\.tmp-[0-9a-f]{12}-[0-9a-f]{16}")
SAME = 4  # steps of one kind that are spoilt: the first and the last ones
# What fails for one call only, another error for every scenario in turn.
ERRORS = dict(zip(SCENARIOS, itertools.cycle([errno.EDQUOT, errno.EROFS, errno.EIO]), strict=False))


def some(steps: list[int], count: int, last: int) -> list[int]:
    """Return the last steps and a few of the others, the same every time."""
    early = steps[:-last]
    return sorted(random.Random(0).sample(early, min(count, len(early)))) + steps[-last:]


def all_steps(lab, name: str) -> list[int]:
    return list(range(1, len(lab.clean(name).steps) + 1))


def growing_steps(lab, name: str) -> list[int]:
    """Return the steps that need space."""
    return [number for number, step in enumerate(lab.clean(name).steps, 1) if step.call in GROWING]


def of_each_kind(lab, name: str, numbers: list[int]) -> list[int]:
    """Return the first and the last steps of each kind: a store makes the same call up to fifty times."""
    kinds: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        call, path = lab.clean(name).steps[number - 1]
        kinds.setdefault((call, TEMPORARY.sub(".tmp", path)), []).append(number)
    alike = kinds.values()
    return numbers if EVERY else sorted({n for own in alike for n in own[: SAME // 2] + own[-SAME // 2 :]})


def kill(lab, name: str, at: int) -> None:
    folder, ended = lab.spoil(name, Fault(at, signal=signal.SIGKILL))
    assert ended.code == -signal.SIGKILL or len(ended.steps) < at, ended.err
    lab.finish(name, folder)


def fill(lab, name: str, at: int, error: int = errno.ENOSPC, *, lasting: bool = True) -> None:
    """Let writes fail from a step on; what is not needed for the result may fail in silence."""
    folder, ended = lab.spoil(name, Fault(at, error=error, lasting=lasting))
    assert ended.code in (0, 5), ended.err
    assert len(ended.lines) == (ended.code == 5), ended.err
    assert ended.code == 0 or re.match(r"salva: (/.+/)?out\b", ended.err), ended.err
    lab.finish(name, folder)


def stop(lab, name: str, at: int, number: int, times: int = 1) -> None:
    folder, ended = lab.spoil(name, Fault(at, signal=number, times=times))
    assert ended.code in (0, 128 + number), ended.err
    assert "Traceback" not in ended.err
    assert len(ended.lines) <= 2, ended.err
    lab.finish(name, folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_kill_at_some_steps_changes_no_byte(lab, name):
    for at in some(all_steps(lab, name), FEW, FEW):
        kill(lab, name, at)


def test_a_second_kill_leaves_nothing_behind_either(lab):
    for at in all_steps(lab, "transform")[-6:]:
        folder, _ = lab.spoil("transform", Fault(at, signal=signal.SIGKILL))
        lab.spoil("transform", Fault(3, signal=signal.SIGKILL), folder)
        lab.finish("transform", folder)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_at_some_steps_is_one_line_and_changes_no_byte(lab, name):
    for at in some(growing_steps(lab, name), FEW, 1):
        fill(lab, name, at)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(("number", "times"), [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_a_signal_at_some_steps_stops_cleanly(lab, name, number, times):
    for at in some(all_steps(lab, name), 1, 1):
        stop(lab, name, at, number, times)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_kill_at_every_kind_of_step_changes_no_byte(lab, name):
    for at in of_each_kind(lab, name, all_steps(lab, name)):
        kill(lab, name, at)


@pytest.mark.slow
@pytest.mark.parametrize("name", KILLED)
def test_a_kill_at_many_steps_changes_no_byte_with_axes_or_a_judge(lab, name):
    for at in some(all_steps(lab, name), 2 * FEW, 2 * FEW):
        kill(lab, name, at)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_full_disk_at_every_kind_of_step_is_one_line_and_changes_no_byte(lab, name):
    for at in of_each_kind(lab, name, growing_steps(lab, name)):
        fill(lab, name, at)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_an_error_of_one_call_is_one_line_and_changes_no_byte(lab, name):
    for at in some(growing_steps(lab, name), FEW, FEW):
        fill(lab, name, at, ERRORS[name], lasting=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize(("number", "times"), [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_a_signal_at_many_steps_stops_cleanly(lab, name, number, times):
    for at in some(all_steps(lab, name), FEW, FEW):
        stop(lab, name, at, number, times)
