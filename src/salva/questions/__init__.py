"""What is asked about every item under every condition, as one table. Nothing here knows an answer."""

from salva.questions.cost import Cost, estimate_cost
from salva.questions.export import export
from salva.questions.make import make_questions
from salva.questions.options import Conditions, Data, Limits, Measure, Options
from salva.questions.suite import Suite, open_suite
from salva.questions.table import Condition, Questions

__all__ = [
    "Condition",
    "Conditions",
    "Cost",
    "Data",
    "Limits",
    "Measure",
    "Options",
    "Questions",
    "Suite",
    "estimate_cost",
    "export",
    "make_questions",
    "open_suite",
]
