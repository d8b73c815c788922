"""Follow a process and its children, stop them at every system call that changes the disk, and spoil one.

Nothing is replaced inside the program: seccomp names the calls, ptrace stops at them, whoever makes them:
Python, SQLite or Arrow. Only calls on paths below one folder count as steps. Linux on x86-64 only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

# Numbers and names of calls; the first argument is a descriptor, a path, or a folder that a path follows.
_BY_DESCRIPTOR = {1: "write", 18: "pwrite64", 20: "writev", 74: "fsync", 75: "fdatasync", 77: "ftruncate"}
_BY_DESCRIPTOR |= {285: "fallocate", 296: "pwritev"}
_BY_PATH = {76: "truncate", 82: "rename", 83: "mkdir", 84: "rmdir", 86: "link", 87: "unlink", 88: "symlink"}
_BY_FOLDER = {257: "open", 258: "mkdir", 263: "unlink", 264: "rename", 265: "link", 316: "rename"}
# What needs space, and so fails on a full disk.
GROWING = {"write", "pwrite64", "writev", "pwritev", "fallocate", "fsync", "fdatasync", "mkdir", "open"}

_CREATING = os.O_CREAT | os.O_TRUNC
_HERE = ctypes.c_int(-100).value  # AT_FDCWD
_RAX, _RDX, _RSI, _RDI, _CALL = 10, 12, 13, 14, 15  # places in the registers as ptrace gives them
_TRACE_ME, _CONTINUE, _GET_REGISTERS, _SET_REGISTERS, _SET_OPTIONS = 0, 7, 12, 13, 0x4200
_OPTIONS = 0x02 | 0x04 | 0x08 | 0x10 | 0x80 | 0x100000  # fork, vfork, clone, exec, seccomp; die with us
_SECCOMP_STOP, _ANY_CHILD = 7, 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class Step(NamedTuple):
    """A system call that changes the disk, with the path below the folder."""

    call: str
    path: str


class Fault(NamedTuple):
    """What happens at a step, before it is made; or the call fails with an error.

    A signal is sent again at each of the next steps, `times` in all. With `lasting`, the disk is full: later
    calls that need space fail too. `gone` is a folder that is moved away. With `pause`, the step waits.
    """

    at: int
    signal: int = 0
    times: int = 1
    error: int = 0
    lasting: bool = False
    gone: str = ""
    pause: bool = False


def can_trace() -> bool:
    """Return whether this machine lets a process trace its child."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return False
    child = os.fork()
    if child == 0:
        os._exit(_libc.ptrace(_TRACE_ME, 0, None, None) < 0)
    return os.waitpid(child, 0)[1] == 0


def be_traced() -> None:
    """Let the parent trace this process from here on."""
    _ptrace(_TRACE_ME, 0)
    os.kill(os.getpid(), signal.SIGSTOP)
    calls = [*_BY_DESCRIPTOR, *_BY_PATH, *_BY_FOLDER]
    program = [struct.pack("HBBI", 0x20, 0, 0, 0)]  # load the number of the call
    program += [struct.pack("HBBI", 0x15, len(calls) - place, 0, call) for place, call in enumerate(calls)]
    program += [struct.pack("HBBI", 0x06, 0, 0, verdict) for verdict in (0x7FFF0000, 0x7FF00000)]
    code = ctypes.create_string_buffer(b"".join(program))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(program), ctypes.addressof(code)))
    for arguments in ((38, 1, 0, 0, 0), (22, 2, head, 0, 0)):  # no new privileges, then the filter
        if _libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "prctl")


