"""`salva outliers annotate`: exercises for people, on the terminal or on one page."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.outliers.options import overwrite_option, seed_option
from salva.cli.show import is_quiet, print_json, print_line
from salva.errors import UsageError
from salva.outliers.people.annotation import Question, Session, questions, write_annotation_page
from salva.outliers.sets import WordSet, read_sets


@click.command("annotate")
@click.argument("sets", metavar="SETS")
@click.option("--annotator", metavar="NAME", help="Who answers.")
@click.option("-o", "--output", metavar="FILE", help="File of answers, JSON lines; continued if it exists.")
@click.option("--html", metavar="FILE", help="Write a page that works offline instead.")
@click.option("--language", metavar="L", help="Language of the sets, such as EN.")
@click.option("--exercises", type=int, metavar="N", help="How many; default: one per set, at most eight.")
@seed_option(help="Seed for choice and order.")
@overwrite_option(help="Replace the page if it exists.")
@common_options
def command(
    sets: str,
    *,
    annotator: str | None,
    output: str | None,
    html: str | None,
    language: str | None,
    exercises: int | None,
    seed: int,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Ask a person which word does not belong, nine words at a time.

    SETS is a file or a folder. Keys: 1 to 9 choose, s skips, u takes back the last answer, q stops; run the
    same command again to continue. To compare people, give them the same SETS, --exercises and --seed.
    """
    word_sets = read_sets(sets, languages=None if language is None else [language], mend=True)
    _check_one_language(word_sets)
    if html is not None:
        asked = write_annotation_page(word_sets, html, count=exercises, seed=seed, overwrite=overwrite)
        _show({"page": html, "exercises": asked}, f"{html}: {number_of(asked, 'exercise')}", as_json=as_json)
        return
    if annotator is None or output is None:
        raise UsageError("no annotator or output; pass --annotator NAME and -o FILE, or --html FILE")
    if not sys.stdin.isatty():
        raise UsageError("standard input must be a terminal; to ask people elsewhere, pass --html FILE")
    session = Session(questions(word_sets, count=exercises, seed=seed), output, annotator)
    with _open_keyboard() as keys:
        _ask(session, keys)
    result = {"annotator": session.annotator, "answers": output, "exercises": session.total}
    result |= {"done": session.done, "skipped": session.skipped}
    line = f"{output}: {session.done} of {session.total} done, {session.skipped} of them skipped"
    _show(result, line, as_json=as_json)


def _check_one_language(sets: list[WordSet]) -> None:
    languages = sorted({words.language for words in sets})
    if len(languages) > 1:
        raise UsageError(f"the sets are in {', '.join(languages)}; pass --language")


@contextlib.contextmanager
def _open_keyboard() -> Iterator[Iterator[str]]:
    """Yield keys as they are pressed, without waiting for the end of a line.

    The terminal stays in this mode throughout: switching back and forth would lose keys typed quickly.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows
        yield iter(click.getchar, "")
        return
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    tty.setcbreak(handle, termios.TCSANOW)
    try:
        yield _read_keys(handle)
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _read_keys(handle: int) -> Iterator[str]:
    while keys := os.read(handle, 64):
        # Arrow keys and the like arrive as an escape with digits and letters, which are not answers.
        yield from "" if keys.startswith(b"\x1b") else keys.decode("ascii", "ignore").lower()


def _ask(session: Session, keys: Iterator[str]) -> None:
    """Ask one question after another on standard error; the result goes to standard output."""
    while (question := session.current) is not None:
        print_line(f"{session.done + 1} of {session.total}", to_stderr=True)
        for i, word in enumerate(question.words, 1):
            print_line(f"  {i}  {word.replace('_', ' ')}", to_stderr=True)
        print_line("which does not belong? 1-9, s skip, u undo, q quit", to_stderr=True)
        if not _take_answer(session, question, keys):
            return


def _take_answer(session: Session, question: Question, keys: Iterator[str]) -> bool:
    """Read keys until one of them is an answer; return whether to continue."""
    for key in keys:
        if key in "q\x04":
            return False
        if key == "u" and session.undo():
            print_line("  taken back", to_stderr=True)
            return True
        if key in "s123456789":
            word = None if key == "s" else question.words[int(key) - 1]
            session.answer(word)
            print_line("  skipped" if word is None else f"  {word.replace('_', ' ')}", to_stderr=True)
            return True
    return False


def _show(result: dict[str, object], line: str, *, as_json: bool) -> None:
    if as_json:
        print_json(result)
    elif not is_quiet():
        print_line(line)
