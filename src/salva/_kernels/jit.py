"""How kernels are compiled: numba's options, and the cache of compiled code.

Numba stores compiled code as pickles, and unpickling runs the code in them. So the cache is used only in a
folder that belongs to the user alone (mode 0700, owner checked, no other user can write to a folder above
it); otherwise kernels are compiled again in every process. `NUMBA_CACHE_DIR` is ignored.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime.nrt import rtsys

from salva._files import user_cache

Function = TypeVar("Function", bound=Callable[..., Any])

NOTICE = 25  # between WARNING and INFO: what a user who is waiting should read

# No reference counting: kernels do not allocate, and counting references to arrays in tuples took half of
# their time.
_OPTIONS = {"nogil": True, "_nrt": False}

_log = logging.getLogger("salva")


def kernel(function: Function) -> Function:
    """Compile a loop that is called from Python; it releases the GIL.

    Never use `parallel=True`: afterwards a forked child is killed, and two threads can abort the process.
    With `NUMBA_DISABLE_JIT=1`, numpy warns about the 64-bit overflow that the random generator relies on.
    """
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        dispatcher = _compiled(function)
        dispatcher._cache = _Cache(function)
        return cast(Function, dispatcher)

    @functools.wraps(function)
    def plain(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return cast(Function, plain)


def step(function: Function) -> Function:
    """Compile a function that only kernels call, and that becomes part of them.

    It cannot be called from Python, which saves time. It is always inlined: a call passes every array number
    by number, which took longer than the work of most steps.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    return cast(
        Function, _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
    )


def _compiled(function: Callable[..., Any], **options: bool) -> Any:
    dispatcher = numba.njit(**_OPTIONS, **options)(function)
    template = dispatcher.get_call_template

    def of_plain_types(types: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        # Numba would compile a callee once for the literal that a variable starts as and once more for its
        # later type, and so on for its callees: 54 seconds instead of 29.
        return template(tuple(map(numba.types.unliteral, types)), keywords)

    dispatcher.get_call_template = of_plain_types
    return dispatcher


@functools.cache
def cache_folder() -> Path | None:
    """Return the private folder for these kernels; None if there cannot be one.

    `SALVA_CACHE_DIR` moves it. Its name changes with every line of the kernels, because a kernel contains the
    steps that it calls, whichever file they are in.
    """
    sources = sorted(Path(__file__).parent.glob("*.py"))
    if not sources:  # inside an archive: old code cannot be told from new code
        return None
    state = hashlib.sha256(repr(numba.config.BOUNDSCHECK).encode())  # type: ignore[attr-defined]
    for path in sources:
        state.update(path.read_bytes())
    folder = Path(os.path.realpath(user_cache())) / "kernels" / state.hexdigest()[:16]
    try:
        for missing in [path for path in reversed([folder, *folder.parents]) if not path.exists()]:
            missing.mkdir(exist_ok=True, mode=0o700)
        problem = _problem(folder)
    except OSError as error:
        problem = f"{error.filename}: {(error.strerror or str(error)).lower()}"
    if problem:
        _log.info("compiled kernels are not kept: %s", problem)
        return None
    return folder


def _problem(folder: Path) -> str | None:
    """Return why a folder is not private to the user; on Windows, the profile's access list makes it so."""
    if os.name != "posix":
        return None
    own = folder.lstat()
    if not stat.S_ISDIR(own.st_mode) or own.st_uid != os.geteuid() or own.st_mode & 0o077:
        return f"{folder} is not a folder of this user with mode 0700"
    for parent in folder.parents:
        above = parent.lstat()
        open_to_all = above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX
        if above.st_uid not in (0, os.geteuid()) or open_to_all:
            return f"others may write to {parent}"
    return None


@functools.cache
def _digest(path: str) -> str:
    source = Path(path)
    return hashlib.sha256(source.read_bytes()).hexdigest() if source.is_file() else ""


class _Place:
    """Where a kernel is cached; numba calls this a locator."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._line = function.__code__.co_firstlineno
        self._py_file = function.__code__.co_filename  # numba names it in warnings

    def get_cache_path(self) -> str:
        return os.fspath(cache_folder() or "")

    def ensure_cache_path(self) -> None:
        pass

    def get_source_stamp(self) -> str:
        return _digest(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Files(CompileResultCacheImpl):
    def __init__(self, function: Callable[..., Any]) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Place(function)
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, "")


class _Cache(FunctionCache):
    """Numba's cache in the private folder; code that cannot be read is compiled again."""

    _impl_class = _Files

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        if cache_folder() is None:
            self.disable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = None
        try:
            # Numba's own method first loads all that a compiler needs, and scipy.linalg with it. Compiled
            # code needs only numba's runtime: a command starts in two thirds of the time.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                found = self._load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  (a damaged file may raise anything)
            self._forget()
        if found is None:
            _announce()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:  # noqa: BLE001  (a full disk, or a file that another process damaged)
            _log.info("compiled kernels are not kept: %s", error)
            self.disable()

    def _forget(self) -> None:
        if cache_folder() is not None:
            with contextlib.suppress(OSError):
                self.flush()


@functools.cache
def _announce() -> None:
    """Say once why the first call takes so long; on standard error if no handler receives the log."""
    kept = "once for this machine" if cache_folder() else "in every process, as they cannot be kept"
    message = f"compiling kernels, {kept}; this takes a minute or two"
    _log.log(NOTICE, message)
    listening = [*_log.handlers, *logging.getLogger().handlers]
    if sys.stderr is not None and all(isinstance(handler, logging.NullHandler) for handler in listening):
        sys.stderr.write(f"salva: {message}\n")
