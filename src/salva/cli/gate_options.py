"""What the commands that check a run against limits share: their options, and what is written for CI."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from salva._files import storage_errors, write_atomically
from salva._show import NOTICE, interval, number
from salva.cli.options import OUTPUT, option, take_options
from salva.cli.show import is_quiet, print_line, print_table
from salva.evaluation import Run, load_run
from salva.evaluation.baseline import measure_changes
from salva.evaluation.checked import check_names, check_run
from salva.evaluation.github import annotation_lines, step_summary
from salva.evaluation.junit import junit_xml
from salva.numbers import Estimate

_VARIABLE = "GITHUB_STEP_SUMMARY"
_GROUP = "Limits, and what CI gets"

logger = logging.getLogger("salva")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The limits that a run must keep, and where the outcome is reported."""

    rules: tuple[str, ...] = option(
        "--fail-if",
        multiple=True,
        metavar="RULE",
        help="Exit with 1 if a rule such as 'drop.low > 4' holds for any condition.",
        group=_GROUP,
    )
    baseline: str | None = option(
        "--baseline",
        metavar="RUN",
        help="An earlier run over the same data; adds drop_change to the numbers of --fail-if.",
        group=_GROUP,
    )
    junit: str | None = option(
        "--junit",
        type=OUTPUT,
        metavar="FILE",
        help="Write JUnit XML: one test per condition, against --fail-if.",
        group=_GROUP,
    )
    summary: str | None = option(
        "--github-summary",
        type=OUTPUT,
        is_flag=False,
        flag_value=f"${_VARIABLE}",
        metavar="[FILE]",
        help=f"Add a Markdown summary to FILE, by default ${_VARIABLE}, and print annotations.",
        group=_GROUP,
    )

    def check(self, *, audited: bool = False) -> None:
        """Refuse rules that cannot be checked, and a baseline that is not one, before anything is done."""
        check_names(self.rules, audited=audited, baseline=self.baseline is not None)
        if self.baseline is not None:
            load_run(self.baseline)

    def apply(self, run: Run, *, as_json: bool = False) -> None:
        """Report a finished run to CI, then fail if a limit is broken."""
        baseline = None if self.baseline is None else load_run(self.baseline)
        changes = None if baseline is None else measure_changes(baseline, run)
        if baseline is not None and changes and not as_json and not is_quiet():
            _print_changes(baseline, run, changes)
        checked = check_run(run, self.rules, changes)
        if self.junit is not None:
            write_atomically(self.junit, junit_xml(checked), overwrite=True)
        if self.summary is not None:
            _append(self.summary, step_summary(checked))
            for line in annotation_lines(checked):
                print_line(line, to_stderr=True)
        checked.refuse_broken_limits()


gate_options = take_options(GateOptions, "gate")


def _append(target: str, text: str, variables: Mapping[str, str] = os.environ) -> None:
    """Add a text to a file, as GitHub wants it; earlier steps may have written there."""
    path = variables.get(_VARIABLE) if target == f"${_VARIABLE}" else target
    if not path:
        logger.log(
            NOTICE, "%s is not set, so no summary is written; --github-summary FILE names a file", _VARIABLE
        )
        return
    with storage_errors(path), Path(path).open("a", encoding="utf-8") as stream:
        stream.write(text)


def _print_changes(baseline: Run, run: Run, changes: Mapping[str, Estimate]) -> None:
    before = {condition.name: condition.score.drop.value for condition in baseline.results.conditions}
    rows = []
    for condition in run.results.conditions:
        name, drop, change = condition.name, condition.score.drop.value, changes[condition.name]
        rows.append((name, *map(number, (before[name], drop, change.value)), interval(change)))
    title = f"drop in points, compared with {baseline.folder}"
    print_table(title, ("condition", "baseline", "this run", "change", "95 % interval"), rows)
