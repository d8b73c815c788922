"""Does the answer stay right? Questions are asked, joined with their answers, and scored: a run."""

from salva.evaluation.asserting import assert_robust
from salva.evaluation.comparing import RunComparison, compare
from salva.evaluation.evaluating import evaluate
from salva.evaluation.gate import check_limits
from salva.evaluation.page import report_page
from salva.evaluation.rescoring import rescore
from salva.evaluation.results import Results
from salva.evaluation.run import Run, load_run
from salva.evaluation.tables import conditions_table, write_results
from salva.evaluation.tracking import log_run

__all__ = [
    "Results",
    "Run",
    "RunComparison",
    "assert_robust",
    "check_limits",
    "compare",
    "conditions_table",
    "evaluate",
    "load_run",
    "log_run",
    "report_page",
    "rescore",
    "write_results",
]
