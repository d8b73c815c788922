"""Query a model, whatever it does, and keep it busy: while it answers one batch, the next one is made ready.

A text that fails is an answer without a reply. The global random generators of Python, numpy and torch stay
as the model leaves them: Salva uses none of them, and restoring them would hide a model that uses randomness.

A model says with `ahead` how many batches may be under way at once. By default there is one: the next is sent
when the answers to the last one are kept, so that a run that is killed asks about one batch twice and no
more, which may cost money. A model that computes here and for free takes several, and one that has stages of
its own, such as tokenising and computing, also has `begin`.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from salva.errors import ModelError
from salva.models import Answers, Model, Text
from salva.models.guard import Call, HangError, Worker, guarded, refusing_exits, stdout_to_stderr
from salva.models.outputs import OutputError, checked
from salva.models.protocol import MOST_ERROR, clip, describe_crash

_PROBES = 12
# The thread that starts kernels on a GPU lets go of Python's lock some 150 times per batch, and gets it back
# after this many seconds if other threads compute. With this and `gc.disable` below, an H200 was busy 88 %
# instead of 73 % of the time; the default, 5 ms, would take longer than the GPU itself.
_TURN = 0.000_02
_PATIENCE = 2.0  # seconds to wait for work that nobody needs any more

T = TypeVar("T")


def query(
    model: Model,
    texts: Sequence[Text],
    *,
    timeout: float | None = None,
    on_crash: Callable[[BaseException], object] | None = None,
) -> Answers:
    """Return the model's answers to one batch, and never raise for a fault of the model.

    A batch that raises is halved until the texts at fault are found; if nothing in it seems to work, all
    of it fails after about fifteen calls. One that takes longer than `timeout` seconds, or whose answer is
    malformed, fails as a whole. Only a `ModelError` comes through: it is how a model says that going on is
    pointless. `on_crash` gets every other exception.
    """
    if not texts:
        return Answers.of([])
    with stdout_to_stderr():
        return _Query(model, timeout, on_crash or (lambda _: None)).whole(list(texts))


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a call gave nothing; `divides` says whether parts of the batch may still succeed."""

    cause: str
    error: str
    divides: bool


