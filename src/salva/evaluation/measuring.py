"""Measure a run whose questions are answered: noise, verdicts of a judge, join, flips, blame, numbers."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from salva._results import as_json, signature
from salva._show import number_of, shorten
from salva._version import __version__
from salva.asking.asker import ASKED_COLUMNS, Asker, Stopwatch, list_failures, peak_memory
from salva.asking.run_folder import FORMAT, RunFolder
from salva.errors import ModelError
from salva.evaluation.flips import FLIPS, UNCHANGED, Blamer, Case, find_flips, find_unchanged, write_flips
from salva.evaluation.grading import Grader, LabelGrader, Noise, TaskGrader, WordGrader, measure_noise
from salva.evaluation.join import Joined, join
from salva.evaluation.judging import JudgeGrader
from salva.evaluation.page import report_page
from salva.evaluation.results import Blame, Flip, ModelInfo, Results
from salva.evaluation.run import ANSWERS, REPORT, RESULTS, TIMINGS, Run
from salva.evaluation.scoring import (
    Scorer,
    count_classes,
    count_duplicates,
    describe_clusters,
    measure_confidence,
    score_classes,
    score_entity_labels,
    score_slices,
)
from salva.questions.make import repeat_questions
from salva.questions.options import Measure
from salva.questions.table import MADE, About, Questions, short_name, write_part
from salva.tasks import restore_task

logger = logging.getLogger("salva")

_AGAIN = "repeated"  # the part with clean questions that are asked again


class Measurement:
    """The measuring of a run; `verdicts` asks the judge, if there is one."""

    def __init__(
        self,
        questions: Questions,
        folder: RunFolder,
        identity: Mapping[str, str],
        asker: Asker,
        verdicts: Asker | None,
        *,
        measure: Measure,
    ) -> None:
        assert questions.about.data is not None  # noqa: S101
        self._questions, self._about, self._info = questions, questions.about, questions.about.data
        self._folder, self._identity = folder, identity
        self._asker, self._verdicts, self._measure = asker, verdicts, measure
        self._grader = self._make_grader()

    def _make_grader(self) -> Grader:
        kind, task = self._about.grading["kind"], self._about.task
        if kind == "label":
            grader = LabelGrader(list(self._info.labels), self._measure.label_map)
            grader.align([*(self._asker.model.classes or ()), *self._asker.log.list_replies()])
            grader.warn_of_missing(self._info.labels)
            return grader
        if task is None:
            return WordGrader()
        if self._verdicts is None:
            return TaskGrader(restore_task(task))
        return JudgeGrader(
            restore_task(task), self._verdicts, self._folder.questions, self._identity["digest"]
        )

    def finish(self, watch: Stopwatch, *, is_kept: bool) -> Run:
        """Return what was found, and write it to the folder."""
        log, grader, measure = self._asker.log, self._grader, self._measure
        again = self._ask_again()
        tracker = self._asker.tracker
        judge = grader if isinstance(grader, JudgeGrader) else None
        if judge is not None:
            tracker.begin("judging", "replies")
            judge.ask_about(self._questions, log, MADE)
            judge.ask_about_contrasts(self._questions, log)
            if again is not None:
                judge.ask_about(again, log, _AGAIN)
            judge.measure_noise(self._about, measure)
            judge.count_verdicts(self._about)
        with watch("join"):
            joined = join(
                self._questions,
                log,
                grader,
                model=self._identity["name"],
                out=self._folder.path / ANSWERS,
            )
        noise = None if again is None else measure_noise(again, log, grader)
        self._refuse_nothing(joined)
        with watch("flips"):
            cases = find_flips(self._questions, joined, measure.flips)
        flips, blame = [case.flip for case in cases], None
        if measure.blame_calls and not self._asker.is_fixed and not grader.finds_spans:
            tracker.begin("blame", "questions")
            with watch("blame"):
                flips, blame = self._find_blame(flips, cases)
        tracker.begin("scoring and writing the report")
        failures = log.count_failures()
        log.forget()
        with watch("score"):
            results = self._make_results(joined, noise, blame, failures)
        same = find_unchanged(self._questions, joined, measure.flips)
        run = Run(results, tuple(flips), watch.seconds, self._folder.path, unchanged=tuple(same))
        if is_kept:
            self._write(run, watch)
            return run
        return replace(run, folder=None, answer_table=run.list_answers())

    def _ask_again(self) -> Questions | None:
        """Ask some clean questions again, and return them; answers that come from files do not vary."""
        questions, measure = self._questions, self._measure
        if not measure.noise or self._asker.is_fixed:
            return None
        repeats = repeat_questions(questions, measure.noise, measure.alone)
        write_part(questions.folder / f"{_AGAIN}.parquet", repeats)
        again = Questions(questions.folder, questions.about, [_AGAIN])
        self._asker.tracker.begin("noise", "questions", len(again))
        self._asker.ask(again.blocks(ASKED_COLUMNS), questions.about)
        return again

    def _refuse_nothing(self, joined: Joined) -> None:
        """Stop a run in which nothing can be measured: no clean answer, or no reply that has an answer."""
        if (joined.clean.codes == -1).all():
            reason = next(iter(joined.reasons), "no row has a text")
            raise ModelError(f"the model answered none of {number_of(len(joined), 'text')}; {reason}")
        every = [joined.clean, *joined.conditions]
        codes = {code for one in every for code in set(one.codes[one.codes != -1].tolist())}
        if codes == {-2}:
            example = next((one for one in self._asker.log.list_replies()), "")
            problem = f"no reply of the model has an answer; the first: {shorten(repr(example))}"
            raise ModelError(f"{problem}; change the prompt or [answer] of the task")

    def _find_blame(self, flips: list[Flip], cases: list[Case]) -> tuple[list[Flip], Blame]:
        edited = [k for k, case in enumerate(cases) if case.condition.has_edits]
        place = self._folder.questions / f"blamed-{short_name(self._identity['digest'])}.parquet"
        blamer = Blamer(self._asker, self._grader, self._about, place)
        found, blame = blamer.explain([cases[k] for k in edited], self._measure.blame_calls)
        for k, flip in zip(edited, found, strict=True):
            flips[k] = flip
        return flips, blame

    def _make_results(
        self, joined: Joined, noise: Noise | None, blame: Blame | None, failures: Mapping[str, int]
    ) -> Results:
        """Return what was found, as numbers."""
        settings = describe_settings(self._about, self._measure)
        scorer = Scorer(self._about, joined, self._measure, settings["seed"])
        conditions, grader = scorer.conditions(), self._grader
        judge = grader.describe() if isinstance(grader, JudgeGrader) else None
        return Results(
            format=FORMAT,
            salva=__version__,
            status="success",
            signature=sign(self._about, self._identity["digest"], None if judge is None else judge.digest),
            model=ModelInfo(**self._identity, labels=dict(sorted(grader.aligned.items()))),
            data=self._info,
            settings=settings,
            distinct_texts=joined.different,
            truncated_clean=joined.clean.truncated,
            noise=noise,
            failures=list_failures(failures),
            conditions=conditions,
            presets=scorer.curves(),
            comparisons=scorer.comparisons(),
            blame=blame,
            failed=joined.failed,
            clusters=describe_clusters(joined, conditions, settings.get("group")),
            duplicates=count_duplicates(joined),
            classes=count_classes(joined),
            by_class=score_classes(joined),
            slices=score_slices(joined),
            confidence=measure_confidence(joined),
            entities=score_entity_labels(joined, settings["seed"]),
            contrasts=tuple(scorer.contrasts()),
            judge=judge,
            **scorer.axes(),
        )

    def _write(self, run: Run, watch: Stopwatch) -> None:
        """Write the files of a finished run, the results last: a run that has them is complete."""
        path = self._folder.path
        with watch("report"):
            write_flips(path / FLIPS, run.flips)
            if run.results.contrasts:
                write_flips(path / UNCHANGED, run.unchanged)
            page = report_page(run.results, run.flips, run.unchanged)
            self._folder.write(REPORT, page.encode())
        asked = {"texts_asked": self._asker.asked}
        if self._verdicts is not None:
            asked["verdicts_asked"] = self._verdicts.asked
        spent = {**asked, "seconds": watch.seconds, "peak_memory_mb": peak_memory()}
        self._folder.write(TIMINGS, as_json({"format": FORMAT, **spent}))
        self._folder.write(RESULTS, as_json(run.results.as_dict()))


def describe_measure(measure: Measure) -> dict[str, Any]:
    """Return what is measured, as plain values; functions and models go by their names."""
    names = ("noise", "alone", "flips", "blame_calls", "resamples", "drop_limit")
    metric = measure.metric
    return {
        **{name: getattr(measure, name) for name in names},
        "label_map": dict(measure.label_map),
        "metric": None if metric is None else getattr(metric, "__name__", "metric"),
    }


def describe_settings(about: About, measure: Measure) -> dict[str, Any]:
    """Return everything on which the numbers of a run depend, except the data and the model."""
    return {
        "presets": {name: preset.about for name, preset in about.presets.items()},
        "task": about.task,
        "rewritten_part": about.rewritten_part,
        "seed": 0,
        **about.made_with,
        **describe_measure(measure),
    }


def sign(about: About, model: str, judge: str | None) -> str:
    """Return the signature of a run: what its numbers depend on, in one line."""
    made, presets = about.made_with, about.presets
    assert about.data is not None  # noqa: S101
    task = None if about.task is None else f"{about.task['name']}.{_cut(restore_task(about.task).digest, 8)}"
    suite, _, digest = made.get("suite", "").rpartition(".sha256:")
    axes = "+".join(name for name, value in (made.get("axes") or {}).items() if value)
    parts = {
        "task": task,
        "suite": f"{suite}.{digest[:12]}" if digest else None,
        "axes": axes + "+cross" * bool(made.get("cross")) if axes else None,
        "judge": None if judge is None else _cut(judge),
        "data": _cut(about.data.digest),
        "model": _cut(model),
    }
    if presets:
        parts |= {
            "presets": "+".join(f"{name}.v{preset.version}" for name, preset in presets.items()),
            "settings": "+".join(_cut(preset.digest, 8) for preset in presets.values()),
            "severities": "+".join(f"{value:g}" for value in made.get("severities", ())),
            "copies": made.get("copies", 1),
        }
    parts |= {"seed": made.get("seed", 0), "salva": __version__}
    return signature(**{name: part for name, part in parts.items() if part is not None})


def _cut(digest: str, size: int = 12) -> str:
    return digest.removeprefix("sha256:")[:size]
