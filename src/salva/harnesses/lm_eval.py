"""lm-evaluation-harness: a folder of tasks for its `--include_path`, and the samples that it logs.

Questions with replies to choose from become tasks of the type multiple_choice, which compare how likely the
replies are; all others let the model write, and Salva grades what it wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from salva._files import Unit
from salva._types import PathLike
from salva.errors import InputError
from salva.harnesses.questions import (
    KEY,
    Exported,
    Part,
    Reply,
    read_json_lines,
    write_questions,
    write_texts,
)

_FUNCTIONS = '''"""Reads questions of a suite, grades replies as Salva does; made by salva questions --to."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent


def load(file, **_):
    """Return the questions of one condition."""
    import datasets

    with (FOLDER / file).open(encoding="utf-8") as stream:
        questions = [json.loads(line) for line in stream]
    return {"test": datasets.Dataset.from_list(questions)}


def grade(doc, results):
    """Return whether the reply is right, its score, and whether it has an answer at all."""
    from salva.questions.export import grade_reply

    found = grade_reply(FOLDER / "task.json", doc, results[0])
    return {"acc": float(found.right), "score": found.score, "parsed": float(found.answer is not None)}
'''
FUNCTIONS = "salva_functions.py"


def write_lm_eval(folder: Path, suite: Exported, unit: Unit, *, overwrite: bool) -> list[str]:
    """Write one task per condition, a group of them, and one of contrasts; return the names of the files."""
    files = {FUNCTIONS: _FUNCTIONS, "task.json": json.dumps(suite.task, indent=1) + "\n"}
    for group, parts in suite.groups.items():
        files[f"{group}.yaml"] = _yaml(
            group=group,
            task=[part.name for part in parts],
            aggregate_metric_list=[{"metric": "acc", "weight_by_size": True}],
            metadata={"version": 1},
        )
    names = list(files)
    for part in suite.parts:
        data = f"{part.name}.jsonl"
        spaced = write_questions(folder / data, part.questions(), unit, overwrite=overwrite)
        files[f"{part.name}.yaml"] = _describe(suite, part, data, gap="" if spaced else " ")
        names += [data, f"{part.name}.yaml"]
    write_texts(folder, files, unit, overwrite=overwrite)
    return names


def _describe(suite: Exported, part: Part, data: str, *, gap: str) -> str:
    about: dict[str, Any] = {
        "task": part.name,
        "custom_dataset": _Function("load"),
        "dataset_kwargs": {"file": data},
        "test_split": "test",
        "doc_to_text": "prompt",
    }
    if suite.chooses:
        metrics = ["acc", "acc_norm"]
        about |= {
            "output_type": "multiple_choice",
            "doc_to_choice": "replies",
            "doc_to_target": "target",
            "target_delimiter": gap,
        }
    else:
        metrics = ["acc", "score", "parsed"]
        about |= {
            "output_type": "generate_until",
            "doc_to_target": "target",
            "process_results": _Function("grade"),
            "generation_kwargs": {"until": [], "do_sample": False, "max_gen_toks": 256},
        }
    mean = {"aggregation": "mean", "higher_is_better": True}
    about["metric_list"] = [{"metric": name, **mean} for name in metrics]
    about["metadata"] = {"version": 1, "suite": suite.digest, "condition": part.condition}
    return _yaml(**about)


class _Function(str):
    """The name of a function next to a task."""

    __slots__ = ()


def _yaml(**values: Any) -> str:
    """Return YAML, one line per key; every value is JSON, which is YAML too."""
    return "".join(
        f"{key}: !function {Path(FUNCTIONS).stem}.{value}\n"
        if isinstance(value, _Function)
        else f"{key}: {json.dumps(value)}\n"
        for key, value in values.items()
    )


def read_samples(path: PathLike, *, per_character: bool = False) -> Iterator[Reply]:
    """Yield the replies of a file `samples_*.jsonl`, in its order.

    Of several replies, the most likely one counts; with `per_character`, its log-probability per character.
    """
    for number, sample in read_json_lines(path):
        try:
            doc, filtered = sample["doc"], sample["filtered_resps"]
            choices = (
                doc["replies"] if sample["arguments"] and len(filtered) == len(doc["replies"]) > 1 else []
            )
            text = _choose(choices, filtered, per_character=per_character) if choices else _written(filtered)
            yield Reply.of(doc[KEY], text, sample.get("acc"))
        except (ArithmeticError, KeyError, TypeError, ValueError, IndexError) as error:
            problem = f"is not a sample of an exported suite ({error!r:.60}); use --log_samples"
            raise InputError.at(path, number, problem) from None


def _choose(choices: Sequence[str], filtered: Sequence[Any], *, per_character: bool) -> str:
    """Return the most likely reply; the first of equal ones, as the harness takes it."""
    scores = [
        float(one[0]) / (max(1, len(reply)) if per_character else 1)
        for reply, one in zip(choices, filtered, strict=True)
    ]
    return choices[scores.index(max(scores))]


def _written(filtered: Sequence[Any]) -> str:
    found = filtered[0]
    while isinstance(found, list):
        found = found[0]
    if not isinstance(found, str):
        raise TypeError(found)
    return found
