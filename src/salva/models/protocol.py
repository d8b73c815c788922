"""The protocol that every model follows: texts in, answers out, and a digest that identifies it.

An answer is a label, or the reason why there is none; for a model that writes, the label is what it wrote. A
digest covers everything visible that an answer may depend on.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from salva._arguments import argument, check_whole, is_number
from salva._crashes import place_of
from salva._files import digest
from salva.errors import UsageError

MOST_ERROR = 300

Status: TypeAlias = Literal["answered", "truncated", "refused", "failed"]
"""What became of a text; `ANSWERED`, `TRUNCATED`, `REFUSED` and `FAILED` are its values."""
ANSWERED: Final = "answered"
TRUNCATED: Final = "truncated"  # the answer is there, up to its limit of tokens
REFUSED: Final = "refused"  # by the model, or by a filter of its server
FAILED: Final = "failed"  # an error, a timeout, or an answer that cannot be read
STATUSES: tuple[Status, ...] = (ANSWERED, TRUNCATED, REFUSED, FAILED)
_REASONS: dict[Status, str] = {REFUSED: "the model refused to answer", FAILED: "the model gave no answer"}


class Answer(NamedTuple):
    """The answer to one text, with the defaults of `Answers.of`."""

    label: str | None = None
    probability: float | None = None
    status: Status | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to some texts; each of the five lists has one entry per text.

    A text that is answered or truncated has a label, and no error. One that is refused or failed has no
    label, and an error that says why. `cut` is true if the text was too long for the model, which read only a
    part of it.
    """

    labels: list[str | None]
    probabilities: list[float | None]
    statuses: list[Status]
    errors: list[str | None]
    cut: list[bool]

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(
        cls,
        labels: Sequence[str | None],
        *,
        probabilities: Sequence[float | None] | None = None,
        statuses: Sequence[Status | None] | None = None,
        errors: Sequence[str | None] | None = None,
        cut: Sequence[bool] | None = None,
    ) -> Answers:
        """Return answers, with defaults for everything that is not given.

        Without a status, a text with a label is answered, and one without has failed. A label that comes with
        the status refused or failed is not an answer, and becomes part of the error.

        >>> Answers.of(["pos", None]).statuses
        ['answered', 'failed']
        >>> Answers.of(["pos", "I cannot say."], statuses=[None, REFUSED]).errors
        [None, "the model refused to answer: 'I cannot say.'"]
        """
        none: list[None] = [None] * len(labels)
        given = zip(labels, none if statuses is None else statuses, strict=True)
        settled = [_settle(label, status) for label, status in given]
        reasons = zip(labels, settled, none if errors is None else errors, strict=True)
        return cls(
            [None if status in _REASONS else label for label, status in zip(labels, settled, strict=True)],
            [*none] if probabilities is None else list(probabilities),
            settled,
            [
                error or _reason(label, status) if status in _REASONS else None
                for label, status, error in reasons
            ],
            [False] * len(labels) if cut is None else list(cut),
        )

    @classmethod
    def of_each(cls, answers: Sequence[Answer], cut: Sequence[bool] | None = None) -> Answers:
        """Return answers that are given one by one, with defaults for everything that is not given.

        >>> Answers.of_each([Answer("pos", 0.75), Answer(error="no reply")]).errors
        [None, 'no reply']
        """
        return cls.of(
            [one.label for one in answers],
            probabilities=[one.probability for one in answers],
            statuses=[one.status for one in answers],
            errors=[one.error for one in answers],
            cut=cut,
        )

    @classmethod
    def failed(cls, count: int, error: str) -> Answers:
        """Return answers for texts that all failed in the same way."""
        return cls.of([None] * count, errors=[error] * count)

    @classmethod
    def joined(cls, parts: Iterable[Answers]) -> Answers:
        """Return the answers of several calls as one."""
        some = list(parts)
        return cls(
            [label for part in some for label in part.labels],
            [probability for part in some for probability in part.probabilities],
            [status for part in some for status in part.statuses],
            [error for part in some for error in part.errors],
            [cut for part in some for cut in part.cut],
        )


def _settle(label: str | None, status: Status | None) -> Status:
    """Return the status of a text: one that has no label has failed, unless it was refused."""
    if label is None:
        return status if status in _REASONS else FAILED
    return status or ANSWERED


def _reason(label: str | None, status: Status) -> str:
    reason = _REASONS[status]
    return reason if label is None else clip(f"{reason}: {clip(label, 200)!r}", MOST_ERROR)


def one_line(error: BaseException) -> str:
    r"""Return an exception as one line of at most 300 characters, with nothing that affects a terminal.

    >>> one_line(ValueError("two\nlines"))
    'ValueError: two lines'
    """
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the str() of somebody else's exception may do anything
        message = ""
    name = type(error).__name__
    return clip(f"{name}: {message}" if message.strip() else name, MOST_ERROR)


