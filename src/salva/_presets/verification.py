"""A language model as a gate: an edit passes if the sentence with it is not much less likely.

Every edit is judged by itself, in the original sentence. So the decision depends neither on the severity nor
on other edits.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from salva._files import user_cache
from salva._presets.settings import resource
from salva._types import Bools, Floats
from salva.edits.contexts import Rewording

CLOSE = 0.02  # nats; more than scores change with the texts that share a batch

_ABOUT = "Language model that must pass further edits: off, or hf:DIRECTORY."


def language_model_field() -> Any:
    """Return a field for a language model."""
    return resource("off", _ABOUT, locate=_language_model_folder)


def _language_model_folder(spec: str) -> Path:
    from salva.models.likelihood import language_model_folder  # with all models; most transforms need none

    return language_model_folder(spec)


class Verifier:
    """Decides which edits pass; one thread at a time asks the model."""

    def __init__(
        self, spec: str, max_loss: float, *, budget: int | None = None, store: Path | None = None
    ) -> None:
        from salva.models.likelihood import KeptLikelihoods, LanguageModel

        path = user_cache() / "likelihoods.sqlite" if store is None else store
        self._likelihoods = KeptLikelihoods(LanguageModel(spec, budget=budget), path)
        self._max_loss, self._lock = max_loss, Lock()

    def passes(self, rewordings: Sequence[Rewording]) -> Bools:
        """Return which sentences lose at most `max_loss` of their log-probability."""
        with self._lock:
            losses = self._losses(rewordings, alone=False)
            close = np.flatnonzero(np.abs(losses - self._max_loss) < CLOSE)
            losses[close] = self._losses([rewordings[place] for place in close.tolist()], alone=True)
            passed: Bools = losses <= self._max_loss
        return passed

    def _losses(self, rewordings: Sequence[Rewording], *, alone: bool) -> Floats:
        texts = (text for rewording in rewordings for text in rewording)
        scores = self._likelihoods.find(texts, alone=alone)
        return np.array([scores[before] - scores[after] for before, after in rewordings], np.float64)
