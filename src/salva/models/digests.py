"""How a model is identified: a digest of everything its answers may depend on, as far as Salva can see."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from salva._files import digest


def combined(*parts: str | bool | int | None) -> str:
    """Return one digest of several parts; no other parts have the same one.

    >>> combined("a", "b") == combined("ab"), combined("a")[:15]
    (False, 'sha256:0eb5b8d6')
    """
    return f"sha256:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def of_files(paths: Iterable[Path]) -> str:
    """Return the digest of some files, from their names and contents; their folder does not matter."""
    return combined(*(part for path in sorted(paths) for part in (path.name, digest(path))))


def unrepeatable() -> str:
    """Return a digest that no other model ever gets, for a model about which nothing is known."""
    return combined("unknown", secrets.token_hex(32))
