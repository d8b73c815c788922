"""Ask a model about a few texts before a run, to learn how long it takes and whether its answers fit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from salva.errors import ModelError
from salva.evaluation.answers import LabelCodes
from salva.models import Answers, Model, Text
from salva.runs import ask

TRIAL_TEXTS = 20


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did on a few texts: how many it got, how many failed and why, and how long one took."""

    texts: int
    failed: int
    first_error: str | None
    seconds_per_text: float


def try_model(
    model: Model, texts: Sequence[Text], codes: LabelCodes, *, timeout: float | None = None
) -> Trial:
    """Ask about one or more texts and keep no answer; refuse labels that the data does not have.

    The first text is asked about alone and not timed, because a model may have to get ready. If all fail,
    there is nothing to learn about the time, and the error is raised.
    """
    ahead = ask(model, texts[:1], timeout=timeout) if len(texts) > 1 else Answers.of([])
    timed = texts[len(ahead) :]
    started = time.perf_counter()
    batches = [timed[first : first + model.batch_size] for first in range(0, len(timed), model.batch_size)]
    answers = [ask(model, batch, timeout=timeout) for batch in batches]
    seconds = time.perf_counter() - started
    whole = Answers.joined([ahead, *answers])
    codes.align({label for label in whole.labels if label is not None})
    errors = [error for error in whole.errors if error is not None]
    if len(errors) == len(texts):
        raise ModelError(f"all {len(texts)} texts that were tried failed; the first error: {errors[0]}")
    return Trial(len(texts), len(errors), errors[0] if errors else None, seconds / len(timed))
