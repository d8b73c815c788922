"""Everything that Salva shows on a terminal: tables, plain lines; data has no effect there.

A review may hold escape sequences, text-direction overrides or `[bold]`; all are shown, none takes effect.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from salva._files import storage_errors
from salva._progress import tracking
from salva._show import NOTICE, number_of, printable

if TYPE_CHECKING:
    from rich.console import Console

_LONG, _CONTEXT = 600, 80  # characters of a text that is shown whole; of a longer one, around each span
_WIDE = 10_000  # more columns than any terminal has
_NUMBER = re.compile(r"(< )?-?[\d,]+(\.\d+)?|n/a|\[.+\]")


def is_quiet() -> bool:
    """Return whether the user asked to see only errors."""
    return logging.getLogger("salva").getEffectiveLevel() >= logging.ERROR


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show in a terminal what the block does, if it may take seconds and nothing can be counted."""
    with tracking(not is_quiet()) as tracker:
        tracker.begin(what)
        yield


def print_line(text: str, *, to_stderr: bool = False) -> None:
    """Print one line; characters that the console cannot show are escaped."""
    _write(printable(text).replace("\n", "\\n" if to_stderr else "\n") + "\n", to_stderr=to_stderr)


def print_json(value: Any) -> None:
    """Print a result as JSON, plain ASCII."""
    _write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def print_result(plain: Any, lines: Iterable[str], *, as_json: bool, to_stderr: bool = False) -> None:
    """Print a result as JSON, or some lines about it, unless the user wants only errors."""
    if as_json:
        print_json(plain)
    elif not is_quiet():
        for line in lines:
            print_line(line, to_stderr=to_stderr)


def print_marked(
    title: str, text: str, places: Sequence[tuple[int, int]], marks: tuple[str, str], style: str
) -> None:
    """Print a text with some places marked: in colour if available, otherwise between two marks.

    Of a long text, what is far from the places, which are ascending, is left out.
    """
    from rich.text import Text

    from salva import pages

    console = _console()
    coloured = console.is_terminal and not console.no_color
    line = Text(title)
    context = _CONTEXT if len(text) > _LONG else len(text)
    spans = [pages.Mark(start, end, "") for start, end in places]
    for segment in pages.marked(text, spans, context=context):
        if segment.kind == "gap":
            line.append(f" [… {number_of(segment.left_out, 'character')} …] ")
            continue
        edited, word = segment.kind == "edit", printable(segment.text)
        shown = f"{marks[0]}{word}{marks[1]}" if edited and not coloured else word
        line.append(shown, style=style if edited else None)
    with console.capture() as capture:
        console.print(line, soft_wrap=True)
    _write(capture.get())


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    cut: bool = False,
    keep: int | None = None,
) -> None:
    """Print a table; numbers are right-aligned and never broken.

    On a narrow terminal, columns move closer together if that suffices. Otherwise texts wrap between words,
    or with `cut` end with an ellipsis. If not even the longest words fit, the last columns are left out, of
    which the first `keep` always stay; only then are words broken.
    """
    from rich.box import SIMPLE_HEAD
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    console = _console()
    least = _widths(columns, rows, words=True)
    while keep is not None and len(least) > keep and not _fits(least, console.width):
        least.pop()
    columns, rows = columns[: len(least)], [row[: len(least)] for row in rows]
    table = Table(
        title=Text(printable(title)),
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for i, column in enumerate(columns):
        numeric = _is_numeric(rows, i)
        justify: Literal["right", "left"] = "right" if numeric else "left"
        table.add_column(Text(column), justify=justify, overflow="fold", no_wrap=numeric)
    shape: dict[str, Any] = {"no_wrap": True, "overflow": "ellipsis"} if cut else {}
    for row in rows:
        table.add_row(*(Text(printable(str(cell)), **shape) for cell in row))
    missing = Measurement.get(console, console.options.update(max_width=_WIDE), table).maximum - console.width
    if missing > 0 and (cut or missing < len(columns)):  # one space less between columns is enough
        table.padding = 0
    elif missing > 0 and _fits(least, console.width):
        spare = console.width - sum(least) - 2 * len(least)
        table.padding = (0, 1, 0, 0) if spare >= 0 else 0
        full = _widths(columns, rows, words=False)
        for shown, width in zip(table.columns, _share(least, full, spare), strict=True):
            shown.width = width
    with console.capture() as capture:
        console.print(table)
    _write(capture.get())


def _widths(columns: Sequence[str], rows: Sequence[Sequence[object]], *, words: bool) -> list[int]:
    """Return how wide each column must be for its longest number and word, or for its longest cell."""
    from rich.cells import cell_len

    widths = []
    for i, column in enumerate(columns):
        cells = [column, *(printable(str(row[i])) for row in rows)]
        parts = cells if _is_numeric(rows, i) or not words else " ".join(cells).split()
        widths.append(max(map(cell_len, parts), default=0))
    return widths


def _fits(widths: Sequence[int], room: int) -> bool:
    """Return whether columns fit with one space around each."""
    return sum(widths) + len(widths) + 1 <= room


def _share(least: Sequence[int], full: Sequence[int], spare: int) -> Iterator[int]:
    """Yield widths of columns from the least to the full ones, the first columns first."""
    for low, high in zip(least, full, strict=True):
        more = min(max(spare, 0), high - low)
        spare -= more
        yield low + more


def _is_numeric(rows: Sequence[Sequence[object]], column: int) -> bool:
    cells = (row[column] for row in rows)
    return all(isinstance(cell, int | float) or _NUMBER.fullmatch(str(cell)) for cell in cells)


def log_to_terminal(verbosity: int) -> None:
    """Send Salva's log to standard error: notices and warnings, more with -v, only errors with -q."""
    logger = logging.getLogger("salva")
    logger.setLevel({-1: logging.ERROR, 0: NOTICE, 1: logging.INFO}.get(max(-1, verbosity), logging.DEBUG))
    if not any(isinstance(handler, _LineHandler) for handler in logger.handlers):
        logger.addHandler(_LineHandler())


class _LineHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        level = "" if record.levelno == NOTICE else f"{record.levelname.lower()}: "
        print_line(f"salva: {level}{record.getMessage()}", to_stderr=True)
        if record.exc_info:
            for line in logging.Formatter().formatException(record.exc_info).splitlines():
                print_line(line, to_stderr=True)


def _write(text: str, *, to_stderr: bool = False) -> None:
    stream = sys.stderr if to_stderr else sys.stdout
    if stream is None:  # closed by the parent process, which wants no output
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    with storage_errors("<stderr>" if to_stderr else "<stdout>"):
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()


@cache
def _console() -> Console:
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False)
