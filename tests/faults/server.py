"""A process that has loaded Salva, and runs commands in copies of itself: `python -m tests.faults.server`.

A copy is a process of its own, with its own signals and files, but without the second that Python takes to
import everything: kills would mostly hit that second, in which nothing is written. Requests and replies are
lines of JSON.
"""

from __future__ import annotations

import atexit
import faulthandler
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import salva.__main__
import salva.cli
from tests.faults.tracing import Fault, Step, Tracer, be_traced

LONGEST = 900  # seconds after which a command that hangs shows where, on the busiest machine
LOCKING = "73 "  # the number of flock
WAITING: list[int] = []  # commands that wait for what the first one holds
HEAVY = ("salva._kernels", "pyarrow.parquet", "pyarrow.csv", "sqlite3", "jinja2")


def main() -> None:
    for name in HEAVY:
        importlib.import_module(name)
    for module in pkgutil.walk_packages(salva.cli.__path__, "salva.cli."):
        importlib.import_module(module.name)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("ready", flush=True)
    serve()


def serve() -> None:
    """Answer requests until there are no more."""
    while line := sys.stdin.readline():
        request = json.loads(line)
        if request["warm"]:
            tell(warm_up(request))
            continue
        child = os.fork()
        if child == 0:
            be_command(request)
        tell(child)
        follow(child, request)


def tell(reply: Any) -> None:
    print(json.dumps(reply), flush=True)


def warm_up(request: dict[str, Any]) -> int:
    """Run a command in this process, so that copies of it have the compiled kernels; return its exit code."""
    kept = [os.dup(number) for number in range(3)]
    try:
        run(request)
    except SystemExit as stop:
        return stop.code
    finally:
        for number, copy in enumerate(kept):
            os.dup2(copy, number)
            os.close(copy)


def be_command(request: dict[str, Any]) -> NoReturn:
    """Run a command and exit as Python does, but without freeing memory piece by piece, which takes 0.5 s."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        run(request)
    except SystemExit as stop:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(stop.code)


def run(request: dict[str, Any]) -> None:
    """Be the command, until it exits."""
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, (name, flags) in enumerate(((os.devnull, 0), (request["out"], new), (request["err"], new))):
        os.dup2(os.open(name, flags, 0o644), number)
    os.chdir(request["folder"])
    sys.argv = ["salva", *request["arguments"]]
    sys.path[0] = ""
    if request["traced"]:
        be_traced()
    salva.__main__.run()


def follow(child: int, request: dict[str, Any]) -> None:
    """Wait for the end of a command, and tell how it ended."""
    if not request["traced"]:
        tell_end(os.waitpid(child, 0)[1])
        return
    fault = Fault(*request["fault"]) if request["fault"] else None
    tracer = Tracer(child, Path(request["folder"]), fault, pause)
    tell_end(tracer.follow(), tracer.steps)
    while WAITING:
        other = WAITING.pop()
        tell_end(tracer.strangers[other] if other in tracer.strangers else os.waitpid(other, 0)[1])


def tell_end(status: int, steps: Sequence[Step] = ()) -> None:
    tell({"code": os.waitstatus_to_exitcode(status), "steps": steps})


def pause() -> None:
    """Report that a step waits, and run another command to its end, or until it waits for a lock."""
    tell("paused")
    request = json.loads(sys.stdin.readline())
    child = os.fork()
    if child == 0:
        be_command(request)
    tell(child)
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if Path(f"/proc/{child}/syscall").read_text().startswith(LOCKING):
            WAITING.append(child)
            tell("waits")
            return
        time.sleep(0.005)
    tell_end(ended[1])


if __name__ == "__main__":
    main()
