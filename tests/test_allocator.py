"""Freed memory is reused by a command, and every other C library is left alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from salva import _process

FAULTS = """
import resource, sys
from salva._process import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
def take():
    blocks = [bytearray(24 << 20) for _ in range(4)]
take()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    take()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", FAULTS, how], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc can be told")
def test_memory_that_was_freed_is_not_fetched_again():
    assert faults("kept") < 100 < faults("as usual")


@pytest.mark.parametrize("library", [object(), None], ids=["no mallopt", "no library"])
def test_another_c_library_is_left_alone(library, monkeypatch):
    def load(_name: None) -> object:
        if library is None:
            raise OSError
        return library

    monkeypatch.setattr(_process.ctypes, "CDLL", load)
    _process.keep_freed_memory()
