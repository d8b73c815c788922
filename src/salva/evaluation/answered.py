"""The answers of a run as codes: for the clean texts and for every condition, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from salva._arrow import as_strings
from salva._files import replacing, storage_errors
from salva._types import Ints32, PathLike
from salva.evaluation.classes import Classes
from salva.evaluation.tasks import Task
from salva.runs import Answer, RunRows
from salva.transforms.twins import Summary


@dataclass(slots=True)
class Answered:
    """Ints32 of labels and answers, -1 for none; and what each condition did to the texts."""

    classes: Classes
    labels: Ints32
    clean: Ints32
    after: list[Ints32]
    edits: list[Summary]
    truncated: list[int]
    truncated_clean: int = 0

    @classmethod
    def empty(cls, classes: Classes, rows: int, tasks: int) -> Answered:
        """Return an instance with room for all answers."""
        blank = [np.full(rows, -1, np.int32) for _ in range(tasks + 2)]
        summaries = [Summary() for _ in range(tasks)]
        return cls(classes, blank[0], blank[1], blank[2:], summaries, [0] * tasks)

    def fill_clean(self, first: int, labels: Sequence[str | None], answers: Sequence[Answer | None]) -> None:
        """Store the labels and the clean answers of some rows."""
        place = slice(first, first + len(labels))
        self.labels[place] = self.classes.of_data(labels)
        self.clean[place] = self._codes(answers)
        self.truncated_clean += _truncated(answers)

    def fill(self, task: int, first: int, answers: Sequence[Answer | None]) -> None:
        """Store the answers of some rows under a condition."""
        self.after[task][first : first + len(answers)] = self._codes(answers)
        self.truncated[task] += _truncated(answers)

    def _codes(self, answers: Sequence[Answer | None]) -> Ints32:
        return self.classes.answers([None if one is None else one.label for one in answers])


def _truncated(answers: Sequence[Answer | None]) -> int:
    return sum(one is not None and one.truncated for one in answers)


def write_answers(path: PathLike, answered: Answered, tasks: Sequence[Task], kept: RunRows) -> None:
    """Write every answer to a parquet file: id, label, clean, and one column per condition."""
    names = np.array([*answered.classes.names, None], dtype=object)
    with replacing(path, overwrite=True) as stream, storage_errors(path):
        writer = None
        for group in kept:
            place = slice(group.first, group.first + len(group))
            columns = {"id": group.ids, "label": group.labels, "clean": names[answered.clean[place]].tolist()}
            for task, codes in zip(tasks, answered.after, strict=True):
                columns[task.name] = names[codes[place]].tolist()
            table = pa.table({name: as_strings(values).array for name, values in columns.items()})
            writer = writer or pq.ParquetWriter(
                stream, table.schema, compression="zstd", write_page_checksum=True
            )
            writer.write_table(table)
        if writer is not None:
            writer.close()
