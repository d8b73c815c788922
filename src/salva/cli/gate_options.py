"""What the commands that check a run against limits share: their options, and what is written for CI."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from salva._files import storage_errors, write_atomically
from salva._show import NOTICE
from salva.cli.options import option, take_options
from salva.cli.show import print_line
from salva.evaluation import Run
from salva.evaluation.checked import check_run
from salva.evaluation.github import annotation_lines, step_summary
from salva.evaluation.junit import junit_xml
from salva.evaluation.limits import check_names

_VARIABLE = "GITHUB_STEP_SUMMARY"

logger = logging.getLogger("salva")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The limits that a run must keep, and where the outcome is reported."""

    rules: tuple[str, ...] = option(
        "--fail-if",
        multiple=True,
        metavar="RULE",
        help="Exit with 1 if a rule such as 'drop.low > 4' holds for any condition.",
    )
    junit: str | None = option(
        "--junit", metavar="FILE", help="Write JUnit XML: one test per condition, against --fail-if."
    )
    summary: str | None = option(
        "--github-summary",
        is_flag=False,
        flag_value=f"${_VARIABLE}",
        metavar="[FILE]",
        help=f"Add a Markdown summary to FILE, by default ${_VARIABLE}, and print annotations.",
    )

    def check(self, *, audited: bool = False) -> None:
        """Refuse rules that could never be checked, before the model is asked."""
        check_names(self.rules, audited=audited)

    def apply(self, run: Run) -> None:
        """Report a finished run to CI, then fail if a limit is broken."""
        checked = check_run(run, self.rules)
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
