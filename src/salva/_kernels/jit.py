"""All numba options in one place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

__all__ = ["kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile a loop so that it releases the interpreter lock.

    Never `parallel=True`: after use a forked child is killed, and two threads can abort the process.
    With `NUMBA_DISABLE_JIT=1` numpy warns of the 64-bit wrap-around that the generator is made of.
    """
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return cast(Function, numba.njit(nogil=True)(function))

    @functools.wraps(function)
    def plain(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return cast(Function, plain)
