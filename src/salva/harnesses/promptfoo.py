"""promptfoo: a configuration with one test per question, whose answers Salva grades. JSON is YAML, too."""

from __future__ import annotations

import json
from pathlib import Path

from salva._files import Unit
from salva.harnesses.files import write_text
from salva.harnesses.questions import Exported

_GRADE = '''"""Grades replies as Salva does; made by salva suite export."""

from pathlib import Path


def get_assert(output, context):
    """Return whether a reply is right, its score, and the answer in it."""
    from salva.suites.grading import grade_reply

    question = context["vars"]["question"]
    found = grade_reply(Path(__file__).parent / "task.json", question, output)
    reason = "the reply has no answer" if found.answer is None else f"the answer is {found.answer!r}"
    return {"pass": found.right, "score": found.score, "reason": reason}
'''
_PROMPT = '''"""Gives every question its messages; made by salva suite export."""

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


def write_promptfoo(folder: Path, suite: Exported, unit: Unit, *, overwrite: bool) -> list[str]:
    """Write the configuration without a provider, and one file of tests per condition; return their names."""
    tests = [f"{part.name}.json" for part in suite.parts]
    config = {
        "description": f"{suite.name}, {suite.digest}",
        "prompts": ["file://salva_prompt.py:get_prompt"],
        "providers": [],
        "defaultTest": {"assert": [{"type": "python", "value": "file://salva_grade.py"}]},
        "tests": [f"file://{name}" for name in tests],
    }
    files = {
        "promptfooconfig.yaml": json.dumps(config, indent=1) + "\n",
        "salva_prompt.py": _PROMPT,
        "salva_grade.py": _GRADE,
        "task.json": json.dumps(suite.task, indent=1) + "\n",
    }
    for name, text in files.items():
        write_text(folder / name, text, unit, overwrite=overwrite)
    for part, name in zip(suite.parts, tests, strict=True):
        cases = [
            {
                "description": f"{part.condition}: {question.id}",
                "vars": {"question": question.as_dict()},
                "metadata": {"salva": question.salva, "condition": part.condition, "id": question.id},
            }
            for question in part.questions()
        ]
        write_text(
            folder / name, json.dumps(cases, ensure_ascii=False, indent=1) + "\n", unit, overwrite=overwrite
        )
    return [*files, *tests]
