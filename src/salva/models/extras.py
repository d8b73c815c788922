"""Optional dependencies: an error about a missing one names the extra that installs it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from salva.errors import MissingExtraError


@contextlib.contextmanager
def extra(name: str) -> Iterator[None]:
    """Import an optional dependency inside this block.

    >>> with extra("skops"):
    ...     import no_such_package
    Traceback (most recent call last):
    salva.errors.MissingExtraError: 'no_such_package' is not installed; pip install 'salva[skops]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError((error.name or name).partition(".")[0], extra=name) from None
