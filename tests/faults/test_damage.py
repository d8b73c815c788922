"""Parts of a run that were edited, cut off, deleted or damaged: refused in one line, or the same result."""

from __future__ import annotations

import contextlib
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from salva.errors import InputError
from salva.questions import make_questions
from salva.questions.table import open_questions
from salva.rows import reviews
from tests.faults.scenarios import SCENARIOS, state
from tests.faults.tracing import Fault

RUNS = ("evaluate", "evaluate-pairs")
SEEDS = 2  # for damage at random places
DAMAGE: dict[str, Callable[[bytes, random.Random], bytes | None]] = {
    "deleted": lambda content, chance: None,
    "emptied": lambda content, chance: b"",
    "cut in half": lambda content, chance: content[: len(content) // 2],
    "cut at the end": lambda content, chance: content[:-2],
    "longer": lambda content, chance: content + b"\0" * 64,
    "replaced": lambda content, chance: b"not what it was\n",
    "one bit": lambda content, chance: flip(content, chance, 1),
    "many bits": lambda content, chance: flip(content, chance, 50),
}


# A page of SQLite has no checksum: what it can read counts.
UNSIGNED = {("answers.db", how) for how in ("cut at the end", "one bit", "many bits")}


def flip(content: bytes, chance: random.Random, count: int) -> bytes:
    changed = bytearray(content)
    for place in (chance.randrange(len(changed)) for _ in range(count if changed else 0)):
        changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)


def parts(folder: Path) -> list[Path]:
    """Return the files of a run, as they are named from the folder."""
    found = (path for path in (folder / "out/run").rglob("*") if path.is_file())
    return sorted(path.relative_to(folder) for path in found if not path.name.startswith("."))


@pytest.fixture(scope="session")
def stopped(lab):
    """Return a function that gives a copy of a run killed when most of its answers were in the store."""
    kept = {}

    def copy(name: str) -> Path:
        if name not in kept:
            last = max(
                i for i, step in enumerate(lab.clean(name).steps, 1) if step.path.endswith("answers.db-wal")
            )
            kept[name], _ = lab.spoil(name, Fault(last - 4, signal=signal.SIGKILL))
        folder = lab.fresh(name)
        shutil.copytree(kept[name] / "out", folder / "out", dirs_exist_ok=True)
        return folder

    return copy


def damage(lab, name: str, folder: Path, how: str, path: Path, seed: int) -> None:
    """Damage a part of a run, then go on with it: it ends as it should, or is refused and stays as it is."""
    content = DAMAGE[how](path.read_bytes(), random.Random(seed))
    path.unlink() if content is None else path.write_bytes(content)
    before = state(folder)
    ended = lab.program.run(folder, *SCENARIOS[name].finish, traced=False)
    assert ended.code in (0, 2, 3, 5), (how, path.name, ended.err)
    if ended.code == 0:
        assert (path.name, how) in UNSIGNED or state(folder) == lab.clean(name).new, (how, path.name)
    else:
        assert len(ended.lines) == 1, (how, path.name, ended.err)
        assert state(folder) == before, (how, path.name)
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_damaged_part_of_a_stopped_run_is_refused_or_changes_nothing(lab, stopped, name):
    for number, path in enumerate(parts(stopped(name))):
        folder = stopped(name)
        damage(lab, name, folder, [*DAMAGE][number % len(DAMAGE)], folder / path, seed=0)


def test_a_flipped_bit_never_changes_a_question(tmp_path):
    made = make_questions(reviews("test").slice(0, 8), presets="case", severities=1.0).folder
    whole, chance = open_questions(made).to_arrow(), random.Random(0)
    for path in made.iterdir():
        for _ in range(30):
            folder = shutil.copytree(made, tmp_path / "damaged")
            (folder / path.name).write_bytes(flip(path.read_bytes(), chance, 1))
            with contextlib.suppress(InputError):
                assert open_questions(folder).to_arrow() == whole
            shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("how", DAMAGE)
def test_any_damage_to_a_stopped_run_is_refused_or_changes_nothing(lab, stopped, name, how):
    for path in parts(stopped(name)):
        for seed in range(SEEDS if "bit" in how else 1):
            folder = stopped(name)
            damage(lab, name, folder, how, folder / path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("how", DAMAGE)
def test_any_damage_to_a_finished_run_is_refused_or_mended(lab, name, how):
    folder = lab.fresh(name)
    assert lab.program.run(folder, *SCENARIOS[name].command, traced=False).code == 0
    for path in parts(folder):
        for seed in range(SEEDS if "bit" in how else 1):
            copy = lab.fresh(name)
            shutil.copytree(folder / "out", copy / "out", dirs_exist_ok=True)
            damage(lab, name, copy, how, copy / path, seed)
