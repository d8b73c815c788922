"""The outcome of an evaluation: numbers, flips, answers, and the folder in which it is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from salva._arguments import argument
from salva._files import write_atomically
from salva._results import load_result
from salva._types import PathLike
from salva.asking.run_folder import QUESTIONS, SETTINGS, find_shared, read_run_file, read_settings
from salva.errors import InputError, UsageError
from salva.evaluation.answer_table import list_answers, pair_answers
from salva.evaluation.charts import draw_chart
from salva.evaluation.flips import FLIPS, UNCHANGED, read_flips
from salva.evaluation.grading import read_otherwise
from salva.evaluation.headline import summary_lines
from salva.evaluation.notebook import describe_run, show_run
from salva.evaluation.page import report_page
from salva.evaluation.results import Flip, Results
from salva.evaluation.tables import conditions_table
from salva.pages import Chart
from salva.questions.table import TABLE, Questions, open_made

ANSWERS, REPORT, RESULTS, TIMINGS = "answers.parquet", "report.html", "results.json", "timings.json"


@dataclass(frozen=True, repr=False)
class Run:
    """The outcome of an evaluation: the results, some flips, and how long each stage took.

    `results` has every number; `flips` are items whose answer changed, some of every condition, each with its
    text, its edits, and which of them are to blame. `unchanged` are pairs of contrasts whose answer stayed,
    although it had to change.
    """

    results: Results
    flips: tuple[Flip, ...]
    timings: dict[str, float]
    folder: Path | None = None
    unchanged: tuple[Flip, ...] = ()
    answer_table: pa.Table | None = field(default=None, compare=False)  # if there is no folder

    @property
    def has_questions(self) -> bool:
        """Whether the run has a folder with its questions."""
        return self.folder is not None and (find_shared(self.folder) / QUESTIONS / TABLE).is_file()

    @property
    def questions(self) -> Questions:
        """The table of what was asked about the data; the run must have a folder."""
        if self.folder is None:
            raise UsageError("the run has no folder, so its questions are gone; evaluate with out=FOLDER")
        made = open_made(find_shared(self.folder) / QUESTIONS)
        return read_otherwise(made, self.results.settings.get("task"))

    def list_answers(self) -> pa.Table:
        """Return what was asked about every item, and what was answered: one row per question."""
        if self.folder is None:
            assert self.answer_table is not None  # noqa: S101
            return self.answer_table
        return list_answers(self.questions, self.folder / ANSWERS)

    @property
    def answers(self) -> pa.Table:
        """Every answer as an Arrow table: one row per item and condition.

        Its columns are `row`, `id`, `condition`, `label`, the answers `before` and `after`, whether they are
        right (`right_before`, `right_after`), and whether the answer `changed`. A run that has a folder also
        has the clean `text`, as far as it may be rewritten.
        """
        return pair_answers(self.list_answers(), None if self.folder is None else self.questions)

    def table(self) -> pa.Table:
        """Return the numbers as an Arrow table, one row per condition.

        An estimate has three columns: `drop`, `drop_low`, `drop_high`. A column without a value is left out.
        """
        return conditions_table(self.results)

    def to_pandas(self) -> Any:
        """Return the table of conditions as a frame of pandas."""
        return self.table().to_pandas()

    def to_polars(self) -> Any:
        """Return the table of conditions as a frame of polars."""
        import polars

        return polars.from_arrow(self.table())

    def chart(self, name: str = "drops") -> Chart:
        """Return a chart of the report as SVG: drops, curves, validity, presets or blame."""
        return draw_chart(self.results, name)

    def __repr__(self) -> str:
        """Return the headline in a few lines."""
        return describe_run(self.results)

    def _repr_html_(self) -> str:
        return show_run(self.results)

    def summary(self) -> str:
        """Return the headline and one line per condition."""
        return "\n".join(summary_lines(self.results))

    def report(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the report."""
        write_atomically(
            path, report_page(self.results, self.flips, self.unchanged).encode(), overwrite=overwrite
        )


def load_run(folder: PathLike) -> Run:
    """Return the run in a folder; refuse one that was stopped, which has no results yet."""
    path = Path(folder)
    if not path.is_dir():
        raise InputError.at(path, None, "is not the folder of a run; name one that salva evaluate made")
    place = path / RESULTS
    if not place.is_file():
        begun = (path / SETTINGS).is_file()
        if begun:
            read_settings(path)
        problem = f"is not finished; continue it with {argument('resume', True)}" if begun else "holds no run"
        raise InputError.at(path, None, problem)
    results = load_result(place, Results, read_run_file(place))
    flips = tuple(read_flips(path / FLIPS))
    timings = read_run_file(path / TIMINGS).get("seconds", {})
    same = tuple(read_flips(path / UNCHANGED)) if results.contrasts else ()
    return Run(results, flips, timings, path, unchanged=same)