def describe_crash(error: BaseException) -> str:
    """Return an exception of the model's code as one line, with the file and line of that code."""
    place = clip(place_of(error), MOST_ERROR // 2)
    return f"{clip(one_line(error), MOST_ERROR - len(place) - 1)} {place}" if place else one_line(error)


def clip(text: str, most: int) -> str:
    r"""Return a text on one line, control and invisible characters escaped, cut to `most` characters.

    >>> clip("a\x1b[31m  b\n" + "c" * 99, 12)
    'a\\x1b[31m b…'
    """
    # Only the beginning is read: the rest may be a gigabyte.
    text = " ".join(text[: 4 * most].split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


class Message(NamedTuple):
    """One message of a chat: who says it, and what."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a model that writes text.

    `options` are the replies among which the model has to choose, if there are any: a model that cannot be
    asked to write may compare how likely they are.

    >>> Prompt((Message("user", "2 + 2?"),)).text
    '2 + 2?'
    """

    messages: tuple[Message, ...]
    options: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is one message of the user."""
        return len(self.messages) == 1 and self.messages[0].role == "user"

    @property
    def dicts(self) -> list[dict[str, str]]:
        """The messages as OpenAI's protocol has them."""
        return [message._asdict() for message in self.messages]

    @property
    def _headings(self) -> list[str]:
        return [""] if self.is_plain else [f"[{role}]\n" for role, _ in self.messages]

    @property
    def text(self) -> str:
        """The messages as one text, to be read by people; each below its role unless it is plain."""
        parts = zip(self._headings, self.messages, strict=True)
        return "\n\n".join(f"{heading}{message.content}" for heading, message in parts)

    @property
    def places(self) -> list[int]:
        """Where the content of each message begins in `text`."""
        sizes = [len(h) + len(m.content) + 2 for h, m in zip(self._headings, self.messages, strict=True)]
        return [k + len(h) for k, h in zip(accumulate(sizes, initial=0), self._headings, strict=False)]


Text: TypeAlias = str | tuple[str, str] | Prompt


@runtime_checkable
class Model(Protocol):
    """A model under test. Query it with `ask`, which copes with whatever goes wrong."""

    name: str
    """The name shown to people; holds no secrets."""
    digest: str
    """`sha256:…`; differs whenever answers may differ."""
    classes: tuple[str, ...] | None
    """The class names, if they are known before the first answer."""
    batch_size: int
    """How many texts to send per call."""

    def predict(self, texts: list[Text]) -> Answers:
        """Return one answer per text, in the same order; may raise anything."""
        ...

    def close(self) -> None:
        """Stop whatever is running and free what is held; a later `predict` may start over."""
        ...


class Adapted:
    """What all adapters have: the attributes of a `Model`, which holds nothing but memory."""

    def __init__(
        self, name: str, digest: str, batch_size: int, classes: tuple[str, ...] | None = None
    ) -> None:
        self.name, self.digest, self.batch_size, self.classes = name, digest, batch_size, classes

    def close(self) -> None:
        """Do nothing: what is held is freed with the model."""


def text_id(text: Text) -> bytes:
    """Return the 16-byte id of a text, a pair of texts or a prompt; the export holds it in hexadecimal.

    >>> text_id("fine").hex()
    '904487a163bd8a70172346f3fc67c47d'
    """
    if isinstance(text, Prompt):
        whole = json.dumps(["prompt", text.messages, text.options])
    else:
        whole = text if isinstance(text, str) else "\0".join(text)
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def as_text(text: Text, between: str = "\n") -> str:
    """Return an input as one text; `between` is put between the two texts of a pair."""
    if isinstance(text, Prompt):
        return text.text
    return text if isinstance(text, str) else between.join(text)


def as_fields(text: Text) -> dict[str, Any]:
    """Return an input as fields: `text`, `text_b` of a pair, `messages` and `options` of a prompt.

    >>> as_fields(("a premise", "a hypothesis"))
    {'text': 'a premise', 'text_b': 'a hypothesis'}
    """
    if not isinstance(text, Prompt):
        return {"text": text} if isinstance(text, str) else {"text": text[0], "text_b": text[1]}
    messages = {} if text.is_plain else {"messages": text.dicts}
    return {"text": text.text, **messages} | ({"options": text.options} if text.options else {})


def combined(*parts: str | bool | int | None) -> str:
    """Return one digest of several parts; no other parts have the same one.

    >>> combined("a", "b") == combined("ab"), combined("a")[:15]
    (False, 'sha256:0eb5b8d6')
    """
    return f"sha256:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def of_files(paths: Iterable[Path]) -> str:
    """Return the digest of some files, from their names and contents; their folder does not matter."""
    return combined(*(part for path in sorted(paths) for part in (path.name, digest(path))))


def of_folder(folder: Path) -> str:
    """Return the digest of the files in a folder, without hidden ones."""
    return of_files(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def unrepeatable() -> str:
    """Return a digest that no other model ever gets, for a model about which nothing is known."""
    return combined("unknown", secrets.token_hex(32))


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
