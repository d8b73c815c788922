"""The commands of `python -m tools.results`: run, record, write."""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import sys
from pathlib import Path

from tools.results.steps import ROOT, Plan, list_steps

WORK, INPUTS = ROOT / "build/results", ROOT / "build/inputs"


def main() -> int:
    """Run what the command line asks for; return 1 if a step failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.results")
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="run what is not done yet")
    running.add_argument("data", type=Path)
    running.add_argument("--inputs", type=Path, default=INPUTS)
    running.add_argument("--only", action="append", metavar="PATTERN", help="steps to run; default: all")
    running.add_argument("--jobs", type=int, default=1, help="steps at a time")
    running.add_argument("--list", action="store_true", help="print the commands, run nothing")
    running.add_argument("--seeds", type=int, nargs="+", default=Plan.__dataclass_fields__["seeds"].default)
    for name, kind in (("sample", int), ("steps", int), ("epochs", float), ("lines", int), ("size", str)):
        running.add_argument(f"--{name}", type=kind)
    recording = commands.add_parser("record", help="keep the numbers of finished runs in docs/results")
    commands.add_parser("write", help="write the pages from what was recorded")
    for command in (running, recording):
        command.add_argument("--work", type=Path, default=WORK)
    given = parser.parse_args()
    return {"run": run, "record": record, "write": write}[given.command](given)


def run(given: argparse.Namespace) -> int:
    """Run the steps, or list them."""
    from tools.results.running import run_steps

    values = {field.name: getattr(given, field.name) for field in dataclasses.fields(Plan)}
    values |= {name: values[name].resolve() for name in ("data", "work", "inputs")}
    steps = list_steps(Plan(**values | {"seeds": tuple(given.seeds)}))
    wanted = [step for step in steps if _is_wanted(step.name, given.only)]
    if given.list:
        print("\n".join(f"{step.name}: {' '.join(step.command)}" for step in wanted))
        return 0
    return 1 if run_steps(wanted, values["work"], jobs=given.jobs) else 0


def _is_wanted(name: str, patterns: list[str] | None) -> bool:
    return not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def record(given: argparse.Namespace) -> int:
    """Record the numbers of finished runs."""
    from tools.results.recording import record_all

    for path in record_all(given.work):
        print(path.relative_to(ROOT))
    return 0


def write(_: argparse.Namespace) -> int:
    """Write the pages."""
    from tools.results.pages import write_pages

    write_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main())
