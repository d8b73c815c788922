"""Read what was recorded, and show it: numbers with intervals, Markdown tables, figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from salva.pages import Chart, bar_figure, curve_figure, typeset
from salva.pages.charts import Measure, Point, Series, Tone

Interval: TypeAlias = Sequence[float | None]  # value, low and high
EFFECTIVE = {True: {True: "certainly", False: "probably"}, False: {False: "no"}}
NAMES = {
    "tfidf": "TF-IDF and logistic regression",
    "simple-0": "simple Transformer",
    "encoder": "fine-tuned encoder",
    "encoder-documents": "encoder, with twins of the specifications' presets",
    "encoder-natural": "encoder, with twins of `natural+misspellings`",
}
PLAIN = ("tfidf", "simple-0", "encoder")  # trained on the reviews as they are


class Recorded:
    """The recorded runs by the names of their files."""

    def __init__(self, folder: Path) -> None:
        self.runs: dict[str, Any] = {
            path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))
        }

    def __contains__(self, name: str) -> bool:
        return name in self.runs

    def __getitem__(self, name: str) -> Any:
        return self.runs[name]

    def matching(self, prefix: str) -> dict[str, Any]:
        """Return the runs whose names begin like this, without the beginning."""
        found = self.runs.items()
        return {name.removeprefix(prefix): run for name, run in found if name.startswith(prefix)}

    def subjects(self, run: str = "all", among: Iterable[str] = NAMES) -> list[str]:
        """Return the models that have such a run."""
        return [name for name in among if f"{name}-{run}" in self.runs]

    def condition(self, subject: str, name: str, run: str = "all") -> Any:
        """Return a condition of a run; None if there is no such condition."""
        held = self.runs.get(f"{subject}-{run}")
        return next((one for one in held["conditions"] if one["name"] == name), None) if held else None


def shown(interval: Interval | None, digits: int = 1) -> str:
    """Return a number with its interval.

    >>> shown([1.23, -0.01, 1.5])
    '1.2 [0.0, 1.5]'
    """
    if interval is None or interval[0] is None:
        return ""
    # Adding 0 turns -0.0 into 0.0.
    value, *ends = (None if one is None else f"{round(one, digits) + 0:.{digits}f}" for one in interval)
    return f"{value}" if None in ends else f"{value} [{', '.join(map(str, ends))}]"


def verdict(condition: Any) -> str:
    """Return whether a drop is effective, that is, over the limit: certainly, probably or no."""
    return EFFECTIVE[bool(condition["effective"])][bool(condition["surely_effective"])]


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def bars(name: str, title: str, rows: Iterable[tuple[str, Interval, bool]], limit: float | None) -> Chart:
    """Return bars with intervals; those that are certainly over the limit stand out."""
    made = []
    for label, (value, low, high), loud in rows:
        tone: Tone = "alarm" if loud else "plain"
        made.append((Measure(label, value, low, high, tone), typeset(shown((value, low, high)))))
    text = "" if limit is None else f"limit: {limit:g} points"
    return Chart(name, bar_figure(title, made, limit=limit, limit_text=text))


def curves(name: str, title: str, drops: dict[str, list[tuple[float, Any]]]) -> Chart:
    """Return one panel per preset: the drop over the severity, with its band."""
    first = Point(0.0, 0.0, 0.0, 0.0)
    series = [
        Series(preset, (first, *(Point(severity, *interval) for severity, interval in points)))
        for preset, points in drops.items()
    ]
    return Chart(name, curve_figure(title, series, to=5.0))
