"""Run directories: settings written once, rows kept, answers stored, and what was found at the end."""

from salva.runs.folder import RunFolder
from salva.runs.kept import Kept, KeptRows, keep_rows
from salva.runs.store import AnswerStore, Stored

__all__ = ["AnswerStore", "Kept", "KeptRows", "RunFolder", "Stored", "keep_rows"]
