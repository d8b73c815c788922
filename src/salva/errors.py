"""The errors that Salva raises, and the exit code of the command line for each.

SalvaError
├── ThresholdError       1  a measured number breaks a limit, or a check failed
├── UsageError           2  an option, a setting or a call is wrong
│   └── MissingExtraError   an optional dependency is not installed
├── InputError           3  the data is wrong; also a ValueError
├── ModelError           4  the model under test failed
└── StorageError         5  reading or writing failed; also an OSError

Wording: lower case, the value by `repr`, what was expected, `; ` and the remedy.
A fault in a file begins with `path:line:`. Bugs in Salva are not in this tree and keep their traceback.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

__all__ = [
    "InputError",
    "MissingExtraError",
    "ModelError",
    "SalvaError",
    "StorageError",
    "ThresholdError",
    "UsageError",
]


class SalvaError(Exception):
    """Base of all errors that are not bugs in Salva."""

    exit_code = 2


class ThresholdError(SalvaError):
    """A measured number breaks a limit that the user set, or a check found errors."""

    exit_code = 1


class UsageError(SalvaError):
    """An option, a setting or a call is wrong."""


class MissingExtraError(UsageError):
    """An optional dependency is not installed.

    >>> raise MissingExtraError("ray", extra="ray")
    Traceback (most recent call last):
    salva.errors.MissingExtraError: 'ray' is not installed; pip install 'salva[ray]'
    """

    def __init__(self, package: str, *, extra: str) -> None:
        super().__init__(f"{package!r} is not installed; pip install 'salva[{extra}]'")


@contextlib.contextmanager
def extra(name: str) -> Iterator[None]:
    """Import an optional dependency inside this block; an error about a missing one names the extra.

    >>> with extra("skops"):
    ...     import no_such_package
    Traceback (most recent call last):
    salva.errors.MissingExtraError: 'no_such_package' is not installed; pip install 'salva[skops]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError((error.name or name).partition(".")[0], extra=name) from None
    except (ImportError, OSError) as error:
        reason = str(error).partition("\n")[0]
        remedy = f"pip install --force-reinstall 'salva[{name}]'"
        raise UsageError(f"a library of salva[{name}] cannot be loaded ({reason:.200}); {remedy}") from error


class InputError(SalvaError, ValueError):
    """The data is wrong; the message says where."""

    exit_code = 3

    @classmethod
    def at(cls, path: str | os.PathLike[str], line: int | None, problem: str) -> InputError:
        """Return the error for a fault on line `line` of `path`, or in the file as a whole.

        >>> str(InputError.at("a.csv", 3, "2 cells, not 4"))
        'a.csv:3: 2 cells, not 4'
        """
        place = os.fspath(path) if line is None else f"{os.fspath(path)}:{line}"
        return cls(f"{place}: {problem}")


class ModelError(SalvaError):
    """The model under test failed."""

    exit_code = 4


class StorageError(SalvaError, OSError):
    """Reading or writing failed."""

    exit_code = 5
