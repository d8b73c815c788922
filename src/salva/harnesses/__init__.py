"""The files of other harnesses: tasks that they run, and logs that they write."""

from salva.harnesses.inspect import read_log, write_inspect
from salva.harnesses.lm_eval import read_samples, write_lm_eval
from salva.harnesses.promptfoo import CONFIGS, write_promptfoo
from salva.harnesses.questions import Exported, Part, Question, Reply

HARNESSES = {"inspect": write_inspect, "lm-eval": write_lm_eval, "promptfoo": write_promptfoo}
"""What writes the files of a suite for each harness."""

FIXED_NAMES = (
    *("task.json", "salva_functions.py", "salva_tasks.py"),
    *(*CONFIGS, "salva_prompt.py", "salva_grade.py"),
)
"""The names of files that do not depend on the suite."""

__all__ = ["FIXED_NAMES", "HARNESSES", "Exported", "Part", "Question", "Reply", "read_log", "read_samples"]
