"""What the user may say about a model, whatever its kind, with the defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass

from salva.errors import UsageError

__all__ = ["ModelOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How a model is opened and asked; None means: what suits the model.

    `timeout` is in seconds a batch, `deadline` in seconds a text with all its retries (`openai:`). `labels`
    are the data's own (`openai:` puts them where the prompt says {labels}). `logits` says that scores are no
    probabilities yet; `model_id` names a version of a model that the digest cannot see. `max_new_tokens` is
    how long an answer of a model that writes texts may get.
    """

    batch_size: int | None = None
    timeout: float | None = None
    concurrency: int = 4
    retries: int = 5
    deadline: float = 120.0
    labels: tuple[str, ...] = ()
    logits: bool = False
    model_id: str | None = None
    device: str | None = None
    prompt: str | None = None
    api_key_variable: str = "OPENAI_API_KEY"
    max_new_tokens: int = 256

    def __post_init__(self) -> None:
        if self.batch_size is not None:
            _check_whole("batch_size", self.batch_size, 1, 1 << 20)
        _check_whole("concurrency", self.concurrency, 1, 256)
        _check_whole("retries", self.retries, 0, 100)
        _check_whole("max_new_tokens", self.max_new_tokens, 1, 1 << 20)
        if self.timeout is not None:
            _check_seconds("timeout", self.timeout)
        _check_seconds("deadline", self.deadline)
        if not self.api_key_variable or "=" in self.api_key_variable or "\0" in self.api_key_variable:
            # Not shown: somebody may have given the key itself.
            raise UsageError("api_key_variable is no name of an environment variable, such as OPENAI_API_KEY")


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name}={value!r} is no whole number from {least} to {most}")


def _check_seconds(name: str, value: object) -> None:
    number = not isinstance(value, bool) and isinstance(value, int | float) and math.isfinite(value)
    if not number or not 0 < value <= 1e6:  # type: ignore[operator]
        raise UsageError(f"{name}={value!r} is no number of seconds above 0")
