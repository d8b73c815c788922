"""Progress of long tasks: what is reported, and the line that shows it in a terminal or a notebook.

No thread and no timer: the line changes when the task reports something, at most ten times per second.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from salva._show import duration

_PAUSE = 0.1  # seconds between two changes of the line


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a phase of a task has come."""

    phase: str  #: such as "asking", "noise" or "blame"
    unit: str = ""  #: what is counted: "texts", "rows", "steps"; empty if nothing is
    done: int = 0  #: including those that are `stored` or `repeated`
    total: int | None = None  #: None if it is not known
    about: bool = False  #: whether the total is an estimate
    stored: int = 0  #: texts whose answer was in the store when a run was resumed
    repeated: int = 0  #: texts that were asked about before in the same run, and rows without a text
    note: str = ""  #: further numbers, such as the loss of a training

    @property
    def worked(self) -> int:
        """How many took work: for texts, those that the model was asked about."""
        return self.done - self.stored - self.repeated


Report: TypeAlias = Callable[[Progress], object]
#: What functions take as `progress`: whether to show a line, or a function that gets every report.
ProgressOption: TypeAlias = bool | Report


class Tracker:
    """Counts what a task has done, and reports every change."""

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._now = Progress("")

    def begin(self, phase: str, unit: str = "", total: int | None = None, *, about: bool = False) -> None:
        """Begin a phase, with nothing done."""
        self._send(Progress(phase, unit, total=total, about=about))

    def advance(self, done: int, *, stored: int = 0, repeated: int = 0, **changes: Any) -> None:
        """Add to the counts of the phase, if it has any; `changes` are new values of its other fields."""
        if self._report is not None and self._now.unit:
            now = self._now
            changes |= {"done": now.done + done, "stored": now.stored + stored}
            self._send(replace(now, repeated=now.repeated + repeated, **changes))

    def reach(self, done: int, **changes: Any) -> None:
        """Set how many are done, for tasks that count themselves."""
        self.advance(done - self._now.done, **changes)

    def _send(self, now: Progress) -> None:
        self._now = now
        if self._report is not None:
            self._report(now)


@contextlib.contextmanager
def tracking(progress: ProgressOption | None) -> Iterator[Tracker]:
    """Provide the tracker of a task: for a line, a function of the caller's, or nobody.

    The line is shown in a notebook, or on standard error if that is a terminal; otherwise there is none.
    """
    display = _find_display() if progress and not callable(progress) else None
    if display is None:
        yield Tracker(progress if callable(progress) else None)
        return
    started, outcome = time.monotonic(), "stopped after"
    try:
        yield Tracker(ProgressLine(display.show))
        outcome = "finished in"
    finally:
        display.close(f"{outcome} {duration(time.monotonic() - started)}")


class ProgressLine:
    """Turns reports into a line: how many are done, how fast, how long it still takes.

    Only what took work counts for the rate, and only the time in which work was done. The time left is that
    of all that is not done yet at this rate.
    """

    def __init__(self, show: Callable[[str], None], clock: Callable[[], float] | None = None) -> None:
        self._show, self._clock = show, clock or time.monotonic
        self._last: Progress | None = None
        self._shown = self._since = self._spent = 0.0

    def __call__(self, now: Progress) -> None:
        """Take a report; show it, unless another was shown a moment ago."""
        moment = self._clock()
        begins = self._last is None or (now.phase, now.unit) != (self._last.phase, self._last.unit)
        if begins:
            self._spent = 0.0
        elif self._last is not None and now.worked > self._last.worked:
            self._spent += moment - self._since
        self._since, self._last = moment, now
        if begins or moment - self._shown >= _PAUSE:
            self._shown = moment
            self._show(self._describe(now))

    def _describe(self, now: Progress) -> str:
        if not now.unit:
            return now.phase
        about = "about " if now.about else ""
        of_all = "" if now.total is None else f" of {about}{now.total:,}"
        parts = [f"{now.phase}: {now.done:,}{of_all} {now.unit}"]
        if now.worked > 0 and self._spent > 0:
            rate = now.worked / self._spent
            shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
            parts.append(f"{shown} {now.unit}/s")
            if now.total is not None and now.total > now.done:
                parts.append(f"{duration((now.total - now.done) / rate)} left")
        if now.stored:
            parts.append(f"{max(100 * now.stored // now.done, 1)} % from the store")
        return ", ".join([*parts, now.note] if now.note else parts)


def _find_display() -> _NotebookLine | _TerminalLine | None:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is not None:
        return _NotebookLine()
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    return _TerminalLine()


class _TerminalLine:
    """A line on standard error that is rewritten, and removed at the end; what others print is above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)

    def show(self, line: str) -> None:
        from rich.text import Text

        self._live.start()
        self._live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)

    def close(self, last: str) -> None:
        self._live.stop()


class _NotebookLine:
    """A line under the cell that is rewritten, and at the end says how long the task took."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, line: str) -> None:
        from IPython.display import display

        content = {"text/plain": line}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def close(self, last: str) -> None:
        if self._handle is not None:
            self.show(last)
