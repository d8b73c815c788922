"""The options that apply to any model, with their defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from salva._arguments import argument, check_whole, is_number
from salva.errors import UsageError

# How a model chooses among options; in lm-evaluation-harness, the last two give acc and acc_norm.
REPLY, LIKELIHOOD, PER_CHARACTER = "reply", "likelihood", "likelihood-per-character"
WAYS_TO_CHOOSE = (REPLY, LIKELIHOOD, PER_CHARACTER)
# What a server is told about replies that are to be JSON.
JSON_SCHEMA, JSON_OBJECT, PLAIN_TEXT = "json_schema", "json_object", "text"
REPLY_FORMATS = (JSON_SCHEMA, JSON_OBJECT, PLAIN_TEXT)
# Fields of a request that no user may change: what is asked, and in which form the reply comes.
_SET_HERE = (
    *("model", "messages", "prompt", "n", "stream", "stream_options", "echo", "logprobs", "top_logprobs"),
    "response_format",
)
# In which numbers `hf:` computes, as transformers names them; `auto` is the type of the weights.
NUMBER_TYPES = ("float32", "bfloat16", "float16", "auto")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How to open and query a model; None means: the model's own default.

    `timeout` is in seconds per batch, `deadline` in seconds per text including all retries (`openai:`).
    `labels` are the labels of the data (`openai:` puts them where the prompt has {labels}). `logits` says
    that scores are not probabilities yet; `model_id` names a version of a model that the digest cannot see.
    `writes` opens a model to write text, not to give labels; `max_new_tokens` limits the length of an answer.
    `choose_by` is how `hf:` and `openai:` choose among the options of a prompt: by the reply that they write,
    or by how likely each option is. Without `chat_template`, `hf:` gets prompts as they are, also if its
    tokenizer has a template; `dtype` is the type of its numbers, one of `NUMBER_TYPES`. `request` has
    further fields of every request to `openai:`, such as seed, temperature or max_completion_tokens; if
    replies are to be JSON objects with the field `json_field`, it is told so as `reply_format` says, by
    default with a JSON schema.

    >>> ModelOptions(request={"temperature": 0.2}).request
    {'temperature': 0.2}
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
    writes: bool = False
    max_new_tokens: int = 256
    choose_by: str = REPLY
    chat_template: bool = True
    request: Mapping[str, Any] = field(default_factory=dict, hash=False)
    reply_format: str | None = None
    json_field: str = ""
    dtype: str | None = None

    def __post_init__(self) -> None:
        if self.batch_size is not None:
            check_whole("batch_size", self.batch_size, 1, 1 << 20)
        check_whole("concurrency", self.concurrency, 1, 256)
        check_whole("retries", self.retries, 0, 100)
        check_whole("max_new_tokens", self.max_new_tokens, 1, 1 << 20)
        _check_choice("choose_by", self.choose_by, WAYS_TO_CHOOSE)
        _check_choice("dtype", self.dtype, (None, *NUMBER_TYPES))
        _check_choice("reply_format", self.reply_format, (None, *REPLY_FORMATS))
        object.__setattr__(self, "request", _check_request(self.request))
        if self.timeout is not None:
            _check_seconds("timeout", self.timeout)
        _check_seconds("deadline", self.deadline)
        if not self.api_key_variable or "=" in self.api_key_variable or "\0" in self.api_key_variable:
            # The value is not shown: it may be the key itself.
            raise UsageError("api_key_variable must name an environment variable, such as OPENAI_API_KEY")


def _check_choice(name: str, value: Any, choices: Sequence[str | None]) -> None:
    if value not in choices:
        known = ", ".join(choice for choice in choices if choice is not None)
        raise UsageError(f"{argument(name, value)} is unknown; choose from {known}")


def _check_request(fields: Any) -> dict[str, Any]:
    """Return a copy of the further fields of a request; refuse those that are set by Salva, or not JSON."""
    if not isinstance(fields, Mapping):
        raise UsageError(f"request={fields!r:.60} must be a mapping of fields, such as {{'seed': 1}}")
    copy: dict[str, Any] = {}
    for name, value in fields.items():
        if not isinstance(name, str) or not name:
            raise UsageError(f"{name!r:.60} must be the name of a field of a request, such as 'seed'")
        if name in _SET_HERE:
            raise UsageError(f"the field {name!r} of a request is set by Salva; leave it out")
        try:
            copy[name] = json.loads(json.dumps(value, allow_nan=False))
        except (TypeError, ValueError, RecursionError):
            problem = f"the field {name!r:.60} of a request is {value!r:.60}"
            raise UsageError(f"{problem}, which cannot be written as JSON") from None
    return copy


def _check_seconds(name: str, value: Any) -> None:
    if not is_number(value) or not 0 < value <= 1e6:
        raise UsageError(f"{name}={value!r} must be a number of seconds above 0")
