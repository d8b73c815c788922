"""Runs commands in this process, and writes down what none of them may do; its test is next to it.

Usage: watched.py REPORT FOLDER... < commands.json. The folders are those in which files may be written.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

PROGRAMS = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "pty.spawn",
}
NETWORK = (
    "socket.",
    "urllib.",
    "http.",
    "ftplib.",
    "imaplib.",
    "poplib.",
    "smtplib.",
    "telnetlib.",
    "webbrowser.",
)
LOCAL = {"socket.gethostname"}  # asks the kernel; locks name the machine that holds them
CODE = {"exec", "compile", "marshal.loads"}
PATHS = {
    "sqlite3.connect": 1,
    **dict.fromkeys(["os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.chmod", "shutil.rmtree"], 1),
    **dict.fromkeys(["os.rename", "os.link", "os.symlink", "shutil.copyfile", "shutil.move"], 2),
}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
IMPORT_SYSTEM = ("<frozen importlib", "<frozen runpy", "<frozen zipimport")

TEMPLATES = "/jinja2/environment.py"
# Where code is made while a program runs, and of what: never of data.
MAKERS = {
    "/dataclasses.py": "methods of dataclasses, from their fields",
    "/collections/__init__.py": "named tuples, from their fields",
    "/ast.py": "syntax trees, of which nothing is run; numpy reads the header of an array so",
    "/typing.py": "annotations that are written as strings",
    "/inspect.py": "signatures of functions that are written in C",
    TEMPLATES: "the templates in the package; `is_template` checks where they are",
    "/numpy/": "wrappers of its own functions",
    "/scipy/": "wrappers of its own functions",
    "/decorator.py": "wrappers of scipy's functions",
}

command: list[str] = []  # that runs now
found: dict[tuple[str, str, str], None] = {}
importers: dict[str, str] = {}
places: list[str] = []


def callers() -> Iterator[str]:
    """Yield the files of those who called, the nearest first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename != __file__:
            yield frame.f_code.co_filename.replace(os.sep, "/")
        frame = frame.f_back


def importer() -> str:
    """Return the file that imports a module."""
    return next((file for file in callers() if not file.startswith(IMPORT_SYSTEM)), "")


def is_template(arguments: tuple[Any, ...]) -> bool:
    """Return whether jinja2 compiles a template of the package, or runs one that it compiled."""
    filename = arguments[1] if len(arguments) > 1 else arguments[0].co_filename
    return "/salva/" in str(filename).replace(os.sep, "/") or filename == "<unknown>"


def makes_code(arguments: tuple[Any, ...]) -> str | None:
    """Return who makes code, unless it is the import system or one of `MAKERS`."""
    file = next(callers(), "")
    known = next((place for place in MAKERS if place in file), None)
    if file.startswith(IMPORT_SYSTEM) or (known is not None and known != TEMPLATES):
        return None
    return None if known == TEMPLATES and is_template(arguments) else f"{file} {arguments!r:.200}"


def leaves(path: Any) -> str | None:
    """Return a path that is not in a folder where files may be written."""
    if isinstance(path, int) or path in (None, os.devnull, ":memory:"):
        return None
    whole = os.path.realpath(os.fsdecode(path).removeprefix("file:").partition("?")[0])
    return None if any(os.path.commonpath([whole, place]) == place for place in places) else whole


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    detail = None
    if event == "import":
        importers.setdefault(arguments[0].partition(".")[0], importer())
    elif event == "pickle.find_class":
        detail = ".".join(map(str, arguments))
    elif event in PROGRAMS or (event.startswith(NETWORK) and event not in LOCAL):
        detail = repr(arguments)[:200]
    elif event in CODE:
        detail = makes_code(arguments)
    elif event == "open":
        path, _, flags = arguments
        detail = leaves(path) if isinstance(flags, int) and flags & WRITES else None
    elif event in PATHS:
        detail = next(filter(None, map(leaves, arguments[: PATHS[event]])), None)
    if detail is not None:
        found[" ".join(command), event, detail] = None


def run(words: list[str]) -> int:
    """Run a command, or a function of the module `planted` in the working folder; return the exit code."""
    command[:] = words
    with contextlib.redirect_stdout(sys.stderr):
        try:
            if words[0] == "planted":
                getattr(importlib.import_module("planted"), words[1])()
            else:
                importlib.import_module("salva.cli.main").main(words)
        except SystemExit as stop:
            return int(stop.code or 0)
    return 0


if __name__ == "__main__":
    report, *folders = sys.argv[1:]
    places += [os.path.realpath(folder) for folder in folders]
    commands = json.load(sys.stdin)
    sys.path.insert(0, "")
    sys.addaudithook(watch)
    before = set(sys.modules)
    codes = [run(words) for words in commands]
    # Not what somebody tried to import and did not find, nor what libraries put there themselves.
    new = [name for name in sys.modules.keys() - before if getattr(sys.modules[name], "__spec__", None)]
    modules = {top: importers.get(top, "") for top in {name.partition(".")[0] for name in new}}
    outcome = {"codes": codes, "found": list(found), "modules": modules}
    Path(report).write_text(json.dumps(outcome))
