"""Do the twins keep the meaning? Sheets for readers, their verdicts, and drops without invalid twins."""

from salva.audit.correction import correct
from salva.audit.reading import Judgement, read_judgements
from salva.audit.results import Audit, AuditCounts, Disagreement, count_verdicts, read
from salva.audit.sampling import sample
from salva.audit.sheet import Item, ItemEdit, Sheet
from salva.audit.verdicts import QUESTIONS, Question, Verdict
from salva.audit.writing import FORMATS, label_studio_config, write_sheet

__all__ = [
    "FORMATS",
    "QUESTIONS",
    "Audit",
    "AuditCounts",
    "Disagreement",
    "Item",
    "ItemEdit",
    "Judgement",
    "Question",
    "Sheet",
    "Verdict",
    "correct",
    "count_verdicts",
    "label_studio_config",
    "read",
    "read_judgements",
    "sample",
    "write_sheet",
]
