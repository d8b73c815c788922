"""Export texts for a model that runs elsewhere, and estimate what a run would cost before it starts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from salva._files import replacing, storage_errors
from salva._types import PathLike
from salva.datasets import ReadOptions
from salva.evaluation.intake import as_source, take_in
from salva.evaluation.settings import SEVERITIES, EvaluationSettings, fitted_transforms, named_transforms
from salva.evaluation.stopwatch import Stopwatch
from salva.evaluation.tasks import tasks_of
from salva.evaluation.work import Work
from salva.models import Text, text_id
from salva.runs import RunRows
from salva.transforms import Transform
from salva.transforms.vocabulary import FitOn


@dataclass(frozen=True, slots=True)
class Outline:
    """What a run consists of: its conditions, and the most texts that the model will be asked about."""

    rows: int
    conditions: tuple[str, ...]
    distinct_texts: int
    noise_calls: int
    most_blame_calls: int

    @property
    def most_calls(self) -> int:
        """The total number of calls, at most."""
        return self.distinct_texts + self.noise_calls + self.most_blame_calls


def outline(
    data: Any,
    *,
    presets: Iterable[PathLike | Transform] | None = None,
    severities: Iterable[float] = SEVERITIES,
    fit: FitOn | None = None,
    options: ReadOptions | None = None,
    limit: int | None = None,
    export: PathLike | None = None,
    threads: int | None = None,
    **settings: Any,
) -> Outline:
    """Return what `evaluate` would do with these arguments; with `export`, write its texts to a folder."""
    options, data = options or ReadOptions(), as_source(data)
    transforms = fitted_transforms(named_transforms(presets), fit, data, options, threads=threads)
    made = EvaluationSettings(transforms=transforms, severities=tuple(severities), **settings)
    with tempfile.TemporaryDirectory(prefix="salva-") as folder:
        place = Path(folder) / "data.parquet"
        info = take_in(data, place, options, limit=limit)
        work = Work(RunRows(place), tasks_of(made), made, Stopwatch(), threads)
        texts = work.distinct_texts()
        count = sum(1 for _ in texts) if export is None else export_texts(export, texts)
    edited = sum(task.severity is not None for task in work.tasks)
    noise = min(made.noise, info.rows) + min(made.alone, made.noise, info.rows)
    blame = made.blame_calls * min(made.flips, info.rows) * edited
    return Outline(info.rows, tuple(task.name for task in work.tasks), count, noise, blame)


def export_texts(folder: PathLike, texts: Iterable[Text]) -> int:
    """Write texts to FOLDER/texts.jsonl, one line per text with its id; return how many."""
    target = Path(folder)
    with storage_errors(target):
        target.mkdir(parents=True, exist_ok=True)
    count = 0
    with replacing(target / "texts.jsonl") as stream, storage_errors(target / "texts.jsonl"):
        for text in texts:
            pair = {"text": text} if isinstance(text, str) else {"text": text[0], "text_b": text[1]}
            line = json.dumps({"id": text_id(text).hex(), **pair}, ensure_ascii=False)
            stream.write(line.encode() + b"\n")
            count += 1
    return count
