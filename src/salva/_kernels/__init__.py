"""Compiled loops that take arrays and fill `out`, the last argument; no strings, no checks, no Arrow.

What a user can get wrong is checked once, in the layer above. Every kernel has a slow twin in
`tests/reference/`. `setup.py` compiles the files next to this one into one extension, `_compiled`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

try:
    from salva._kernels._compiled import *
    from salva._kernels._compiled import built_from
except ModuleNotFoundError as error:
    if error.name != "salva._kernels._compiled":
        raise
    raise ImportError("the kernels are not compiled for this Python; in a clone, run: make kernels") from None

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


def _is_stale() -> bool:
    """Return whether a kernel has changed since it was compiled; only a clone has their sources."""
    room = Path(__file__).parent
    sources = [room / "_compiled.pyx", *sorted(room.glob("[!_]*.py"))]
    return sources[0].exists() and crc32(b"".join(path.read_bytes() for path in sources)) != built_from


if _is_stale():
    sys.stderr.write("salva: the compiled kernels are older than their sources; run: make kernels\n")
