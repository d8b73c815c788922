"""Export texts for a model that runs elsewhere, and estimate what a run would cost before it starts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from salva._arguments import argument
from salva._files import replacing, scratch_folder, storage_errors
from salva._progress import ProgressOption, Tracker, tracking
from salva._types import PathLike
from salva.errors import UsageError
from salva.evaluation.facts import RowFacts
from salva.evaluation.frozen_inputs import make_contrasts, make_maker
from salva.evaluation.inputs import TwinMaker
from salva.evaluation.judging import make_codes, open_judge
from salva.evaluation.preparing import prepare
from salva.evaluation.results import DataInfo
from salva.evaluation.settings import SEVERITIES, EvaluationSettings, Presets
from salva.evaluation.subject import subject_options
from salva.evaluation.trial import TRIAL_TEXTS, Trial, try_model
from salva.models import ModelOptions, Text, as_text, open_model, text_id
from salva.models.logs import FIXED
from salva.models.protocol import as_fields
from salva.numbers import fewest_worse
from salva.rows import ReadOptions
from salva.runs import RunRows, Sample, Texts
from salva.transforms.vocabulary import FitOn


@dataclass(frozen=True, slots=True)
class Outline:
    """What a run consists of: its conditions, the most texts that the model will be asked about, and limits.

    `characters` are those of the distinct texts. `smallest_drop`, in points, is what the test of a condition
    finds significant at 5 %, corrected for all conditions, if no answer gets better; None if no drop can be.
    """

    rows: int
    conditions: tuple[str, ...]
    distinct_texts: int
    noise_calls: int
    most_blame_calls: int
    characters: int = 0
    smallest_drop: float | None = None
    trial: Trial | None = None  # if there is a model
    most_judge_calls: int = 0  # if a judge grades replies
    contrasts: tuple[str, ...] = ()

    @property
    def most_model_calls(self) -> int:
        """The number of calls of the model, at most."""
        return self.distinct_texts + self.noise_calls + self.most_blame_calls

    @property
    def most_calls(self) -> int:
        """The total number of calls, at most, those of the judge included."""
        return self.most_model_calls + self.most_judge_calls

    @property
    def most_characters(self) -> int:
        """The characters of all calls of the model, if texts sent again are as long as the others."""
        return round(self.characters / max(1, self.distinct_texts) * self.most_model_calls)

    @property
    def expected_seconds(self) -> float | None:
        """How long the model takes without the search for blame; None if it was not tried."""
        calls = self.distinct_texts + self.noise_calls
        return None if self.trial is None else calls * self.trial.seconds_per_text

    @property
    def most_seconds(self) -> float | None:
        """How long the model takes for all calls; None if it was not tried."""
        return None if self.trial is None else self.most_model_calls * self.trial.seconds_per_text

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        sums = ("most_calls", "most_characters", "expected_seconds", "most_seconds")
        return {**asdict(self), **{name: getattr(self, name) for name in sums}}


def outline(
    data: Any,
    *,
    model: Any = None,
    judge: Any = None,
    labels: Iterable[Any] | None = None,
    text_column: str | Sequence[str] | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    fit: FitOn | None = None,
    options: ReadOptions | None = None,
    model_options: ModelOptions | None = None,
    judge_options: ModelOptions | None = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    export: PathLike | None = None,
    trial_texts: int = TRIAL_TEXTS,
    threads: int | None = None,
    progress: ProgressOption = False,
    **settings: Any,
) -> Outline:
    """Return what `evaluate` would do with these arguments; with `export`, write its texts to a folder.

    If there is a `model`, it is asked about `trial_texts`, to see how long it takes. No answer is kept. A
    `judge` is only opened.
    """
    prepared = prepare(
        data,
        labels,
        (text_column, label_column, id_column),
        options=options,
        limit=limit,
        sample=sample,
        presets=presets,
        fit=fit,
        threads=threads,
        severities=severities,
        seed=seed,
        **settings,
    )
    if export is not None and prepared.settings.axes.repeat:
        raise UsageError(f"{argument('export')} writes every text once; leave out the axis repeat")
    with tracking(progress) as tracker, scratch_folder() as folder:
        tracker.begin("reading the data")
        place = folder / "data.parquet"
        info, chosen = prepared.read(place)
        maker = make_maker(RunRows(place), chosen, threads)
        texts = _Tally(make_contrasts(maker, chosen).distinct_texts(), trial_texts, tracker)
        count = sum(1 for _ in texts) if export is None else export_texts(export, texts)
        least = _find_smallest_drop(maker, chosen)
        tracker.begin("trying the model")
        some = [] if model is None or export is not None else texts.sample.texts()
        trial, fixed = _try(model, model_options, some, info, chosen) if some else (None, export is not None)
        if judge is not None:
            with open_judge(judge, judge_options, model_options or ModelOptions(), chosen.task):
                pass
    noise, blame = (0, 0) if fixed else _count_further_calls(chosen, info.rows)
    judged = _count_judge_calls(chosen, count, noise + blame)
    names = tuple(condition.name for condition in chosen.conditions)
    about = texts.characters, least, trial, judged, tuple(one.name for one in chosen.contrasts)
    return Outline(info.rows, names, count, noise, blame, *about)


def _count_judge_calls(settings: EvaluationSettings, texts: int, further: int) -> int:
    """Return how many verdicts are needed at most: on every reply, and on some of them again."""
    if settings.task is None or not settings.task.answer.needs_judge:
        return 0
    again = min(settings.noise, texts)
    return texts + further + again + min(settings.alone, again)


def _count_further_calls(settings: EvaluationSettings, rows: int) -> tuple[int, int]:
    """Return how many texts are sent to measure noise, and at most to find the blame."""
    edited = sum(condition.has_edits for condition in settings.conditions)
    noise = min(settings.noise, rows) + min(settings.alone, settings.noise, rows)
    return noise, settings.blame_calls * min(settings.flips, rows) * edited


class _Tally:
    """Texts on their way: counts their characters, and keeps some of them."""

    def __init__(self, texts: Iterable[Text], kept: int, tracker: Tracker) -> None:
        self._texts, self._tracker = texts, tracker
        self.characters = 0
        self.sample = Sample[None](kept)

    def __iter__(self) -> Iterator[Text]:
        self._tracker.begin("making texts", "texts")
        for text in self._texts:
            self._tracker.advance(1)
            self.characters += len(as_text(text, ""))
            self.sample.offer(text)
            yield text


def _try(
    model: Any,
    options: ModelOptions | None,
    texts: Sequence[Text],
    info: DataInfo,
    settings: EvaluationSettings,
) -> tuple[Trial, bool]:
    """Try the model; also return whether its answers were made elsewhere, and it gets no further texts."""
    codes = make_codes(list(info.labels), settings)
    opening = subject_options(options or ModelOptions(), info.labels, settings.task)
    with contextlib.closing(open_model(model, opening)) as opened:
        codes.align(opened.classes or ())
        trial = try_model(opened, texts, codes, timeout=opening.timeout)
        return trial, isinstance(opened, FIXED)


def _find_smallest_drop(maker: TwinMaker, settings: EvaluationSettings) -> float | None:
    """Return the smallest drop that can be significant, if no answer gets better and equal texts agree."""
    facts, labelled = RowFacts(len(maker.rows), settings.group_column), []
    for group in maker.rows:
        facts.add(group, Texts(maker.clean_inputs(group)).ids)
        labelled += [label is not None for label in group.labels]
    clusters = np.bincount(facts.clusters[np.array(labelled, bool)])
    sizes = np.sort(clusters[clusters > 0])
    worse = fewest_worse(len(settings.conditions))
    if len(sizes) < worse or not settings.conditions:
        return None
    # Rows with the same text get worse together; rows of one group need not.
    rows = worse if settings.group_column is not None else int(sizes[:worse].sum())
    return 100 * rows / int(sizes.sum())


def export_texts(folder: PathLike, texts: Iterable[Text]) -> int:
    """Write texts to FOLDER/texts.jsonl, one line per text with its id; return how many."""
    target = Path(folder)
    with storage_errors(target):
        target.mkdir(parents=True, exist_ok=True)
    count = 0
    with replacing(target / "texts.jsonl") as stream, storage_errors(target / "texts.jsonl"):
        for text in texts:
            line = json.dumps({"id": text_id(text).hex(), **as_fields(text)}, ensure_ascii=False)
            stream.write(line.encode() + b"\n")
            count += 1
    return count
