"""promptfoo: a configuration with one test per question, whose answers Salva grades. JSON is YAML, too."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from salva._files import Unit
from salva.harnesses.questions import CONTRASTS, Exported, Part, write_texts

_GRADE = '''"""Grades replies as Salva does; made by salva questions --to."""

from pathlib import Path


def get_assert(output, context):
    """Return whether a reply is right, its score, and the answer in it."""
    from salva.questions.export import grade_reply

    question = context["vars"]["question"]
    found = grade_reply(Path(__file__).parent / "task.json", question, output)
    reason = "the reply has no answer" if found.answer is None else f"the answer is {found.answer!r}"
    return {"pass": found.right, "score": found.score, "reason": reason}
'''
_PROMPT = '''"""Gives every question its messages; made by salva questions --to."""

import json
import re


def get_prompt(context):
    """Return the messages of a question, in which promptfoo finds no template to fill."""
    messages = context["vars"]["question"]["messages"]
    return json.dumps([one | {"content": escape(one["content"])} for one in messages])


def escape(text):
    """Return a text from which promptfoo makes the text: what begins a template there becomes one."""
    return re.sub(r"\\{(?=[{%#])", '{{ "{" }}', text)
'''


CONFIGS = ("promptfooconfig.yaml", f"promptfooconfig.{CONTRASTS}.yaml")
"""The configurations: of the conditions, and of contrasts."""


def write_promptfoo(folder: Path, suite: Exported, unit: Unit, *, overwrite: bool) -> list[str]:
    """Write configurations without a provider, and one file of tests per condition; return their names."""
    files = {
        "salva_prompt.py": _PROMPT,
        "salva_grade.py": _GRADE,
        "task.json": json.dumps(suite.task, indent=1) + "\n",
    }
    for config, parts in zip(CONFIGS, suite.groups.values(), strict=False):
        files[config] = _configure(suite, parts)
    write_texts(folder, files, unit, overwrite=overwrite)
    for part in suite.parts:
        cases = [
            {
                "description": f"{part.condition}: {question.id}",
                "vars": {"question": question.as_dict()},
                "metadata": {"salva": question.salva, "condition": part.condition, "id": question.id},
            }
            for question in part.questions()
        ]
        texts = {f"{part.name}.json": json.dumps(cases, ensure_ascii=False, indent=1) + "\n"}
        write_texts(folder, texts, unit, overwrite=overwrite)
    return [*files, *(f"{part.name}.json" for part in suite.parts)]


def _configure(suite: Exported, parts: Sequence[Part]) -> str:
    """Return the configuration of parts whose scores may be added up."""
    config = {
        "description": f"{suite.name}, {suite.digest}",
        "prompts": ["file://salva_prompt.py:get_prompt"],
        "providers": [],
        "defaultTest": {"assert": [{"type": "python", "value": "file://salva_grade.py"}]},
        "tests": [f"file://{part.name}.json" for part in parts],
    }
    return json.dumps(config, indent=1) + "\n"
