"""What to show when code of the user's raises: where it did, and its traceback without Salva's part."""

from __future__ import annotations

import logging
import sysconfig
import traceback
from pathlib import Path
from typing import Any

logger = logging.getLogger("salva")

_OWN = Path(__file__).parent
_LIBRARIES = tuple(
    Path(sysconfig.get_paths()[name]).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")
)


def place_of(error: BaseException) -> str:
    """Return the file and line of the user's code where an exception arose, in brackets; nothing if unknown.

    It is the innermost line that is neither in Salva nor in an installed package.

    >>> place_of(ValueError("never raised"))
    ''
    """
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename is not None:
        lines.append((error.filename, error.lineno or 0))
    found = ((name, line) for name, line in reversed(lines) if not _is_library(name))
    return next((f" ({_show_file(name)}:{line})" for name, line in found), "")


def place_of_code(function: Any) -> str:
    """Return the file and line where a function begins, in brackets; nothing if there is none.

    >>> place_of_code(len)
    ''
    """
    code = getattr(function, "__code__", None)
    return "" if code is None else f" ({_show_file(code.co_filename)}:{code.co_firstlineno})"


def log_crash(error: BaseException) -> None:
    """Log the traceback of the user's code, from the line that Salva called; shown with -v."""
    frames = error.__traceback__
    while frames is not None and (
        _is_own(frames.tb_frame.f_code.co_filename) or "importlib" in frames.tb_frame.f_code.co_filename
    ):
        frames = frames.tb_next
    if frames is not None or isinstance(error, SyntaxError):
        logger.info("the code raised %s:", type(error).__name__, exc_info=(type(error), error, frames))


def _is_own(filename: str) -> bool:
    return Path(filename).is_relative_to(_OWN)


def _is_library(filename: str) -> bool:
    if filename.startswith("<frozen ") or _is_own(filename):
        return True
    path = Path(filename).resolve()
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    return bool(installed) or any(path.is_relative_to(folder) for folder in _LIBRARIES)


def _show_file(filename: str) -> str:
    """Return a file relative to the current folder, or its name: results do not depend on the machine.

    >>> _show_file("/tmp/ipykernel_7/4711.py")
    'notebook cell'
    """
    if "ipykernel_" in filename or filename.startswith("<ipython-"):
        return "notebook cell"
    if filename.startswith("<"):
        return filename
    path = Path(filename)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else path.name