@dataclass(frozen=True, slots=True)
class _Query:
    model: Model
    timeout: float | None
    on_crash: Callable[[BaseException], object]

    def whole(self, texts: list[Text]) -> Answers:
        outcome = self._call(texts)
        if isinstance(outcome, Answers) or not outcome.divides or len(texts) == 1:
            return self._settled(texts, outcome)
        halves = [(half, self._call(half)) for half in _halves(texts)]
        if (
            len(texts) > 4
            and all(_alike(part, outcome) for _, part in halves)
            and self._is_hopeless(texts, outcome)
        ):
            return Answers.failed(len(texts), outcome.error)
        return Answers.joined(self._settled(half, part) for half, part in halves)

    def _settled(self, texts: list[Text], outcome: Answers | _Fault) -> Answers:
        if isinstance(outcome, Answers):
            return outcome
        if not outcome.divides or len(texts) == 1:
            return Answers.failed(len(texts), outcome.error)
        return Answers.joined(self._settled(half, self._call(half)) for half in _halves(texts))

    def _is_hopeless(self, texts: list[Text], fault: _Fault) -> bool:
        """Return whether texts from all over the batch, each sent alone, fail in the same way."""
        places = sorted({i * len(texts) // _PROBES for i in range(_PROBES)})
        return all(_alike(self._call([texts[place]]), fault) for place in places)

    def _call(self, texts: list[Text]) -> Answers | _Fault:
        try:
            answers, error = guarded(lambda: self._predict(list(texts)), self.timeout)
        except HangError:
            self._stop()
            return _Fault("hang", f"no answer within {self.timeout:g} seconds", divides=False)
        if isinstance(error, ModelError):
            raise error
        if isinstance(error, OutputError):
            return _Fault("output", clip(str(error), MOST_ERROR), divides=False)
        if error is not None:
            self.on_crash(error)
            return _Fault(type(error).__name__, describe_crash(error), divides=True)
        assert answers is not None  # noqa: S101
        return answers

    def _predict(self, texts: list[Text]) -> Answers:
        count = len(texts)  # the model may change the list
        with refusing_exits():
            return checked(self.model.predict(texts), count)

    def _stop(self) -> None:
        """Ask the model to stop: a program can be killed, a function in a thread cannot."""
        with contextlib.suppress(HangError):
            guarded(self.model.close, self.timeout)


def _halves(texts: list[Text]) -> list[list[Text]]:
    middle = len(texts) // 2
    return [texts[:middle], texts[middle:]]


def _alike(outcome: Answers | _Fault, fault: _Fault) -> bool:
    return isinstance(outcome, _Fault) and outcome.cause == fault.cause


@runtime_checkable
class Staged(Protocol):
    """A model that works on several batches at once: `begin` returns before the answers are there."""

    ahead: int

    def begin(self, texts: list[Text]) -> Call[Answers]:
        """Begin with a batch; batches are answered in the order in which they were begun."""
        ...


class _Batch(NamedTuple):
    texts: list[Text]
    begun: float
    call: Call[Answers]


class Pipeline:
    """Sends batches to a model, and gives their answers back in order.

    `spend` gets the seconds in which the model had something to do, batch by batch.
    """

    def __init__(
        self,
        model: Model,
        *,
        timeout: float | None = None,
        on_crash: Callable[[BaseException], object] | None = None,
        spend: Callable[[float], object] = lambda _: None,
    ) -> None:
        self._model, self._timeout, self._on_crash, self._spend = model, timeout, on_crash, spend
        self._staged = model if isinstance(model, Staged) else None
        self._most: int = max(getattr(model, "ahead", 1), 1)
        self._under_way: deque[_Batch] = deque()
        self._last = 0.0  # when the last batch was answered
        self._worker: Worker | None = None

    def answers(self, batches: Iterator[list[Text]]) -> Generator[Answers]:
        """Yield the answers to batches; while the model works, the next batch is made ready.

        If the source of the batches raises an error, the answers to all batches before it come first. What
        the caller prints meanwhile is not redirected.
        """
        source = _Source(batches)
        with stdout_to_stderr(except_here=True), self._turns():
            while True:
                while len(self._under_way) < self._most and (texts := source.take()) is not None:
                    self._under_way.append(self._begin(texts))
                if not self._under_way:
                    break
                source.prepare()
                yield self._finish(self._under_way.popleft())
        if source.error is not None:
            raise source.error

    def stop(self) -> None:
        """Let the thread end; batches under way are forgotten."""
        self._under_way.clear()
        if self._worker is not None:
            self._worker.stop()

    def _begin(self, texts: list[Text]) -> _Batch:
        begun = time.perf_counter()
        if self._staged is not None:
            return _Batch(texts, begun, self._staged.begin(texts))
        self._worker = self._worker or Worker("salva-asker")
        return _Batch(texts, begun, self._worker.begin(lambda: self._query(texts)))

    def _query(self, texts: list[Text]) -> Answers:
        return query(self._model, texts, timeout=self._timeout, on_crash=self._on_crash)

    def _finish(self, batch: _Batch) -> Answers:
        """Wait for the answers to a batch."""
        answers = batch.call.result() if self._staged is None else self._finish_staged(batch)
        ended = min(batch.call.ended, time.perf_counter())
        self._spend(max(ended - max(batch.begun, self._last), 0.0))
        self._last = ended
        if self._staged is not None:
            gc.collect(0)  # only what is new: to look at all that torch holds stops every thread for a second
        return answers

    def _finish_staged(self, batch: _Batch) -> Answers:
        """Return the answers to a batch; one that failed in stages is asked about in the usual way."""
        if not batch.call.wait(self._timeout):
            with contextlib.suppress(HangError):
                guarded(self._model.close, self._timeout)  # the batches behind this one would wait for ever
            self._under_way = deque(self._begin(later.texts) for later in self._under_way)
        elif isinstance(batch.call.error, ModelError):
            raise batch.call.error
        elif batch.call.error is None:
            with contextlib.suppress(OutputError):
                return checked(batch.call.value, len(batch.texts))
        return self._query(batch.texts)

    @contextlib.contextmanager
    def _turns(self) -> Iterator[None]:
        if self._staged is None:
            yield
            return
        before = sys.getswitchinterval()
        sys.setswitchinterval(min(_TURN, before))
        collecting = gc.isenabled()
        gc.disable()  # `_finish` collects
        try:
            yield
        finally:
            if collecting:
                gc.enable()
            sys.setswitchinterval(before)


class _Source:
    """Batches that are fetched one at a time, and the error that ended them."""

    def __init__(self, batches: Iterator[list[Text]]) -> None:
        self._batches = batches
        self._ready: list[Text] | None = None
        self.error: Exception | None = None

    def prepare(self) -> None:
        """Fetch the next batch, unless one is ready."""
        if self._ready is None and self.error is None:
            try:
                self._ready = next(self._batches, None)
            except Exception as error:  # noqa: BLE001 - raised when all batches before it are answered
                self.error = error

    def take(self) -> list[Text] | None:
        """Return the next batch; None if there is none."""
        self.prepare()
        texts, self._ready = self._ready, None
        return texts


class MadeAhead(Generic[T]):
    """The items of an iterator, each made in another thread while the caller works on the one before.

    One item is held ahead. Closing does not wait for the thread, which may take long.
    """

    def __init__(self, items: Iterator[T]) -> None:
        self._items, self._worker = items, Worker("salva-ahead")
        self._call: Call[T | None] = self._make()

    def __iter__(self) -> Iterator[T]:
        while (item := self._call.result()) is not None:
            self._call = self._make()
            yield item

    def close(self) -> None:
        """Make no more items; one that takes long is left to its thread."""
        self._worker.stop()
        self._call.wait(_PATIENCE)

    def _make(self) -> Call[T | None]:
        return self._worker.begin(lambda: next(self._items, None))
