"""`salva outliers status`: the progress of a collection of sets."""

from __future__ import annotations

import click

from salva._show import number_of
from salva.cli.options import common_options
from salva.cli.outliers.options import languages_option, profile_option
from salva.cli.show import print_json, print_line, print_table
from salva.outliers.authoring.files import Cell, status
from salva.outliers.checks.table import Profile


@click.command("status")
@click.argument("folder", type=click.Path())
@languages_option(help="Show only these, even without sets.")
@profile_option(help="Rules to apply.")
@common_options
def command(folder: str, *, languages: tuple[str, ...], profile: Profile, as_json: bool) -> None:
    """Show a table of topics by languages: ok, the number of errors, or missing."""
    progress = status(folder, languages=languages or None, profile=profile)
    if as_json:
        print_json(progress.as_dict())
        return
    rows = [
        (topic, *(_show(cells[language]) for language in progress.languages))
        for topic, cells in progress.topics.items()
    ]
    print_table(number_of(len(rows), "topic"), ["topic", *progress.languages], rows)
    for language, counts in progress.totals().items():
        print_line(f"{language}: {', '.join(f'{count:,} {state}' for state, count in counts.items())}")


def _show(cell: Cell) -> str:
    if cell.state != "errors":
        return cell.state
    return number_of(cell.errors, "error")
