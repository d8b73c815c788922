"""Does the model still get it right? Data, transforms and a model go in; a run with results comes out."""

from salva.evaluation.asserting import assert_robust
from salva.evaluation.comparing import RunComparison, compare
from salva.evaluation.freezing import freeze
from salva.evaluation.limits import check_limits
from salva.evaluation.outline import Outline, outline
from salva.evaluation.page import report_page
from salva.evaluation.remaking import remake
from salva.evaluation.rescoring import rescore
from salva.evaluation.results import Results
from salva.evaluation.run import Run, evaluate, load_run
from salva.evaluation.settings import EvaluationSettings
from salva.evaluation.tables import conditions_table, write_results
from salva.evaluation.tracking import log_run

__all__ = [
    "EvaluationSettings",
    "Outline",
    "Results",
    "Run",
    "RunComparison",
    "assert_robust",
    "check_limits",
    "compare",
    "conditions_table",
    "evaluate",
    "freeze",
    "load_run",
    "log_run",
    "outline",
    "remake",
    "report_page",
    "rescore",
    "write_results",
]
