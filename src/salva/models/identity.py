"""How texts and models are identified: a digest of everything visible that an answer may depend on."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from salva._files import digest
from salva.models.protocol import Text


def text_id(text: Text) -> bytes:
    """Return the 16-byte id of a text or a pair of texts; the export holds it in hexadecimal.

    >>> text_id("fine").hex()
    '904487a163bd8a70172346f3fc67c47d'
    """
    whole = text if isinstance(text, str) else "\0".join(text)
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def combined(*parts: str | bool | int | None) -> str:
    """Return one digest of several parts; no other parts have the same one.

    >>> combined("a", "b") == combined("ab"), combined("a")[:15]
    (False, 'sha256:0eb5b8d6')
    """
    return f"sha256:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def of_files(paths: Iterable[Path]) -> str:
    """Return the digest of some files, from their names and contents; their folder does not matter."""
    return combined(*(part for path in sorted(paths) for part in (path.name, digest(path))))


def of_folder(folder: Path) -> str:
    """Return the digest of the files in a folder, without hidden ones."""
    return of_files(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def unrepeatable() -> str:
    """Return a digest that no other model ever gets, for a model about which nothing is known."""
    return combined("unknown", secrets.token_hex(32))
