"""`salva tasks show` and `salva tasks check`: the file of a task, and what it makes of a data set."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from salva._show import number_of
from salva.cli.data_options import reading_options
from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_marked
from salva.rows import ReadOptions
from salva.tasks import CheckedRow, check_task, read_task, show_task


@click.command("show")
@click.argument("name")
@common_options
def show(name: str, *, as_json: bool) -> None:
    """Print the task NAME as TOML: edit the file, and pass it as FILE.toml."""
    if as_json:
        print_json({"name": name, **read_task(name).content})
    else:
        print_line(show_task(name).rstrip("\n"))


@click.command("check")
@click.argument("name", metavar="TASK")
@click.argument("source", metavar="DATA")
@click.option(
    "--rows", type=click.IntRange(min=1), default=3, show_default=True, help="How many rows to show."
)
@click.option("--reply", "replies", multiple=True, metavar="TEXT", help="A reply to grade, too.")
@reading_options
@common_options
def command(
    name: str, source: str, *, rows: int, replies: tuple[str, ...], reading: ReadOptions, as_json: bool
) -> None:
    """Show the prompts that TASK makes of the first rows of DATA, with what is protected in them marked.

    TASK is a file that ends in .toml, or a task that ships. No model is asked.
    """
    task = read_task(name)
    checked = check_task(task, source, rows=rows, replies=replies, options=reading)
    if as_json:
        print_json([_plain(row) for row in checked])
        return
    print_line(f"edited: {', '.join(task.edit)}; protected where it occurs there: {', '.join(task.protect)}")
    for row in checked:
        _print_row(row)


def _print_row(row: CheckedRow) -> None:
    print_line(f"\nrow {row.row + 1}, right answer: {' or '.join(map(repr, row.targets)) or 'none'}")
    print_marked("", row.text, row.protected, ("⟦", "⟧"), "bold")
    print_line(f"({number_of(len(row.protected), 'protected span')})")
    for graded in row.replies:
        if graded.judged is not None:
            print_line(f"reply {graded.reply!r}: the judge is asked:\n{graded.judged}")
        elif graded.answer is None:
            print_line(f"reply {graded.reply!r}: unparsed")
        else:
            score = "no target" if graded.score is None else f"score {graded.score:g}"
            print_line(f"reply {graded.reply!r}: answer {graded.answer!r}, {score}")


def _plain(row: CheckedRow) -> dict[str, Any]:
    return dataclasses.asdict(row) | {"messages": [message._asdict() for message in row.messages]}
