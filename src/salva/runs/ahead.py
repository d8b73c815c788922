"""Keep a model busy: while it answers one batch, the next ones are fetched and the last answers are kept.

A model says with `ahead` how many batches may be under way at once. By default there is one: the next batch
is sent when the answers to the last one are kept, so that a run that is killed asks about one batch twice and
no more, which may cost money. A model that computes here and for free takes several, and one that has stages
of its own, such as tokenising and computing, also has `begin`.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from salva.errors import ModelError
from salva.models import Answers, Model, Text
from salva.models.guard import Call, HangError, Worker, guarded, stdout_to_stderr
from salva.models.outputs import OutputError, checked
from salva.runs.calls import ask

# The thread that starts kernels on a GPU lets go of Python's lock some 150 times per batch, and gets it back
# after this many seconds if other threads compute. With this and `gc.disable` below, an H200 was busy 88 %
# instead of 73 % of the time; the default, 5 ms, would take longer than the GPU itself.
_TURN = 0.000_02
_PATIENCE = 2.0  # seconds to wait for work that nobody needs any more

T = TypeVar("T")


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


class Line:
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
        """Yield the answers to batches, which are fetched as late as the model allows.

        If the source of the batches raises an error, the answers to all batches before it come first. What
        the caller prints meanwhile is not redirected.
        """
        fault: Exception | None = None
        with stdout_to_stderr(except_here=True), self._turns():
            while True:
                while fault is None and len(self._under_way) < self._most:
                    try:
                        texts = next(batches)
                    except StopIteration:
                        break
                    except Exception as error:  # noqa: BLE001 - raised below
                        fault = error
                        break
                    self._under_way.append(self._begin(texts))
                if not self._under_way:
                    break
                yield self._finish(self._under_way.popleft())
        if fault is not None:
            raise fault

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
        return _Batch(texts, begun, self._worker.begin(lambda: self._ask(texts)))

    def _ask(self, texts: list[Text]) -> Answers:
        return ask(self._model, texts, timeout=self._timeout, on_crash=self._on_crash)

    def _finish(self, batch: _Batch) -> Answers:
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
        return self._ask(batch.texts)

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


class MadeAhead(Generic[T]):
    """The items of an iterator, each made in another thread while the caller works on the one before.

    Unlike `work_ahead`, it holds one item ahead, because a group of twins is large, and does not wait for its
    thread when it is closed: a language model that checks edits may take minutes, and Ctrl-C must not.
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
