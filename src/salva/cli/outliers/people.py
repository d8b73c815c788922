"""`salva outliers annotate` and `agreement`: exercises for people, and how well they agree."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

import click

from salva._show import interval, number, number_of
from salva.cli.options import OUTPUT, common_options
from salva.cli.outliers.options import overwrite_option, seed_option
from salva.cli.show import is_quiet, print_json, print_line, print_table
from salva.errors import UsageError
from salva.outliers.people.agreement import Agreement, AnswerCounts, agreement
from salva.outliers.people.annotation import Question, Session, questions, write_annotation_page
from salva.outliers.sets import WordSet, read_finished_sets

_ESCAPE = "\x1b"
_KEYS = "1-9, s skip, u undo, q quit"


@click.command("annotate")
@click.argument("sets", metavar="SETS")
@click.option("--annotator", metavar="NAME", help="Who answers.")
@click.option(
    "-o", "--output", type=OUTPUT, metavar="FILE", help="File of answers, JSON lines; continued if it exists."
)
@click.option("--html", type=OUTPUT, metavar="FILE", help="Write a page that works offline instead.")
@click.option("--language", metavar="L", help="Language of the sets, such as EN.")
@click.option("--exercises", type=int, metavar="N", help="How many; default: one per set, at most eight.")
@seed_option(help="Seed for choice and order.")
@overwrite_option(help="Replace the page if it exists.")
@common_options
def annotate_command(
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
    word_sets = read_finished_sets(sets, languages=None if language is None else [language], mend=True)
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
        yield from _ESCAPE if keys.startswith(b"\x1b") else keys.decode("utf-8", "replace").lower()


def _ask(session: Session, keys: Iterator[str]) -> None:
    """Ask one question after another on standard error; the result goes to standard output."""
    while (question := session.current) is not None:
        print_line(f"{session.done + 1} of {session.total}", to_stderr=True)
        for i, word in enumerate(question.words, 1):
            print_line(f"  {i}  {word.replace('_', ' ')}", to_stderr=True)
        print_line(f"which does not belong? {_KEYS}", to_stderr=True)
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
        print_line(f"  {_explain_key(key)}; {_KEYS}", to_stderr=True)
    return False


def _explain_key(key: str) -> str:
    """Return why a key did nothing."""
    if key == "u":
        return "there is no answer to take back"
    return f"{key!r} is not a key here" if key.isprintable() else "that is not a key here"


def _show(result: dict[str, object], line: str, *, as_json: bool) -> None:
    if as_json:
        print_json(result)
    elif not is_quiet():
        print_line(line)


_AGREEMENT_COLUMNS = ("answered", "skipped", "right", "accuracy", "95 % interval")


@click.command("agreement")
@click.argument("sets", metavar="SETS")
@click.argument("answers", metavar="ANSWERS...", nargs=-1, required=True)
@seed_option(help="Seed used by annotate.")
@click.option(
    "--threshold",
    type=float,
    default=90.0,
    show_default=True,
    metavar="P",
    help="Report sets with a lower accuracy, in percent.",
)
@common_options
def agreement_command(
    sets: str, answers: tuple[str, ...], *, seed: int, threshold: float, as_json: bool
) -> None:
    """Report how often annotators chose the outlier, how well they agree, and which sets to review.

    SETS are the annotated sets, ANSWERS the files written by `annotate` or downloaded from its page.
    """
    result = agreement(read_finished_sets(sets, mend=True), answers, seed=seed, threshold=threshold)
    if as_json:
        print_json(result.as_dict())
    else:
        _print_agreement(result)


def _print_agreement(result: Agreement) -> None:
    print_line(f"{number_of(result.exercises, 'exercise')}, {number_of(len(result.annotators), 'annotator')}")
    for name, estimate, digits in (
        ("accuracy, %", result.total.accuracy, 1),
        ("pairwise agreement, %", result.pairwise, 1),
        ("free-marginal kappa", result.kappa, 3),
        ("Krippendorff's alpha", result.alpha, 3),
    ):
        between = interval(estimate, digits, missing="")
        print_line(f"{name}: {number(estimate.value, digits)} {between}".rstrip())
    print_table("annotators", ("annotator", *_AGREEMENT_COLUMNS), [*map(_counts_row, result.annotators)])
    print_table("sub-sets", ("sub-set", *_AGREEMENT_COLUMNS), [*map(_counts_row, result.subsets)])
    if result.pairs:
        rows = [
            (p.a, p.b, p.n, p.same, number(p.rate.value), interval(p.rate, missing="")) for p in result.pairs
        ]
        print_table("pairs", ("a", "b", "both answered", "same answer", "agreement", "95 % interval"), rows)
    _print_sets(result)


def _print_sets(result: Agreement) -> None:
    """Print the sets under the threshold, and how many cannot be judged."""
    under = sorted(result.under, key=lambda set_: set_.answers.accuracy.value or 0.0)
    few = len(result.unjudged)
    title = f"sets under {result.threshold:g} %: {len(under)} of {len(result.sets) - few}"
    if few:
        title += f"; {number_of(few, 'set has', 'sets have')} fewer than two answers, too few for a verdict"
    rows_of_sets = [
        (f"{s.language}-{s.topic}", *_counts_row(s.answers)[1:], "yes" if s.surely_under else "")
        for s in under
    ]
    if under:
        print_table(title, ("set", *_AGREEMENT_COLUMNS, "surely"), rows_of_sets)
    else:
        print_line(title)


def _counts_row(counts: AnswerCounts) -> tuple[str | int, ...]:
    accuracy = number(counts.accuracy.value), interval(counts.accuracy, missing="")
    return (counts.name, counts.answered, counts.skipped, counts.right, *accuracy)
