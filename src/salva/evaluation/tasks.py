"""The conditions of a run: which transform, how severe, which replicate; and the twins that each makes."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from salva.evaluation.settings import EvaluationSettings
from salva.transforms import Transform, Twins


@dataclass(frozen=True, slots=True)
class Task:
    """A condition to measure; without a severity, texts are taken apart and reassembled without an edit."""

    name: str
    preset: str
    transform: Transform
    severity: float | None
    replicate: int
    seed: int

    def twins(self, texts: pa.LargeStringArray, *, threads: int | None = None) -> Twins:
        """Return the texts and their twins under this condition."""
        if self.severity is None:
            return self.transform.put_together(texts, threads=threads)
        return self.transform.transform(
            texts, seed=self.seed, severity=self.severity, replicate=self.replicate, threads=threads
        )

    @property
    def spliced(self) -> bool:
        """Whether everything except the edits is unchanged."""
        return self.transform.render == "splice"


def tasks_of(settings: EvaluationSettings) -> tuple[Task, ...]:
    """Return the conditions: for each preset its render, if that may change a text, then its severities."""
    tasks = []
    for preset, transform in settings.transforms.items():
        if transform.render != "splice":
            tasks.append(Task(f"{preset}/render", preset, transform, None, 0, settings.seed))
        for severity in settings.severities:
            for replicate in range(settings.replicates):
                name = f"{preset}@{severity:g}" + (f"#{replicate}" if replicate else "")
                tasks.append(Task(name, preset, transform, severity, replicate, settings.seed))
    return tuple(tasks)
