"""`salva audit read`: report what the readers of sheets found."""

from __future__ import annotations

from collections.abc import Sequence

import click

from salva._show import interval, number, number_of
from salva.audit import QUESTIONS, Audit, AuditCounts, Disagreement, read
from salva.cli.options import common_options
from salva.cli.show import print_json, print_line, print_table

_SHOWN = 20  # items on which readers disagree


@click.command("read")
@click.argument("sheets", metavar="SHEETS...", nargs=-1, required=True)
@common_options
def command(sheets: tuple[str, ...], *, as_json: bool) -> None:
    """Report the invalid items, by rule and part of speech, and how well the readers agree.

    SHEETS are csv sheets that were filled in, what the page of a sheet saved, and JSON exports of Label
    Studio. An item is valid if most of its readers judge it valid; a tie counts as invalid. Items without a
    verdict are counted, and are not part of any rate.
    """
    audits = read(sheets)
    if as_json:
        print_json([audit.as_dict() for audit in audits])
        return
    for audit in audits:
        _print(audit)


def _print(audit: Audit) -> None:
    done = f"{audit.read:,} of {number_of(audit.items, 'item')} read"
    by = number_of(len(audit.readers), "reader")
    unread = f", {audit.unread:,} unread" if audit.unread else ""
    print_line(f"{audit.condition}, unit {audit.unit}: {done} by {by}{unread}")
    print_line(f"invalid, %: {number(audit.invalid.value)} {interval(audit.invalid, missing='')}".rstrip())
    meanings = QUESTIONS[audit.unit].verdicts
    rows = [(name, count, meanings[name].meaning) for name, count in audit.verdicts.items()]
    print_table("verdicts", ("verdict", "items", "meaning"), rows)
    for title, counts in (("rule", audit.rules), ("part of speech", audit.parts), ("reader", audit.readers)):
        _print_counts(title, counts)
    if len(audit.readers) > 1:
        _print_agreement(audit)


def _print_counts(title: str, counts: Sequence[AuditCounts]) -> None:
    if counts:
        rows = [
            (one.name, one.read, one.invalid, number(one.rate.value), interval(one.rate)) for one in counts
        ]
        print_table(f"invalid by {title}", (title, "read", "invalid", "%", "95 % interval"), rows)


def _print_agreement(audit: Audit) -> None:
    lines = [
        ("pairwise agreement on valid or not, %", audit.agreement, 1),
        ("Krippendorff's alpha of valid or not", audit.alpha, 3),
    ]
    if audit.unit == "edit":
        lines.append(("Krippendorff's alpha of all verdicts", audit.alpha_verdicts, 3))
    for name, estimate, digits in lines:
        between = interval(estimate, digits, missing="")
        print_line(f"{name}: {number(estimate.value, digits)} {between}".rstrip())
    if shown := audit.disagreements[:_SHOWN]:
        title = f"readers disagree on {number_of(len(audit.disagreements), 'item')}"
        if len(shown) < len(audit.disagreements):
            title += f"; the first {len(shown)}, all of them with --json"
        print_table(
            title, ("item", "id", "edit", "verdicts", "counts as"), [*map(_describe, shown)], cut=True
        )


def _describe(one: Disagreement) -> tuple[str | int, ...]:
    verdicts = ", ".join(f"{reader}: {verdict}" for reader, verdict in one.verdicts.items())
    edit = f"{one.old} → {one.new}" if one.old or one.new else ""
    return (one.item, one.id, edit, verdicts, "valid" if one.valid else "invalid")
