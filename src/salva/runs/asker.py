"""Answer each text once: from the store if it has the answer, otherwise from the model, in batches."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from salva._arguments import argument
from salva._crashes import log_crash, place_of
from salva._progress import Tracker
from salva._show import number_of
from salva.errors import ModelError, UsageError
from salva.models import Answers, Model, Text, text_id
from salva.models.protocol import TRUNCATED
from salva.models.recorded import RecordedModel
from salva.runs.ahead import Line
from salva.runs.noise import ALONE_TEXTS, Reruns
from salva.runs.records import Answer, Purpose
from salva.runs.stopwatch import Stopwatch
from salva.runs.store import AnswerStore

_NEW = (Purpose.FIRST, Purpose.BLAME)  # a text that was not sent before
_MOST_FAILURES = 20  # different errors to list
_ENOUGH = 20  # texts, below which a share of failures means nothing


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on calls and on failures; `errors` is a number of texts, or a share such as 0.1."""

    calls: int | None = None
    errors: float = 0.1

    def __post_init__(self) -> None:
        share = isinstance(self.errors, float)
        if isinstance(self.errors, bool) or not 0 <= self.errors <= (1 if share else sys.maxsize):
            problem = f"max_errors={self.errors!r} must be a whole number of texts"
            raise UsageError(f"{problem}, or a share of them from 0.0 to 1.0")

    def check(self, asked: int, failed: int, first_error: str, *, ended: bool = False) -> None:
        """Stop a run in which too many texts fail.

        A share means little among few texts: fewer than twenty are judged at the end of the run, as if there
        were twenty, unless all of them failed.
        """
        share = isinstance(self.errors, float)
        few = share and asked < _ENOUGH
        most = self.errors * (_ENOUGH if few and failed < asked else asked) if share else self.errors
        if failed > most and (ended or not few):
            problem = (
                f"{failed:,} of {number_of(asked, 'text')} failed, more than {argument('max_errors')} allows"
            )
            raise ModelError(f"{problem}; the first error: {first_error}")


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason why texts have no answer, and how many texts it affects."""

    error: str
    times: int


def list_failures(errors: Mapping[str, int]) -> tuple[Failure, ...]:
    """Return the most frequent failures, with all others as one."""
    ordered = Counter(errors).most_common()
    rest = sum(times for _, times in ordered[_MOST_FAILURES:])
    listed = tuple(Failure(error, times) for error, times in ordered[:_MOST_FAILURES])
    return (*listed, Failure("other errors", rest)) if rest else listed


@dataclass(slots=True)
class Spent:
    """How many texts were sent, whichever model they were sent to."""

    calls: int = 0


def question_id(text: Text, time: int = 0) -> bytes:
    """Return the id under which the answer to a text is kept, if it was asked so many times before.

    >>> question_id("fine") == text_id("fine"), question_id("fine", 1) == question_id("fine", 2)
    (True, False)
    """
    name = text_id(text)
    return hashlib.blake2b(name + time.to_bytes(4), digest_size=16).digest() if time else name


class Texts:
    """Texts to ask about, None for rows without one, with their ids; equal texts are asked about once.

    `times` says of each text how often it was asked about before: each time has an answer of its own.
    """

    def __init__(self, texts: Sequence[Text | None], times: Sequence[int] | None = None) -> None:
        asked = zip(texts, times or [0] * len(texts), strict=True)
        self.ids = [None if text is None else question_id(text, time) for text, time in asked]
        self.by_id: dict[bytes, Text] = {
            name: text
            for name, text in zip(self.ids, texts, strict=True)
            if name is not None and text is not None
        }


class _Group:
    """Texts that are asked about together: the answers so far, and what is still to come."""

    def __init__(self, texts: Texts, answers: dict[bytes, Answer]) -> None:
        self.texts, self.answers = texts, answers
        self.later: list[bytes] = []  # texts that are asked about with an earlier group
        self.batches = 0


class Batch(NamedTuple):
    """Texts of one group that the model gets in one call."""

    group: _Group
    ids: list[bytes]
    purpose: Purpose

    @property
    def texts(self) -> list[Text]:
        """The texts themselves."""
        return [self.group.texts.by_id[name] for name in self.ids]


class Asker:
    """Queries a model and keeps every answer; `watch` times the model, and what is done around it.

    Each text and its batch are reported to `tracker`, whose phase is that of the caller. What counts towards
    the limit of calls is `spent`; `stage` is the name under which the model's time is kept.
    """

    def __init__(
        self,
        model: Model,
        store: AnswerStore,
        budget: Budget,
        *,
        watch: Stopwatch | None = None,
        timeout: float | None = None,
        tracker: Tracker | None = None,
        stage: str = "model",
        spent: Spent | None = None,
    ) -> None:
        self.tracker = tracker or Tracker()
        self._stage, self._spent = stage, spent or Spent()
        self.model, self._store, self._budget, self._watch = model, store, budget, watch or Stopwatch()
        self._timeout = timeout
        self.asked = 0  # texts sent and answered; one that is sent again counts again
        self._under_way: set[bytes] = set()
        self._texts = sum(map(store.count, _NEW))  # including those of a resumed run
        self._resumes = self._texts > 0
        self._lost: dict[tuple[Purpose, bytes], str] = {}
        self._failed: set[bytes] = set()
        self._crashes: set[str] = set()

    def beside(self, model: Model, store: AnswerStore, stage: str) -> Asker:
        """Return what queries another model within the same limits and with the same watch and tracker."""
        return Asker(
            model,
            store,
            self._budget,
            watch=self._watch,
            timeout=self._timeout,
            tracker=self.tracker,
            stage=stage,
            spent=self._spent,
        )

    def answers(
        self, texts: Sequence[Text | None], *, purpose: Purpose = Purpose.FIRST, batch_size: int | None = None
    ) -> list[Answer | None]:
        """Return the answer to every text; None if there is no text or the model failed."""
        with contextlib.closing(self.answer_groups([Texts(texts)], purpose, batch_size)) as groups:
            return next(groups)

    def answer_groups(
        self, groups: Iterable[Texts], purpose: Purpose = Purpose.FIRST, batch_size: int | None = None
    ) -> Generator[list[Answer | None]]:
        """Yield the answers to every group of texts, in order.

        While the model answers, the next group is fetched and looked up, and the last answers are stored. A
        batch has texts of one group.
        """
        waiting: deque[_Group] = deque()
        batches = self._batches(groups, waiting, purpose, batch_size or self.model.batch_size)
        with contextlib.closing(self._ask(batches)) as asked:
            for batch, fresh in asked:
                batch.group.answers |= fresh
                batch.group.batches -= 1
                self.tracker.advance(len(batch.ids))
                yield from self._complete(waiting, purpose)
        yield from self._complete(waiting, purpose)

    def _batches(
        self, groups: Iterable[Texts], waiting: deque[_Group], purpose: Purpose, size: int
    ) -> Iterator[Batch]:
        for texts in groups:
            with self._watch("store"):
                group, missing = self._look_up(texts, purpose)
            parts = [missing[first : first + size] for first in range(0, len(missing), size)]
            group.batches = len(parts)
            waiting.append(group)
            for ids in parts:
                yield Batch(group, ids, purpose)

    def _look_up(self, texts: Texts, purpose: Purpose) -> tuple[_Group, list[bytes]]:
        """Return a group with the answers in the store, and the ids of the texts to ask about."""
        group = _Group(texts, self._store.find(list(texts.by_id), purpose))
        if purpose == Purpose.BLAME:
            group.answers |= self._store.find(list(texts.by_id))
        unknown = [name for name in texts.by_id if name not in group.answers]
        if self._lost:
            unknown = [name for name in unknown if (purpose, name) not in self._lost]
        missing = [name for name in unknown if name not in self._under_way]
        group.later = [name for name in unknown if name in self._under_way]
        if self.tracker.is_heard:
            # What a new run finds in the store, it has put there itself a moment ago.
            stored = sum(name in group.answers for name in texts.ids) if self._resumes else 0
            known = len(texts.ids) - len(missing)
            self.tracker.advance(known, stored=stored, repeated=known - stored)
        return group, missing

    def _complete(self, waiting: deque[_Group], purpose: Purpose) -> Iterator[list[Answer | None]]:
        """Yield the answers of the first groups that wait for none."""
        while waiting and not waiting[0].batches:
            group = waiting.popleft()
            if group.later:
                group.answers |= self._store.find(group.later, purpose)
            yield [None if name is None else group.answers.get(name) for name in group.texts.ids]

    def _ask(self, batches: Iterator[Batch]) -> Generator[tuple[Batch, dict[bytes, Answer]]]:
        """Yield every batch with its answers, which are stored; failed texts have none."""
        line = Line(
            self.model,
            timeout=self._timeout,
            on_crash=self._log_crash,
            spend=lambda seconds: self._watch.add(self._stage, seconds),
        )
        sent: deque[Batch] = deque()
        try:
            with contextlib.closing(line.answers(self._send(batches, sent))) as answered:
                for answers in answered:
                    with self._watch("store"):
                        fresh = self._keep(sent[0], answers)
                    yield sent.popleft(), fresh
        finally:
            self._under_way.clear()
            line.stop()

    def _send(self, batches: Iterator[Batch], sent: deque[Batch]) -> Iterator[list[Text]]:
        limit = self._budget.calls
        for batch in batches:
            if limit is not None and self._spent.calls + len(batch.ids) > limit:
                kept = f"answers so far are kept: continue with {argument('resume', True)} and a higher limit"
                problem = f"the run needs more texts than {argument('max_calls', limit)} allows"
                raise UsageError(f"{problem}; {kept}")
            self._spent.calls += len(batch.ids)
            self._under_way.update(batch.ids)
            sent.append(batch)
            yield batch.texts

    def _keep(self, batch: Batch, answers: Answers) -> dict[bytes, Answer]:
        self.asked += len(batch.ids)
        self._under_way.difference_update(batch.ids)
        if batch.purpose in _NEW:
            lost = sum((Purpose.FIRST, name) in self._lost for name in batch.ids) if self._lost else 0
            self._texts += len(batch.ids) - lost
        fresh = self._sorted_out(batch.ids, answers, batch.purpose)
        self._store.add(fresh, batch.purpose)
        if self._lost:
            self._check()
        return fresh

    def rerun(self, texts: Sequence[Text], *, alone: int = ALONE_TEXTS) -> Reruns:
        """Ask about some texts again, in batches, and about the first of them one at a time as well."""
        self.tracker.begin("noise", "texts", 2 * len(texts) + len(texts[:alone]))
        times = (
            self.answers(texts),
            self.answers(texts, purpose=Purpose.AGAIN),
            self.answers(texts[:alone], purpose=Purpose.ALONE, batch_size=1),
        )
        return Reruns(texts, *([answer and answer.label for answer in answers] for answers in times))

    @property
    def is_fixed(self) -> bool:
        """Whether the answers were made elsewhere, so that no other text can be asked about."""
        return isinstance(self.model, RecordedModel)

    def finish(self) -> None:
        """Stop a run that failed too often, once every text was sent."""
        if self._lost:
            self._check(ended=True)

    def distinct_texts(self) -> int:
        """Return how many different texts the run consists of, answered or not."""
        return self._store.count() + sum(purpose == Purpose.FIRST for purpose, _ in self._lost)

    def failures(self) -> dict[str, int]:
        """Return why texts have no answer, with counts, most frequent first; one reason per text."""
        reasons = {name: error for (_, name), error in reversed(self._lost.items())}
        return dict(sorted(Counter(reasons.values()).items(), key=lambda item: (-item[1], item[0])))

    def reason(self, name: bytes) -> str:
        """Return why the text with this id, which was sent for its first answer, has none."""
        return self._lost.get((Purpose.FIRST, name), "the model gave no answer")

    def _log_crash(self, error: BaseException) -> None:
        """Log the traceback of the model's code, once per place."""
        crash = f"{type(error).__name__}{place_of(error)}"
        if crash not in self._crashes:
            self._crashes.add(crash)
            log_crash(error)

    def _check(self, *, ended: bool = False) -> None:
        first = next(iter(self._lost.values()))
        self._budget.check(self._texts, len(self._failed), first, ended=ended)

    def _sorted_out(self, ids: list[bytes], answers: Answers, purpose: Purpose) -> dict[bytes, Answer]:
        cut = [own or status == TRUNCATED for own, status in zip(answers.cut, answers.statuses, strict=True)]
        columns = answers.labels, answers.probabilities, cut
        fresh = dict(zip(ids, map(Answer._make, zip(*columns, strict=True)), strict=True))
        if None in answers.labels:
            lost = zip(ids, answers.labels, answers.errors, strict=True)
            for name, error in [(name, error) for name, label, error in lost if label is None]:
                self._failed.add(name)
                self._lost[purpose, name] = error or "the model gave no answer"
                del fresh[name]
        return fresh
