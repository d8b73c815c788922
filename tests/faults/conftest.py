"""What tests of faults share: Salva, loaded once, and what its commands leave when nothing goes wrong."""

from __future__ import annotations

import functools
import itertools
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.faults.program import Ended, Program
from tests.faults.scenarios import ALL, RENEWED, answers, calls, scraps, state
from tests.faults.tracing import Fault, Step, can_trace


class Clean(NamedTuple):
    """A command to which nothing happened: its steps, and the state before and after."""

    steps: list[Step]
    old: dict[str, bytes]
    new: dict[str, bytes]
    answered: tuple[Counter, Counter]  # the log before and after


class Lab:
    """Makes folders for scenarios, and checks what is left in them after a fault."""

    def __init__(self, program: Program, home: Path) -> None:
        self.program, self._home, self._numbers = program, home, itertools.count()

    def fresh(self, name: str) -> Path:
        """Return a new folder with the inputs of a scenario, and its older state."""
        folder = self._home / f"{name}-{next(self._numbers)}"
        shutil.copytree(self._prepared(name), folder)
        return folder

    @functools.cache  # noqa: B019 (it lives as long as the tests)
    def _prepared(self, name: str) -> Path:
        scenario, folder = ALL[name], self._home / name
        (folder / "out").mkdir(parents=True)
        scenario.prepare(folder)
        for command in filter(None, (scenario.older, scenario.command)):
            warm = self._home / f"{name}-warm"
            shutil.copytree(folder, warm, dirs_exist_ok=True)
            self.program.warm_up(warm, *command)
        if scenario.older:
            ended = self.program.run(folder, *scenario.older)
            assert ended.code == 0, ended.err
        return folder

    @functools.cache  # noqa: B019
    def clean(self, name: str) -> Clean:
        """Return what a scenario does when nothing goes wrong."""
        folder = self.fresh(name)
        old, answered = state(folder), answers(folder)
        ended = self.program.run(folder, *ALL[name].command)
        assert (ended.code, scraps(folder)) == (0, []), ended.err
        return Clean(ended.steps, old, state(folder), (answered, answers(folder)))

    def spoil(self, name: str, fault: Fault, folder: Path | None = None) -> tuple[Path, Ended]:
        """Run a scenario with a fault; every file must be the old one or the new one."""
        folder = folder or self.fresh(name)
        ended = self.program.run(folder, *ALL[name].command, fault=fault)
        self.check(name, folder)
        return folder, ended

    def check(self, name: str, folder: Path) -> None:
        """Refuse a file that is neither old nor new, an old one that is lost, and a wrong answer."""
        clean, found = self.clean(name), state(folder)
        assert any(answers(folder) <= known for known in clean.answered)
        torn = [path for path in found if found[path] not in (clean.old.get(path), clean.new.get(path))]
        if RENEWED in torn and json.loads(found[RENEWED])["data"] is None:
            torn.remove(RENEWED)
        lost = [] if ALL[name].clears else [path for path in clean.old if path not in found]
        assert (torn, lost) == ([], [])

    def finish(self, name: str, folder: Path, *, keep: bool = False) -> None:
        """Finish a scenario as a user does: the results are as if nothing had happened.

        No answer is in the log twice, and nothing was asked whose answer was there.
        """
        sent, kept = sum(calls(folder)), answers(folder).total()
        ended = self.program.run(folder, *ALL[name].finish, traced=False)
        if ended.code == 3:  # nothing was left to do
            assert "exists; pass --overwrite" in ended.err
        else:
            assert ended.code == 0, ended.err
        assert state(folder) == self.clean(name).new
        assert answers(folder) == self.clean(name).answered[1]
        assert ALL[name].clears or sum(calls(folder)) - sent == answers(folder).total() - kept
        assert scraps(folder) == []
        if not keep:
            shutil.rmtree(folder)
            folder.with_name(f"{folder.name}.calls").unlink(missing_ok=True)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    if not can_trace():
        pytest.skip("needs Linux on x86-64, and the right to trace a child")
    running = Program(tmp_path_factory.mktemp("printed"))
    yield running
    running.close()


@pytest.fixture(scope="session")
def lab(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return Lab(program, tmp_path_factory.mktemp("lab"))
