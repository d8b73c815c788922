"""Run tasks with Inspect and a mock model, whose replies are computed from the question and sometimes right.

Started in the environment of Inspect: `python -m tests.harnesses.mock_model TASKS ARGUMENTS FORMAT`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

WORDS = ("story", "film", "good", "I do not know.")


def reply(messages: list[Any], *_: Any) -> Any:
    """Return what the mock model replies."""
    from inspect_ai.model import ModelOutput, ModelUsage

    text = str(messages[-1].content)
    output = ModelOutput.from_content("mockllm/model", WORDS[len(text) % len(WORDS)])
    # Without it, the tokens are counted with a file that would have to be downloaded.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def main() -> None:
    """Run what the command line names; the logs go to the folder `log`."""
    import inspect_ai
    from inspect_ai.model import get_model

    tasks, arguments, kind = sys.argv[1:]
    model = get_model("mockllm/model", custom_outputs=reply)
    for given in json.loads(arguments):
        logs = inspect_ai.eval(tasks, model=model, task_args=given, log_dir="log", log_format=kind)
        assert all(log.status == "success" for log in logs), [log.error for log in logs]


if __name__ == "__main__":
    main()
