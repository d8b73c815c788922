"""`log:PATH`: the replies in the logs of another harness to the questions of an exported suite.

PATH is a file, `samples_*.jsonl` of lm-evaluation-harness or a log of Inspect, or a folder with such files.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from salva.errors import InputError
from salva.harnesses import Reply, read_log, read_samples
from salva.models.options import PER_CHARACTER, ModelOptions
from salva.models.predictions import PredictionsModel
from salva.models.protocol import REFUSED, TRUNCATED, Answers, Status, Text, combined, of_files, text_id

_STATUSES: dict[str, Status] = {"limit": TRUNCATED, "refusal": REFUSED}
_SUFFIXES = (".eval", ".json", ".jsonl")


class LogModel:
    """Replies looked up by the id of the question; a question without one fails."""

    def __init__(self, paths: list[Path], name: str, options: ModelOptions) -> None:
        self.name = name
        self.classes: tuple[str, ...] | None = None
        self.batch_size = options.batch_size or 4096
        self._replies: dict[str, Reply] = {}
        by_length = options.choose_by == PER_CHARACTER
        for path in paths:
            for reply in _read(path, per_character=by_length):
                known = self._replies.setdefault(reply.salva, reply)
                if known.text != reply.text:
                    problem = f"has two different replies to the question {reply.salva}"
                    raise InputError.at(path, None, f"{problem}; name the log of one run")
        self.digest = combined("log", of_files(paths), options.model_id, by_length)

    def predict(self, texts: list[Text]) -> Answers:
        """Return the replies from the logs."""
        found = [self._replies.get(text_id(text).hex()) for text in texts]
        return Answers.of(
            [None if reply is None else reply.text for reply in found],
            statuses=[_STATUSES.get(reply.stopped) if reply and reply.stopped else None for reply in found],
            errors=["the logs have no reply to this question" if one is None else one.error for one in found],
        )

    def close(self) -> None:
        """Do nothing: the files are already closed."""


FIXED = (PredictionsModel, LogModel)
"""Models whose answers were made elsewhere: nothing else can be asked."""


def _read(path: Path, *, per_character: bool) -> Iterator[Reply]:
    if path.suffix == ".jsonl":
        return read_samples(path, per_character=per_character)
    return read_log(path)


def open_log(rest: str, options: ModelOptions) -> LogModel:
    """Open `log:PATH`."""
    path = Path(rest)
    if path.is_dir():
        samples = sorted(path.rglob("samples_*.jsonl"))
        paths = samples or sorted(path.rglob("*.eval")) or sorted(path.rglob("*.json"))
    else:
        paths = [path] if rest and path.suffix in _SUFFIXES and path.is_file() else []
    if not paths:
        problem = "holds no log; name samples_*.jsonl of lm-eval, .eval or .json of Inspect, or their folder"
        raise InputError.at(rest or "log:", None, problem)
    return LogModel(paths, f"log:{rest}", options)