class Tracer:
    """Follows a child that called `be_traced`, and spoils one of its steps."""

    def __init__(self, child: int, folder: Path, fault: Fault | None, wait: Callable[[], None]) -> None:
        self.steps: list[Step] = []
        self._child, self._folder, self._fault, self._wait = child, os.path.realpath(folder), fault, wait
        self.strangers: dict[int, int] = {}  # how other children of this process ended meanwhile
        self._known = {child}

    def follow(self) -> int:
        """Return the status with which the child ended, as `os.waitpid` gives it."""
        os.waitpid(self._child, 0)
        _ptrace(_SET_OPTIONS, self._child, _OPTIONS)
        _ptrace(_CONTINUE, self._child)
        while True:
            process, status = os.waitpid(-1, _ANY_CHILD)
            if os.WIFSTOPPED(status):
                with contextlib.suppress(ProcessLookupError):  # killed meanwhile
                    self._go_on(process, status)
            elif process == self._child:
                return status
            else:
                self.strangers[process] = status

    def _go_on(self, process: int, status: int) -> None:
        number, event = os.WSTOPSIG(status), status >> 16
        new, self._known = process not in self._known, self._known | {process}
        if event == _SECCOMP_STOP:
            self._meet(process)
        _ptrace(_CONTINUE, process, 0 if event or (new and number == signal.SIGSTOP) else number)

    def _meet(self, process: int) -> None:
        registers = (ctypes.c_ulonglong * 27)()
        _ptrace(_GET_REGISTERS, process, ctypes.addressof(registers))
        step = self._step(process, registers)
        if step is None:
            return
        self.steps.append(step)
        if self._fails(step):
            registers[_CALL], registers[_RAX] = 2**64 - 1, 2**64 - self._fault.error  # skip the call
            _ptrace(_SET_REGISTERS, process, ctypes.addressof(registers))
        elif self._signals():
            os.kill(self._child, self._fault.signal)
        elif self._fault and len(self.steps) == self._fault.at:
            self._disturb(self._fault)

    def _disturb(self, fault: Fault) -> None:
        if fault.gone:
            place = Path(self._folder, fault.gone)
            place.rename(place.with_name(f"{place.name}-gone"))
        if fault.pause:
            self._wait()

    def _fails(self, step: Step) -> bool:
        fault, number = self._fault, len(self.steps)
        if fault is None or not fault.error:
            return False
        return step.call in GROWING and number >= fault.at if fault.lasting else number == fault.at

    def _signals(self) -> bool:
        fault = self._fault
        return bool(fault and fault.signal) and fault.at <= len(self.steps) < fault.at + fault.times

    def _step(self, process: int, registers: ctypes.Array) -> Step | None:
        call, first, second = registers[_CALL], registers[_RDI], registers[_RSI]
        if call in _BY_DESCRIPTOR:
            name, path = _BY_DESCRIPTOR[call], _target(process, f"fd/{first}")
        elif call in _BY_PATH:
            name, path = _BY_PATH[call], _absolute(process, _HERE, _text(process, first))
        else:
            name = _BY_FOLDER[call]
            if name == "open" and not registers[_RDX] & _CREATING:
                return None
            base = ctypes.c_int(first & 0xFFFFFFFF).value
            path = _absolute(process, base, _text(process, second))
        inside = os.path.relpath(path, self._folder)
        return None if inside.startswith("..") else Step(name, inside)


def _ptrace(request: int, process: int, data: int = 0) -> None:
    if _libc.ptrace(request, process, None, data) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _target(process: int, link: str) -> str:
    try:
        return str(Path(f"/proc/{process}/{link}").readlink())
    except OSError:
        return "/"


def _absolute(process: int, base: int, path: str) -> str:
    folder = _target(process, "cwd" if base == _HERE else f"fd/{base}")
    return os.path.normpath(Path(folder, path))


def _text(process: int, address: int) -> str:
    """Return the text that ends with a zero byte at an address of another process."""
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        found = b""
        for part in _parts(memory):
            found += part
            if b"\0" in part:
                break
    return os.fsdecode(found.partition(b"\0")[0])


def _parts(memory: object) -> Iterator[bytes]:
    """Yield bytes up to the ends of pages: what follows a page may not be there."""
    while True:
        yield memory.read(4096 - memory.tell() % 4096)
