"""Train the reference model on a corpus folder, and save it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from salva._arguments import argument
from salva._files import storage_errors
from salva._progress import ProgressOption, tracking
from salva._types import PathLike
from salva.errors import InputError
from salva.twins.pcfg.files import read_lines, same_count
from salva.twins.reference.model import WEIGHTS
from salva.twins.reference.training import TrainingReport, TrainingSettings, train


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
) -> TrainingReport:
    """Train on train.src and train.tgt in a folder, and write the model."""
    source, target = Path(corpus, "train.src"), Path(corpus, "train.tgt")
    if Path(folder, WEIGHTS).exists() and not overwrite:
        remedy = f"pass {argument('overwrite', True)}, or choose another name"
        raise InputError.at(folder, None, f"holds a model; {remedy}")
    sources, targets = read_lines(source), read_lines(target)
    same_count(source, sources, target, targets)
    _check_place(Path(folder))
    with tracking(progress) as tracker:
        model, report = train(sources, targets, settings or TrainingSettings(), progress=tracker.progress)
        model.save(folder)
    return report


def _check_place(folder: Path) -> None:
    """Make the folder for a model; fail early if it cannot be written, before hours of training."""
    if folder.exists() and not folder.is_dir():
        raise InputError.at(folder, None, "is a file; name a folder for the model")
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
