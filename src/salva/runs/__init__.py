"""Run directories: the settings, written once, the rows, the answers and, at the end, the results."""

from salva._types import Stored
from salva.runs.folder import RunFolder
from salva.runs.kept import Kept, KeptRows, keep_rows
from salva.runs.store import AnswerStore

__all__ = ["AnswerStore", "Kept", "KeptRows", "RunFolder", "Stored", "keep_rows"]
