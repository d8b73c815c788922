"""Train the reference model on a corpus folder, save it, and score it on the pairs in that folder."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from salva._arguments import argument
from salva._files import storage_errors
from salva._progress import ProgressOption, tracking
from salva._types import PathLike
from salva.errors import InputError
from salva.models import ModelOptions
from salva.twins.pcfg.files import read_lines, same_count
from salva.twins.pcfg.pairing import read_pairs
from salva.twins.reference.model import WEIGHTS
from salva.twins.reference.training import TrainingReport, TrainingSettings, train
from salva.twins.results import TwinScore
from salva.twins.running import run


@dataclass(frozen=True, slots=True)
class TrainedRun:
    """The report of the training, and the score of the model; None if there are no pairs."""

    report: TrainingReport
    score: TwinScore | None


def condition_folder(corpus: PathLike, condition: str) -> Path:
    """Return the folder of a condition, in a corpus or in its `substitutivity`, where `generate` puts it."""
    inner = Path(corpus, "substitutivity", condition)
    return inner if inner.is_dir() else Path(corpus, condition)


def train_on(
    corpus: PathLike,
    folder: PathLike,
    settings: TrainingSettings | None = None,
    *,
    overwrite: bool = False,
    progress: ProgressOption = False,
) -> TrainedRun:
    """Train on train.src and train.tgt in a folder; write the model, and a run over the pairs there."""
    source, target = Path(corpus, "train.src"), Path(corpus, "train.tgt")
    if Path(folder, WEIGHTS).exists() and not overwrite:
        remedy = f"pass {argument('overwrite', True)}, or choose another name"
        raise InputError.at(folder, None, f"holds a model; {remedy}")
    sources, targets = read_lines(source), read_lines(target)
    same_count(source, sources, target, targets)
    pairs = read_pairs(corpus) if Path(corpus, "test_twin.src").is_file() else None
    _check_place(Path(folder))
    settings = settings or TrainingSettings()
    with tracking(progress) as tracker:
        model, report = train(sources, targets, settings, progress=tracker.progress)
        model.save(folder)
        if pairs is None:
            return TrainedRun(report, None)
        # The digest of the weights distinguishes the answers of one model from those of the next.
        done = run(
            pairs,
            f"reference:{folder}",
            _fresh(Path(folder)),
            model_options=ModelOptions(device=settings.device),
            data=Path(corpus).name,
            progress=tracker.progress,
        )
    return TrainedRun(report, done.score)


def _check_place(folder: Path) -> None:
    """Make the folder for a model; fail early if it cannot be written, before hours of training."""
    if folder.exists() and not folder.is_dir():
        raise InputError.at(folder, None, "is a file; name a folder for the model")
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass


def _fresh(folder: Path) -> Path:
    """Return the first folder name for a run that does not exist yet."""
    number, place = 1, folder / "run"
    while place.exists():
        number += 1
        place = folder / f"run-{number}"
    return place
