"""By what a model is known: a digest of all that its answers may depend on, and that Salva can see."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from salva._files import digest

__all__ = ["combined", "of_files", "unrepeatable"]


def combined(*parts: str | bool | int | None) -> str:
    """Return one digest of several things, which no other several things have.

    >>> combined("a", "b") == combined("ab"), combined("a")[:15]
    (False, 'sha256:0eb5b8d6')
    """
    return f"sha256:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def of_files(paths: Iterable[Path]) -> str:
    """Return the digest of some files, by name and content; where they lie does not matter."""
    return combined(*(part for path in sorted(paths) for part in (path.name, digest(path))))


def unrepeatable() -> str:
    """Return a digest that no other model gets, here or elsewhere: nothing is known about this one."""
    return combined("unknown", secrets.token_hex(32))
