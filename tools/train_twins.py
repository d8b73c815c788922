"""Train the reference model on a machine with a GPU and little else; write its answers to the test pairs.

    python3 tools/train_twins.py DATA OUT --max-seconds 500 [--size paper] [--batch 256]

DATA is the folder of a condition: it holds train.src and train.tgt, test.src and test_twin.src, test.tgt and
test_twin.tgt. Needs torch, numpy, safetensors and filelock, but neither kernels nor Arrow. OUT gets
model.safetensors, model.json, test.out, test_twin.out and results.json, which is also printed. On a machine
with Salva installed, `salva evaluate DATA --model reference:OUT -o RUN` adds the intervals.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1] / "src"
sys.path.insert(0, str(HOME))
# `salva/twins/__init__.py` needs Arrow; the modules used for training do not.
_door = types.ModuleType("salva.twins")
_door.__path__ = [str(HOME / "salva" / "twins")]
sys.modules.setdefault("salva.twins", _door)

from salva._progress import Progress  # noqa: E402
from salva.twins.pcfg.files import read_lines  # noqa: E402
from salva.twins.reference.training import TrainingSettings, train  # noqa: E402


def figures(rows: Sequence[tuple[str, str, str, str]]) -> dict[str, float | int | None]:
    """Return the figures for rows of (target, twin target, answer, twin answer), as shares from 0 to 1."""
    n = len(rows)
    right = sum(a == t for t, _, a, _ in rows)
    twin_right = sum(b == u for _, u, _, b in rows)
    wrong = [(a, b) for t, u, a, b in rows if a != t or b != u]
    same = sum(a == b for *_, a, b in rows)
    empty = sum(a == b == "" for *_, a, b in rows)
    wrong_same = sum(a == b != "" for a, b in wrong)
    return {
        "n": n,
        "accuracy": right / n,
        "twin_accuracy": twin_right / n,
        "both_right": (n - len(wrong)) / n,
        "consistency_nonempty": (same - empty) / n,
        "consistency_any": same / n,
        "among_incorrect_nonempty": wrong_same / len(wrong) if wrong else None,
        "among_incorrect_any": sum(a == b for a, b in wrong) / len(wrong) if wrong else None,
    }


def replaced(source: str, twin: str) -> str:
    """Return the function that the twin replaces."""
    return next(a for a, b in zip(source.split(), twin.split(), strict=True) if a != b)


def by_function(data: Path, answers: list[str], twin_answers: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the figures over all pairs, then those of each function."""
    files = (read_lines(data / name) for name in ("test.src", "test_twin.src", "test.tgt", "test_twin.tgt"))
    sources, twins, *targets = files
    rows = list(zip(*targets, answers, twin_answers, strict=True))
    kinds = [replaced(*pair) for pair in zip(sources, twins, strict=True)]
    yield "all", figures(rows)
    for kind in dict.fromkeys(kinds):
        yield kind, figures([row for row, one in zip(rows, kinds, strict=True) if one == kind])


def main() -> None:
    """Train the model, write its answers, and print the results."""
    parser = argparse.ArgumentParser(description="Train the reference model and answer the test pairs.")
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    for field in dataclasses.fields(TrainingSettings):
        name = f"--{field.name.replace('_', '-')}"
        kinds: dict[str, Any] = {"float": float, "int": int, "bool": lambda text: text == "yes"}
        parser.add_argument(
            name, type=kinds.get(str(field.type).partition(" ")[0], str), default=field.default
        )
    given = vars(parser.parse_args())
    data, out = given.pop("data"), given.pop("out")
    pairs = "train.src", "train.tgt", "test.src", "test_twin.src"
    sources, targets, tests, twins = (read_lines(data / name) for name in pairs)
    settings = TrainingSettings(**given)
    model, report = train(sources, targets, settings, progress=_Told(settings.max_seconds))
    model.save(out)
    started = time.monotonic()
    distinct = list(dict.fromkeys([*tests, *twins]))
    said = dict(zip(distinct, model.write(distinct), strict=True))
    for name, lines in (("test.out", tests), ("test_twin.out", twins)):
        (out / name).write_text("".join(f"{said[line]}\n" for line in lines), "utf-8")
    found = dict(by_function(data, [said[line] for line in tests], [said[line] for line in twins]))
    wrote = {
        "training": dataclasses.asdict(report),
        "answering_seconds": round(time.monotonic() - started, 1),
    }
    text = json.dumps(wrote | {"figures": found}, indent=1)
    (out / "results.json").write_text(f"{text}\n", "utf-8")
    print(text)


class _Told:
    """Prints every now and then how many steps were made."""

    def __init__(self, seconds: float) -> None:
        self.started, self.next, self.every = time.monotonic(), 0.0, max(seconds / 20, 5.0)

    def __call__(self, now: Progress) -> None:
        spent = time.monotonic() - self.started
        if spent >= self.next:
            self.next += self.every
            print(f"{spent:.0f} s: {now.done:,} steps {now.note}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
