"""Query a model, whatever it does: raise, hang, print, exit, or answer nonsense.

A text that fails is an answer without a label. The global random generators of Python, numpy and torch stay
as the model leaves them: Salva uses none of them, and restoring them would hide a model that uses randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from salva.errors import ModelError
from salva.models.guard import HangError, guarded, refusing_exits, stdout_to_stderr
from salva.models.outputs import OutputError, checked
from salva.models.protocol import MOST_ERROR, Answers, Model, Text, clip, describe_crash

_PROBES = 12


def ask(
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
        return _Asking(model, timeout, on_crash or (lambda _: None)).whole(list(texts))


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a call gave nothing; `divides` says whether parts of the batch may still succeed."""

    cause: str
    error: str
    divides: bool


@dataclass(frozen=True, slots=True)
class _Asking:
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
            and self._hopeless(texts, outcome)
        ):
            return Answers.failed(len(texts), outcome.error)
        return Answers.joined(self._settled(half, part) for half, part in halves)

    def _settled(self, texts: list[Text], outcome: Answers | _Fault) -> Answers:
        if isinstance(outcome, Answers):
            return outcome
        if not outcome.divides or len(texts) == 1:
            return Answers.failed(len(texts), outcome.error)
        return Answers.joined(self._settled(half, self._call(half)) for half in _halves(texts))

    def _hopeless(self, texts: list[Text], fault: _Fault) -> bool:
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
        try:
            guarded(self.model.close, self.timeout)
        except HangError:
            return


def _halves(texts: list[Text]) -> list[list[Text]]:
    middle = len(texts) // 2
    return [texts[:middle], texts[middle:]]


def _alike(outcome: Answers | _Fault, fault: _Fault) -> bool:
    return isinstance(outcome, _Fault) and outcome.cause == fault.cause
