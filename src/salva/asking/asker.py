"""The one asker: every question that has no answer yet goes to the model once, in batches, and is timed."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from salva._arguments import argument
from salva._arrow import as_numbers, flags, is_text
from salva._crashes import log_crash, place_of
from salva._progress import Tracker
from salva._show import number_of
from salva._types import Ints64
from salva.asking.log import AnswerLog
from salva.asking.pipeline import Pipeline
from salva.errors import ModelError, UsageError
from salva.models import Answers, Model, Text
from salva.models.recorded import RecordedModel
from salva.questions.options import Limits
from salva.questions.table import ALONE, About, inputs_of, read_heads

TOTAL = "total"  # from the beginning to the end: stages that overlap add up to more


class Stopwatch:
    """Adds up seconds by stage, in any thread; a stage inside another pauses the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun = time.perf_counter()
        self._turn = threading.Lock()
        self._here = threading.local()

    def add(self, stage: str, seconds: float) -> None:
        """Add time to a stage."""
        with self._turn:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
            self.seconds[TOTAL] = time.perf_counter() - self._begun

    @contextlib.contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        stages: list[str] = self._here.__dict__.setdefault("stages", [])
        self._pause(stages)
        stages.append(stage)
        try:
            yield
        finally:
            self._pause(stages)
            stages.pop()

    def _pause(self, stages: list[str]) -> None:
        now = time.perf_counter()
        if stages:
            self.add(stages[-1], now - self._here.since)
        self._here.since = now


def peak_memory() -> int | None:
    """Return the peak memory of this process, including the model, in megabytes; None on Windows."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)


ASKED_COLUMNS = ("key", "condition", "purpose", "parts", "options")
_ENOUGH = 20  # questions, below which a share of failures means nothing
_MOST_FAILURES = 20  # different errors to list


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason why questions have no answer, and how many questions it affects."""

    error: str
    times: int


def list_failures(errors: Mapping[str, int]) -> tuple[Failure, ...]:
    """Return the most frequent failures, with all others as one."""
    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    rest = sum(times for _, times in ordered[_MOST_FAILURES:])
    listed = tuple(Failure(error, times) for error, times in ordered[:_MOST_FAILURES])
    return (*listed, Failure("other errors", rest)) if rest else listed


@dataclass(slots=True)
class Spent:
    """How many questions were sent, whichever model they were sent to."""

    calls: int = 0


class _Batch(NamedTuple):
    """Questions that the model gets in one call."""

    keys: list[bytes]
    texts: list[Text]


