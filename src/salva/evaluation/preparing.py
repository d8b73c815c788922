"""The first steps of `evaluate`, `outline` and `freeze`: columns, data, settings, then reading the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from salva._show import number_of
from salva._types import PathLike
from salva.errors import UsageError
from salva.evaluation.contrast_twins import check_opposites
from salva.evaluation.data import read_data
from salva.evaluation.results import DataInfo
from salva.evaluation.settings import EvaluationSettings, make_settings
from salva.evaluation.sources import as_source
from salva.rows import ReadOptions, select_columns
from salva.runs import RunRows


class ReadRows(NamedTuple):
    """What was read: about the data, and the settings for these rows."""

    info: DataInfo
    settings: EvaluationSettings


@dataclass(frozen=True, slots=True)
class Prepared:
    """Data and how it is read, with checked settings; nothing was read yet.

    Of the rows, `limit` takes the first, `sample` random ones.
    """

    source: PathLike | pa.Table
    reading: ReadOptions
    settings: EvaluationSettings
    limit: int | None
    sample: int | None

    @property
    def part(self) -> dict[str, int | None]:
        """Which rows are taken."""
        return {"limit": self.limit, "sample": self.sample}

    def read(self, place: Path, keep: Sequence[str] = ()) -> ReadRows:
        """Keep the rows at `place`, with further columns; refuse settings that the data does not fit."""
        settings = self.settings
        kept = (*settings.kept_columns, *keep)
        info = read_data(
            self.source, place, self.reading, seed=settings.seed, keep=kept, task=settings.task, **self.part
        )
        check_opposites(settings, info.labels)
        if settings.transformed_column >= len(info.text_columns):
            number, there = settings.transformed_column, number_of(len(info.text_columns), "text column")
            raise UsageError(f"transformed_column={number} does not exist: the data has {there}")
        return ReadRows(info, settings.count_orders(RunRows(place)))


def prepare(
    data: Any,
    labels: Iterable[Any] | None,
    columns: tuple[str | Sequence[str] | None, str | None, str | None],
    *,
    options: ReadOptions | None,
    limit: int | None,
    sample: int | None,
    **settings: Any,
) -> Prepared:
    """Return the data with settings, before it is read; `columns` are those of text, label and id."""
    reading, source = select_columns(options, *columns), as_source(data, labels)
    return Prepared(source, reading, make_settings(source, options=reading, **settings), limit, sample)
