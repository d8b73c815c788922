"""Make the twins of a suite again from its items, and compare them with those that were frozen."""

from __future__ import annotations

from collections.abc import Iterator

from salva._files import scratch_folder
from salva._progress import ProgressOption, tracking
from salva.errors import InputError, UsageError
from salva.evaluation.frozen import describe_questions, suite_rows
from salva.evaluation.frozen_rows import Freezer
from salva.evaluation.settings import EvaluationSettings
from salva.runs import RunRows, write_rows
from salva.suites import FrozenRow, Suite
from salva.suites.manifest import ITEMS
from salva.suites.verifying import Fault
from salva.transforms import restore


def remake(suite: Suite, *, threads: int | None = None, progress: ProgressOption = False) -> list[Fault]:
    """Make the twins of a suite again from its items, and return those that would be different today.

    Refuse a suite whose presets have another version now.
    """
    settings = _restore_settings(suite)
    faults: list[Fault] = []
    with tracking(progress) as tracker, scratch_folder() as folder:
        place = folder / "data.parquet"
        write_rows(place, suite_rows(suite))
        tracker.begin("making twins again", "rows", len(suite))
        remade = Freezer(RunRows(place), settings, suite.manifest.columns.texts, threads)
        for number, (frozen, today) in enumerate(zip(suite, remade, strict=True), 1):
            faults += _compare(suite, number, frozen, today)
            tracker.advance(1)
    return faults


def _compare(suite: Suite, number: int, frozen: FrozenRow, today: FrozenRow) -> Iterator[Fault]:
    files = [ITEMS, *(condition.file for condition in suite.manifest.conditions)]
    for file, old, new in zip(files, (frozen.item, *frozen.twins), (today.item, *today.twins), strict=True):
        was, would = old.as_record(), new.as_record()
        part = next((name for name in would if was.get(name) != would[name]), None)
        if part is not None:
            problem = f"would have other {part} today: {would[part]!r:.60}, not {was.get(part)!r:.60}"
            yield Fault(str(suite.path / file), number, frozen.item.id, problem)


def _restore_settings(suite: Suite) -> EvaluationSettings:
    """Return the settings that a suite was frozen with; refuse presets that have changed since."""
    try:
        transforms = {name: restore(preset.about) for name, preset in suite.manifest.presets.items()}
    except (InputError, UsageError, KeyError, TypeError) as error:
        raise InputError.at(suite.path, None, f"its twins cannot be made again: {error}") from None
    opposites = {label: other for one in suite.manifest.contrasts for label, other in one.opposites.items()}
    return EvaluationSettings(transforms=transforms, contrast_labels=opposites, **describe_questions(suite))
