"""What is shown on a terminal cannot act there."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import pty
import subprocess
import sys

import pytest

from salva._show import printable
from salva.cli.show import log_to_terminal, print_line, print_table, working

HOSTILE = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
    "\r",
    "\x08",
    "\x7f",
    "\ud800",
]

NONE = ("transform", "--preset", "none")


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_what_acts_or_hides_is_shown_as_its_escape(text):
    shown = printable(f"a{text}b")
    assert shown.isprintable()
    assert shown.startswith("a\\")
    assert shown.endswith("b")


def test_ordinary_text_of_any_script_is_left_alone():
    text = "naïve café, ‘quotes’ – 電影, שלום, 🎬 [bold] :heart: [/quote]\n\ttab"
    assert printable(text) == text


def test_markup_in_data_is_text(capsys):
    print_table("[bold]t[/bold]", ["a", "n"], [("[/quote] [red]x :heart:", 1), ("\x1b[2J", 22)])
    out = capsys.readouterr().out
    assert "[bold]t[/bold]" in out
    assert "[/quote] [red]x :heart:" in out
    assert "\\x1b[2J" in out
    assert "\x1b" not in out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_narrow_console_never_raises(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    print_line("naïve 電影")
    assert raw.getvalue().decode(encoding) == "naïve 電影\n".encode(encoding, "backslashreplace").decode(
        encoding
    )


def test_a_table_on_a_narrow_console_never_raises(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    print_table("電", ["a"], [("é",)])
    assert b"\\xe9" in raw.getvalue()


def test_an_error_is_one_line_whatever_the_file_is_called(salva):
    outcome = salva(*NONE, "no\nsuch\x1b[2Jfile.csv", "-o", "b.csv")
    assert outcome.err == "salva: no\\nsuch\\x1b[2Jfile.csv: no such file\n"


def everything_shown(main: int) -> bytes:
    """Read a terminal whose other end is closed to its end, which comes as an error."""
    shown = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(main, 100_000):
            shown += chunk
    os.close(main)
    return shown


@pytest.mark.parametrize(("verbosity", "shown"), [(0, True), (-1, False)])
def test_a_command_says_what_it_does_unless_it_is_quiet(monkeypatch, verbosity, shown):
    main, worker = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    logger = logging.getLogger("salva")
    monkeypatch.setattr(logger, "handlers", [*logger.handlers])
    before = logger.level
    with os.fdopen(worker, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        log_to_terminal(verbosity)
        with working("making the corpus"):
            pass
        logger.setLevel(before)
    assert (b"making the corpus" in everything_shown(main)) is shown


def test_a_dumb_terminal_gets_no_control_codes():
    main, worker = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "TERM": "dumb", "COLUMNS": "20"}
    command = [sys.executable, "-m", "salva", "lexicon", "synonyms", "film"]
    done = subprocess.run(command, stdout=worker, stderr=worker, env=environment, check=False)
    os.close(worker)
    assert done.returncode == 0
    shown = everything_shown(main)
    assert b"film" in shown
    assert b"\x1b" not in shown


@pytest.mark.parametrize(
    ("columns", "line"),
    [(18, " word  [1.0, 2.0] "), (17, " word [1.0, 2.0] "), (16, " wo  [1.0, 2.0] ")],
)
def test_numbers_are_never_broken_and_columns_stand_closer_first(capsys, set_width, columns, line):
    set_width(columns)
    print_table("t", ["a", "n"], [("word", "[1.0, 2.0]")])
    assert line in capsys.readouterr().out.splitlines()
