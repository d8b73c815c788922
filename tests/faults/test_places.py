"""Folders that are full, read-only, gone, or in use by another run."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.scenarios import SCENARIOS, state
from tests.faults.test_steps import COMMANDS, FEW, LAST, all_steps, some
from tests.faults.tracing import Fault

PAGE = 4096


@contextlib.contextmanager
def mounted(place: Path, *arguments: str) -> Iterator[None]:
    done = subprocess.run(["mount", *arguments, place], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the operating system does not let this user mount: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def pages(folder: Path) -> int:
    """Return how many pages the files in a folder take."""
    return sum(-(-path.stat().st_size // PAGE) for path in folder.rglob("*") if path.is_file())


def fill_disk(lab, name: str, space: int, place: Path) -> bool:
    """Run a scenario on a disk with some free pages; return whether they were enough."""
    inputs = lab.fresh(name)
    size = f"size={(pages(inputs) + space) * PAGE}"
    with mounted(place, "-t", "tmpfs", "-o", size, "salva-test"):
        shutil.copytree(inputs, place, dirs_exist_ok=True)
        ended = lab.program.run(place, *SCENARIOS[name].command)
        assert ended.code in (0, 5), ended.err
        assert len(ended.lines) == (ended.code == 5), ended.err
        lab.check(name, place)
        subprocess.run(["mount", "-o", "remount,size=64m", place], check=True)
        lab.finish(name, place, keep=True)
    shutil.rmtree(inputs)
    return ended.code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_small_disk_is_one_line_and_the_run_goes_on_when_there_is_space(lab, name, tmp_path):
    assert not fill_disk(lab, name, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_disks_of_every_size_are_one_line_and_the_run_goes_on_when_there_is_space(lab, name, tmp_path):
    space = 0
    while not fill_disk(lab, name, space, tmp_path):
        space += 1 if space < 4 else 5
    assert space > 1


@pytest.mark.parametrize("name", COMMANDS)
def test_a_read_only_folder_is_one_line(lab, name):
    folder = lab.fresh(name)
    with mounted(folder / "out", "--bind", "-o", "ro", str(folder / "out")):
        ended = lab.program.run(folder, *SCENARIOS[name].command)
        assert (ended.code, len(ended.lines)) == (5, 1), ended.err
        assert "read-only file system" in ended.err
        assert state(folder) == lab.clean(name).old
    lab.finish(name, folder)


def take_away(lab, name: str, at: int) -> None:
    folder = lab.fresh(name)
    ended = lab.program.run(folder, *SCENARIOS[name].command, fault=Fault(at, gone="out"))
    assert ended.code in (0, 3, 5), ended.err
    assert len(ended.lines) == (ended.code != 0), ended.err
    shutil.rmtree(folder / "out", ignore_errors=True)
    shutil.rmtree(folder / "out-gone", ignore_errors=True)  # there may be fewer steps
    shutil.copytree(lab.fresh(name) / "out", folder / "out")  # back from a copy
    lab.finish(name, folder)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_that_vanishes_is_one_line(lab, name):
    for at in some(all_steps(lab, name), 2, 1):
        take_away(lab, name, at)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_folder_that_vanishes_at_many_steps_is_one_line(lab, name):
    for at in some(all_steps(lab, name), FEW, LAST):
        take_away(lab, name, at)


def meet(lab, name: str, at: int) -> None:
    """Run a command while another one of its kind is at work in the same folder."""
    scenario, folder = SCENARIOS[name], lab.fresh(name)
    first, second = lab.program.run_inside(folder, scenario.command, at, scenario.finish)
    locked = any(step.path.endswith(".lock-owner") for step in lab.clean(name).steps[: at - 1])
    if locked and len(first.steps) >= at:  # there may be fewer steps
        assert (first.code, second.code, len(second.lines)) == (0, 5, 1), second.err
        assert "in use by process" in second.err
    assert {first.code, second.code} <= {0, 3, 5}, (first.err, second.err)
    assert 0 in (first.code, second.code)
    lab.finish(name, folder)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_second_run_does_no_harm(lab, name):
    meet(lab, name, len(lab.clean(name).steps) // 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_second_run_at_many_steps_does_no_harm(lab, name):
    for at in some(all_steps(lab, name), FEW, LAST):
        meet(lab, name, at)
