"""Does the model still get it right? Data, transforms and a model go in; a run with results comes out."""

from salva.evaluation.comparing import RunComparison, compare_runs
from salva.evaluation.exporting import Outline, outline
from salva.evaluation.limits import check_limits
from salva.evaluation.loading import load_run
from salva.evaluation.logging_to import log_run
from salva.evaluation.page import report_page
from salva.evaluation.results import Results
from salva.evaluation.robust import assert_robust
from salva.evaluation.run import Run, evaluate
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.tables import conditions_table, write_results

__all__ = [
    "EvaluationSettings",
    "Outline",
    "Results",
    "Run",
    "RunComparison",
    "assert_robust",
    "check_limits",
    "compare_runs",
    "conditions_table",
    "evaluate",
    "load_run",
    "log_run",
    "outline",
    "report_page",
    "write_results",
]
