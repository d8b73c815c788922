"""Digests of streams: SHA-256 of bytes as they come, by a thread of its own."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

_LARGE = 1 << 16  # a thread is asked for no less than this: 45 µs of work


class Digest:
    """SHA-256 of bytes that come one after the other; a thread digests large pieces meanwhile.

    A core digests 1.4 GB per second, so a piece of a megabyte takes as long as everything else that is done
    to it on its way into a file.

    >>> digest = Digest()
    >>> digest.update(b"abc")
    >>> digest.text[:15], digest.close()
    ('sha256:ba7816bf', None)
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._thread: ThreadPoolExecutor | None = None
        self._last: Future[None] | None = None

    @property
    def text(self) -> str:
        """`sha256:` and the digest of all bytes so far."""
        self.wait()
        return f"sha256:{self._hash.hexdigest()}"

    def update(self, data: Any) -> None:
        """Add bytes, which must not change until the next call of any method that waits."""
        self.wait()
        if len(data) < _LARGE:
            self._hash.update(data)
            return
        self._thread = self._thread or ThreadPoolExecutor(1)
        self._last = self._thread.submit(self._hash.update, data)

    def wait(self) -> None:
        """Wait until everything so far is digested."""
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def close(self) -> None:
        """End the thread, after what it is doing."""
        if self._thread is not None:
            self._thread.shutdown()
