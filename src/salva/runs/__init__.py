"""The exchange with a model, in a folder: its rows, every answer, limits on calls and failures, and noise."""

from salva.runs.asker import Asker, Budget, Failure, Texts, list_failures, question_id
from salva.runs.calls import ask
from salva.runs.engines import ENGINES, Engine
from salva.runs.folder import RunFolder
from salva.runs.noise import Noise, Reruns, Sample, count_noise
from salva.runs.records import Answer, Purpose
from salva.runs.rows import RowGroup, RunRows, write_rows
from salva.runs.store import AnswerStore
from salva.runs.stored import StoredAsker

__all__ = [
    "ENGINES",
    "Answer",
    "AnswerStore",
    "Asker",
    "Budget",
    "Engine",
    "Failure",
    "Noise",
    "Purpose",
    "Reruns",
    "RowGroup",
    "RunFolder",
    "RunRows",
    "Sample",
    "StoredAsker",
    "Texts",
    "ask",
    "count_noise",
    "list_failures",
    "question_id",
    "write_rows",
]
