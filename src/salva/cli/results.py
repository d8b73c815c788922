"""A run on the terminal: conditions with intervals, curves in words, words to blame, path of the report."""

from __future__ import annotations

from salva._show import number_of
from salva.cli.show import print_line, print_table
from salva.evaluation import Run
from salva.evaluation.results import PresetResult, Results
from salva.evaluation.summary import conditions_shown, headlines, warnings_of

_SHOWN = 8


def print_results(run: Run) -> None:
    """Print the results, and where to find the rest."""
    results = run.results
    for line in headlines(results):
        print_line(line)
    headings, *rows = conditions_shown(results)
    print_table("accuracy in %, drop in points with a 95 % interval, same answers in %", headings, rows)
    for preset in results.presets:
        print_line(_reached(preset))
    _print_blame(results)
    for line in warnings_of(results):
        print_line(f"warning: {line}")
    if run.folder is not None:
        print_line(f"report: {run.folder / 'report.html'}")


def _reached(preset: PresetResult) -> str:
    reached = preset.curve.reached
    found = [f"{points} at {severity:.2f}" for points, severity in reached.items() if severity is not None]
    missed = [points for points, severity in reached.items() if severity is None]
    parts = [f"severity at which the drop reaches points: {', '.join(found)}"] if found else []
    parts += [f"not reached: {', '.join(missed)} points"] if missed else []
    return f"{preset.preset}: {'; '.join(parts)}"


def _print_blame(results: Results) -> None:
    blame = results.blame
    if blame is None or not blame.table:
        return
    rows = [
        (
            one.old,
            one.new,
            one.rule,
            one.seen,
            one.blamed,
            f"{one.rate.value:.0f} [{one.rate.low:.0f}, {one.rate.high:.0f}]",
        )
        for one in blame.table[:_SHOWN]
    ]
    title = f"words to blame: {blame.explained:,} of {number_of(blame.rows, 'flip')} explained"
    print_table(title, ("old", "new", "rule", "seen", "to blame", "% [interval]"), rows)
