"""Digests of streams: those of hashlib, whoever computes them, and no thread is left."""

from __future__ import annotations

import hashlib
import threading

import pytest

from salva._digests import Digest


@pytest.mark.parametrize("sizes", [[], [0], [5, 7], [1 << 16] * 3, [1, 1 << 20, 2, 1 << 17, 3]])
def test_a_digest_is_that_of_all_bytes_in_their_order(sizes):
    pieces = [bytes([number % 251]) * size for number, size in enumerate(sizes)]
    digest = Digest()
    for piece in pieces:
        digest.update(piece)
    assert digest.text == f"sha256:{hashlib.sha256(b''.join(pieces)).hexdigest()}"
    digest.close()


def test_bytes_may_change_after_waiting():
    digest, memory = Digest(), bytearray(b"a" * (1 << 20))
    digest.update(memory)
    digest.wait()
    memory[:] = b"b" * (1 << 20)
    assert digest.text == f"sha256:{hashlib.sha256(b'a' * (1 << 20)).hexdigest()}"
    digest.close()


def test_no_thread_is_left():
    before = threading.active_count()
    digest = Digest()
    digest.update(bytes(1 << 20))
    digest.close()
    assert threading.active_count() == before
