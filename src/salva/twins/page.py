"""The report of answers to pairs: one HTML page that never shows consistency without accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from salva.pages import Mark, Segment, marked, render_page, tabulate
from salva.pages.charts import BarChart, Measure, bar_chart
from salva.twins.pcfg.names import FUNCTIONS
from salva.twins.results import RULES, SubsetScore, TwinExample, TwinRuns, TwinScore

# Limits for a page, so that it opens at once however many pairs there are.
MOST_EXAMPLES = 200
MOST_ROWS = 200
MOST_BARS = 40
_MANY = 10_000  # pairs that make a second digit meaningful


@dataclass(frozen=True, slots=True)
class _ShownExample:
    """A pair as the page shows it; `kind` is a number."""

    example: TwinExample
    kind: int
    tone: str
    segments: list[Segment]


def report_page(result: TwinScore | TwinRuns) -> str:
    """Return the report of one run or of several: one HTML page that needs no network or other file."""
    if isinstance(result, TwinScore):
        return render_page("salva.twins", "twins.html.jinja", _score_values(result))
    return render_page("salva.twins", "twins_runs.html.jinja", _runs_values(result))


def _runs_values(runs: TwinRuns) -> dict[str, Any]:
    tables = {
        "numbers": tabulate([runs.overall, *runs.kinds]),
        "runs": tabulate({"model": run.model, **asdict(run.overall)} for run in runs.runs),
    }
    digits = 2 if runs.pairs >= _MANY else 1
    return {"found": runs, "digits": digits, "shown": runs.kinds[:MOST_ROWS], "tables": _known(tables)}


def _known(tables: dict[str, Any]) -> dict[str, Any]:
    return {name: table for name, table in tables.items() if table is not None}


def _score_tables(score: TwinScore) -> dict[str, Any]:
    """Return what the page shows as tables, at full precision."""
    subsets = {"function": score.kinds, "depth": score.depths, "length": score.lengths}
    numbers = [{"by": "all", **asdict(score.overall)}]
    numbers += [{"by": by, **asdict(one)} for by, some in subsets.items() for one in some]
    examples = tabulate(score.examples[:MOST_EXAMPLES])
    return _known({"numbers": tabulate(numbers), "examples": examples, "faults": tabulate(score.failures)})


def _score_values(score: TwinScore) -> dict[str, Any]:
    kinds = {kind.name: number for number, kind in enumerate(score.kinds)}
    shown = score.examples[:MOST_EXAMPLES]
    return {
        "score": score,
        "kind_noun": _kind_noun(score),
        "overall": score.overall,
        "rule": RULES[score.rule],
        "digits": 2 if score.pairs >= _MANY else 1,
        "subsets": [
            (_kind_noun(score), score.kinds[:MOST_ROWS], len(score.kinds)),
            ("depth", score.depths[:MOST_ROWS], len(score.depths)),
            ("length of the source", score.lengths[:MOST_ROWS], len(score.lengths)),
        ],
        "consistency_bars": _bars(score.kinds, "consistency"),
        "accuracy_bars": _bars(score.kinds, "twin_accuracy"),
        "examples": [_show(example, kinds.get(example.kind, len(kinds))) for example in shown],
        "kinds": list(kinds.items())[:MOST_ROWS],
        "tables": _score_tables(score),
    }


def _kind_noun(score: TwinScore) -> str:
    """Return what a kind of pair is called: a function in PCFG SET; natural twins replace words."""
    return "function" if all(kind.name in FUNCTIONS for kind in score.kinds) else "kind"


def _bars(kinds: Sequence[SubsetScore], name: str) -> BarChart:
    estimates = [(kind.name, getattr(kind, name)) for kind in kinds[:MOST_BARS]]
    return bar_chart([Measure(kind, e.value, e.low, e.high) for kind, e in estimates], to=100)


def _show(example: TwinExample, kind: int) -> _ShownExample:
    lost, won = example.right and not example.twin_right, example.twin_right and not example.right
    return _ShownExample(
        example=example,
        kind=kind,
        tone="lost" if lost else "won" if won else "",
        segments=marked(example.twin, _marks(example.source, example.twin)),
    )


def _marks(source: str, twin: str) -> list[Mark]:
    """Return the words of the twin that differ, if it has as many words; otherwise the span that differs."""
    old, new = source.split(" "), twin.split(" ")
    if len(old) != len(new):
        first = next((i for i, (a, b) in enumerate(zip(source, twin, strict=False)) if a != b), 0)
        most = min(len(source), len(twin)) - first
        last = next((i for i in range(most) if source[-1 - i] != twin[-1 - i]), most)
        return [Mark(first, len(twin) - last, source[first : len(source) - last])]
    marks, place = [], 0
    for before, after in zip(old, new, strict=True):
        if before != after:
            marks.append(Mark(place, place + len(after), before))
        place += len(after) + 1
    return marks
