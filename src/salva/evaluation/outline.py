"""Export texts for a model that runs elsewhere, and estimate what a run would cost before it starts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from salva._files import replacing, storage_errors
from salva._types import PathLike
from salva.datasets import ReadOptions
from salva.evaluation.data import as_source, read_data
from salva.evaluation.exchange import TwinMaker
from salva.evaluation.settings import SEVERITIES, make_settings
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

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {**asdict(self), "most_calls": self.most_calls}


def outline(
    data: Any,
    *,
    presets: Iterable[PathLike | Transform] | None = None,
    severities: Iterable[float] = SEVERITIES,
    fit: FitOn | None = None,
    options: ReadOptions | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    export: PathLike | None = None,
    threads: int | None = None,
    **settings: Any,
) -> Outline:
    """Return what `evaluate` would do with these arguments; with `export`, write its texts to a folder."""
    reading, source = options or ReadOptions(), as_source(data)
    chosen = make_settings(
        source,
        presets=presets,
        fit=fit,
        options=reading,
        threads=threads,
        severities=tuple(severities),
        seed=seed,
        **settings,
    )
    with tempfile.TemporaryDirectory(prefix="salva-") as folder:
        place = Path(folder) / "data.parquet"
        info = read_data(source, place, reading, limit=limit, sample=sample, seed=seed)
        texts = TwinMaker(RunRows(place), chosen, threads).distinct_texts()
        count = sum(1 for _ in texts) if export is None else export_texts(export, texts)
    edited = sum(condition.severity is not None for condition in chosen.conditions)
    noise = min(chosen.noise, info.rows) + min(chosen.alone, chosen.noise, info.rows)
    blame = chosen.blame_calls * min(chosen.flips, info.rows) * edited
    names = tuple(condition.name for condition in chosen.conditions)
    return Outline(info.rows, names, count, noise, blame)


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
