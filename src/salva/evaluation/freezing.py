"""Freeze a suite: make the inputs of an evaluation once, and keep them with right answers and edits."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from salva._arguments import argument
from salva._files import scratch_folder
from salva._progress import ProgressOption, tracking
from salva._types import PathLike
from salva._version import __version__
from salva.errors import UsageError
from salva.evaluation.frozen_rows import Freezer
from salva.evaluation.paraphrases import check_paraphrases
from salva.evaluation.preparing import prepare
from salva.evaluation.results import DataInfo
from salva.evaluation.settings import SEVERITIES, EvaluationSettings, Presets
from salva.rows import ReadOptions
from salva.rows.source import OnBadRow
from salva.runs import RunRows
from salva.suites import Suite, is_suite, open_suite, writing_suite
from salva.transforms.vocabulary import FitOn


def freeze(
    data: Any,
    out: PathLike,
    *,
    name: str | None = None,
    licence: str | None = None,
    labels: Iterable[Any] | None = None,
    text_column: str | Sequence[str] | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    presets: Presets = None,
    severities: float | Iterable[float] = SEVERITIES,
    seed: int = 0,
    fit: FitOn | None = None,
    options: ReadOptions | None = None,
    limit: int | None = None,
    sample: int | None = None,
    keep: Sequence[str] = (),
    variants: str | Sequence[str] = (),
    on_bad_variant: OnBadRow = "fail",
    overwrite: bool = False,
    threads: int | None = None,
    progress: ProgressOption = False,
    **settings: Any,
) -> Suite:
    """Write the inputs that `evaluate` would make of these arguments to a folder, to be shared and evaluated.

    The suite has every item with its right answers, its twins under every condition, all edits, the task and
    the presets with their versions, and digests. `licence` is a note about the data; `keep` are further
    columns, by which results may be sliced; `settings` are `replicates`, `task`, `transformed_column` and
    `contrast_labels`. `variants` are columns of paraphrases, each of which is a condition; then there are no
    presets unless named. A paraphrase that loses or adds a number, a negation or the answer is refused, or
    kept or dropped as `on_bad_variant` says.
    """
    if is_suite(data):
        raise UsageError(f"{data} is frozen already; give the data that it was made from")
    if settings.get("axes") or settings.get("cross"):
        problem = "a suite has twins, contrasts and paraphrases, and no other axes"
        raise UsageError(f"{problem}; leave out {argument('axes')}, or use {argument('variants')}")
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
        **{**settings, "axes": {"variants": variants} if variants else None},
    )
    chosen = prepared.settings
    names = [*(one.name for one in chosen.conditions), *(one.name for one in chosen.contrasts)]
    with (
        tracking(progress) as tracker,
        scratch_folder() as folder,
        writing_suite(out, names, overwrite=overwrite) as writer,
    ):
        tracker.begin("reading the data")
        place = folder / "data.parquet"
        info, _ = prepared.read(place, keep)
        counts = check_paraphrases(prepared.source, place, chosen, info, on_bad_variant)
        freezer = Freezer(RunRows(place), chosen, info.text_columns, threads)
        tracker.begin("freezing", "rows", info.rows)
        for row in freezer:
            writer.write(row)
            tracker.advance(1)
        about = {"name": name or PurePath(info.name).stem, "licence": licence}
        writer.finish(about | freezer.describe(info, counts) | _describe_making(info, chosen))
    return open_suite(out)


def _describe_making(info: DataInfo, settings: EvaluationSettings) -> dict[str, Any]:
    """Return what the manifest says about task, presets, and where the suite comes from."""
    transforms = settings.transforms
    return {
        "task": None if settings.task is None else settings.task.as_dict(),
        "presets": {
            preset: {"about": transform.as_dict(), "family": transform.family}
            for preset, transform in transforms.items()
        },
        "made": {
            "salva": __version__,
            "data": info.name,
            "data_digest": info.digest,
            "validity": {
                preset: transform.validity and dataclasses.asdict(transform.validity)
                for preset, transform in transforms.items()
            },
        },
    }