class Asker:
    """Asks a model, and keeps every answer; `watch` times the model, `tracker` reports the progress.

    What counts towards the limit of calls is `spent`; `stage` is the name under which the model's time is
    kept. If answers were made elsewhere (`is_fixed`), nothing else can be asked.
    """

    def __init__(
        self,
        model: Model,
        log: AnswerLog,
        limits: Limits,
        *,
        timeout: float | None = None,
        watch: Stopwatch | None = None,
        tracker: Tracker | None = None,
        stage: str = "model",
        spent: Spent | None = None,
    ) -> None:
        self.model, self.log, self.tracker = model, log, tracker or Tracker()
        self.is_fixed = isinstance(model, RecordedModel)
        self._limits, self._timeout, self._stage = limits, timeout, stage
        self._watch, self._spent = watch or Stopwatch(), spent or Spent()
        self.asked = 0  # questions sent in this process
        self._known, self._stored = len(log) - len(log.failed), log.last  # what earlier processes asked
        self._failed = log.refused
        self._first_error = ""
        self._crashes: set[str] = set()

    def beside(self, model: Model, log: AnswerLog, stage: str) -> Asker:
        """Return what asks another model within the same limits, with the same watch and tracker."""
        return Asker(
            model,
            log,
            self._limits,
            timeout=self._timeout,
            watch=self._watch,
            tracker=self.tracker,
            stage=stage,
            spent=self._spent,
        )

    def ask(self, blocks: Iterable[pa.Table], about: About) -> None:
        """Ask everything in some blocks of the table that has no answer; each answer is kept at once.

        Blocks are read while the model answers. Of equal questions, the first is asked.
        """
        self.ask_some(blocks, about)
        self._check(ended=True)

    def ask_some(self, blocks: Iterable[pa.Table], about: About) -> None:
        """Ask what others follow, so that a few failures mean nothing yet."""
        self.log.begin()
        batches = self._batches(blocks, about)
        try:
            with contextlib.closing(self._answer(batches)) as answered:
                for batch, answers in answered:
                    with self._watch("store"):
                        self._keep(batch, answers)
        finally:
            self.log.flush()

    def _answer(self, batches: Iterator[_Batch]) -> Generator[tuple[_Batch, Answers]]:
        """Yield batches with their answers, which are looked up if they were made elsewhere."""
        sent: deque[_Batch] = deque()
        texts = self._send(batches, sent)
        if isinstance(self.model, RecordedModel):
            for some in texts:
                batch = sent.popleft()
                yield batch, self.model.find(batch.keys, some)
            return
        pipeline = Pipeline(
            self.model,
            timeout=self._timeout,
            on_crash=self._log_crash,
            spend=lambda seconds: self._watch.add(self._stage, seconds),
        )
        try:
            with contextlib.closing(pipeline.answers(texts)) as answered:
                for answers in answered:
                    yield sent.popleft(), answers
        finally:
            pipeline.stop()

    def _batches(self, blocks: Iterable[pa.Table], about: About) -> Iterator[_Batch]:
        """Yield what is left to ask; a question that is asked alone is a batch of its own."""
        size = self.model.batch_size
        keys: list[bytes] = []
        texts: list[Text] = []
        for block in blocks:
            some = block.take(as_numbers(self._choose(block)))
            alone = is_text(some["purpose"], ALONE).to_pylist()
            rows = zip(some["key"].to_pylist(), inputs_of(some, about), alone, strict=True)
            for key, text, is_alone in rows:
                if is_alone and keys:
                    yield _Batch(keys, texts)
                    keys, texts = [], []
                keys.append(key)
                assert text is not None  # noqa: S101
                texts.append(text)
                if len(keys) == size or is_alone:
                    yield _Batch(keys, texts)
                    keys, texts = [], []
        if keys:
            yield _Batch(keys, texts)

    def _choose(self, block: pa.Table) -> Ints64:
        """Return the rows of a block to ask about: of equal questions the first, none that has an answer.

        This is deduplication, resuming, and sharing answers between runs. Questions that are asked alone come
        last: between others they would cut batches, in which some models answer otherwise.
        """
        heads, asked = read_heads(block["key"])
        rows = np.flatnonzero(asked)
        numbers = self.log.find(heads[rows])
        is_open = self.log.may_ask(numbers)
        unknown = rows[is_open]
        _, first = np.unique(heads[unknown], return_index=True)
        wanted: Ints64 = unknown[np.sort(first)]
        wanted = wanted[np.argsort(flags(is_text(block["purpose"], ALONE))[wanted], kind="stable")]
        self.log.reserve(heads[wanted])
        done, stored = len(block) - len(wanted), int((~is_open & (numbers <= self._stored)).sum())
        self.tracker.advance(done, stored=stored, repeated=done - stored)
        return wanted

    def _send(self, batches: Iterator[_Batch], sent: deque[_Batch]) -> Iterator[list[Text]]:
        limit = self._limits.calls
        for batch in batches:
            if limit is not None and self._spent.calls + len(batch.keys) > limit:
                raise UsageError(
                    f"the run needs more calls than {argument('calls', limit, flag='--max-calls')} allows; "
                    f"answers so far are kept: continue with {argument('resume', True)} and a higher limit"
                )
            self._spent.calls += len(batch.keys)
            sent.append(batch)
            yield batch.texts

    def _keep(self, batch: _Batch, answers: Answers) -> None:
        self.log.append(batch.keys, answers)
        self.asked += len(batch.keys)
        self.tracker.advance(len(batch.keys))
        failed = [k for k, reply in enumerate(answers.labels) if reply is None]  # or was refused
        if failed:
            self._first_error = self._first_error or answers.errors[failed[0]] or ""
            self._failed += len(failed)
            self._check()

    def _check(self, *, ended: bool = False) -> None:
        """Stop a run in which too many questions fail.

        A share means little among few questions: fewer than twenty are judged at the end, as if there were
        twenty, unless all of them failed.
        """
        limit, asked = self._limits.errors, self.asked + self._known
        is_share = isinstance(limit, float)
        few = is_share and asked < _ENOUGH
        most = limit * (_ENOUGH if few and self._failed < asked else asked) if is_share else limit
        if self._failed > most and (ended or not few):
            first = self._first_error or next(iter(self.log.count_failures()), "")
            raise ModelError(
                f"{self._failed:,} of {number_of(asked, 'question')} failed, more than {argument('errors')} "
                f"allows; the first error: {first}"
            )

    def _log_crash(self, error: BaseException) -> None:
        """Log the traceback of the model's code, once per place."""
        if (crash := f"{type(error).__name__}{place_of(error)}") not in self._crashes:
            self._crashes.add(crash)
            log_crash(error)
