"""`openai:MODEL@URL`: a model on a server with OpenAI's protocol, asked to choose a label, or to write.

The text is a separate message, and nothing in it is interpreted. Redirects are not followed. Each text has
one deadline for all its tries, from the first connection to the last byte.

A model may also choose: the option of a prompt that the server finds most likely. At …/completions, every
option is sent after the prompt and the server echoes the log-probabilities of all tokens, as
lm-evaluation-harness's local-completions asks for them. A chat gives log-probabilities only of what it
writes, so there the first token is compared with the names of the options.
"""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import json
import logging
import math
import os
import re
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from salva._arguments import argument
from salva.errors import ModelError, UsageError, extra
from salva.models.protocol import (
    ANSWERED,
    FAILED,
    JSON_SCHEMA,
    PER_CHARACTER,
    PLAIN_TEXT,
    REFUSED,
    REPLY,
    TRUNCATED,
    Adapted,
    Answer,
    Answers,
    ModelOptions,
    Prompt,
    Status,
    Text,
    as_text,
    clip,
    combined,
    one_line,
)
from salva.models.secrets import Secrets

if TYPE_CHECKING:
    import httpx2

logger = logging.getLogger("salva")
logging.getLogger("stamina").addHandler(logging.NullHandler())  # otherwise stamina logs every retry

_SPEC = re.compile(r"(.+?)@(https?://.+)", re.DOTALL)
_PROMPT = (
    "You classify texts. The labels are:\n{labels}\n"
    "Answer with the one label that fits the text best, exactly as written, and with nothing else."
)
_AROUND = " \t\r\n*\"'`“”‘’«»"  # noqa: RUF001 - characters that models put around an answer
_ROUNDS = 16  # texts per connection in one batch
_MOST = 20  # tokens that OpenAI's protocol gives log-probabilities of
_MOST_BYTES = 1 << 20
_MOST_WAIT = 30.0
_AGAIN = {408, 409, 425, 429}
_INVALID = {400, 422}
_FILTER = "content_filter"
_FILTERS = {_FILTER, "content_policy_violation"}  # codes of errors
_CALLS = ("tool_calls", "function_call")
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_STOP = {
    401: "the key is missing or wrong",
    403: "access is forbidden",
    404: "the model or the address is unknown",
}


class OpenAIModel(Adapted):
    """A chat model that is given the labels and one text, or writes and is given nothing else.

    What it writes has no instructions unless a prompt says where {text} goes. A model that is not a chat goes
    on with a text and gets no messages.
    """

    def __init__(self, model: str, url: str, options: ModelOptions, *, is_chat: bool = True) -> None:
        self._model, self._options, self._is_chat = model, options, is_chat
        labels: tuple[str, ...] = () if options.writes else options.labels
        if options.writes:
            self._prompt, self._most_tokens = options.prompt or "{text}", options.max_new_tokens
        else:
            # The text is inserted last, so nothing in it is taken for a placeholder.
            self._prompt = (options.prompt or _PROMPT).replace("{labels}", "\n".join(labels))
            # An answer has no more tokens than letters.
            self._most_tokens = max(map(len, labels), default=0) + 8
        self._named = {_trimmed(label): label for label in labels}
        self._format = _describe_format(options) if options.writes else {}
        address = url.rstrip("/") + "/chat/completions"
        if not is_chat or url.endswith("/chat/completions"):
            address = url
        self._server = Server(address, _key(options.api_key_variable), options.api_key_variable)
        known = combined(
            *(("openai", "generate") if options.writes else ("openai",)),
            model,
            url,
            self._prompt,
            *labels,
            self._most_tokens,
            options.model_id,
            *_list_extras(options),
        )
        batch_size = options.batch_size or _ROUNDS * options.concurrency
        super().__init__(f"openai:{model}@{url}", known, batch_size, labels or None)
        self.versions: list[str] = []
        """The server's names for its model, in order of appearance; more than one means that it changed."""

    def predict(self, texts: list[Text]) -> Answers:
        """Return the labels the model chose, asking about `concurrency` texts at a time."""
        return Answers.of_each(asyncio.run(self._ask_all(texts)))

    async def _ask_all(self, texts: list[Text]) -> list[Answer]:
        import httpx2

        turn = asyncio.Semaphore(self._options.concurrency)
        client = httpx2.AsyncClient(
            headers=self._server.headers, timeout=self._options.deadline, follow_redirects=False
        )
        try:
            async with client, asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._ask(client, turn, text)) for text in texts]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _ask(self, client: httpx2.AsyncClient, turn: asyncio.Semaphore, text: Text) -> Answer:
        """Return a label, or the reason why there is none."""
        faults: list[str] = []
        async with turn:
            try:
                async with asyncio.timeout(self._options.deadline):
                    return await self._tried(client, text, faults)
            except TimeoutError:
                last = f"; the last try: {faults[-1]}" if faults else ""
                return Answer(error=f"no answer within {self._options.deadline:g} seconds{last}")
            except (RequestFaultError, RetryError) as error:
                status: Status = REFUSED if isinstance(error, RefusalError) else FAILED
                return Answer(status=status, error=str(error))

    async def _tried(self, client: httpx2.AsyncClient, text: Text, faults: list[str]) -> Answer:
        import stamina

        tries = stamina.retry_context(
            # Whether to try again, and after how long if the server asked for a wait.
            on=lambda error: isinstance(error, RetryError) and (error.wait is None or error.wait),
            attempts=self._options.retries + 1,
            timeout=None,
            wait_initial=0.5,
            wait_max=30.0,
        )
        request = self._request(text)
        async for attempt in tries:
            with attempt:
                try:
                    return self._answer(await read_reply(client, self._server, request), text)
                except RetryError as error:
                    faults.append(str(error))
                    raise
                except InvalidRequestError as error:
                    raise RequestFaultError(f"{error}{self._advice()}") from None
        raise AssertionError("a try returns or raises")

    def _answer(self, body: str, text: Text) -> Answer:
        """Return the answer in the body of a reply."""
        reply = chat_reply(body, is_chat=self._is_chat)
        self._note(reply.version)
        return Answer(self._label(reply), status=TRUNCATED if reply.cut_off else ANSWERED)

    def _note(self, version: str) -> None:
        """Note the server's name for its model, and warn once if it changes."""
        if version and version not in self.versions:
            self.versions.append(version)
            if len(self.versions) == 2:
                logger.warning("%s: the server changed its model from %r to %r", self.name, *self.versions)

    def _advice(self) -> str:
        """Return what may help if the server refuses a request."""
        asked = list(map(repr, self._options.request))
        if self._options.choose_by != REPLY:
            asked.append(argument("choose_by", self._options.choose_by))
        if self._format:
            asked.append(f"JSON replies ({argument('reply_format', 'text')} asks for none)")
        return f"; the server may not support {' or '.join(asked)}" if asked else ""

    def _request(self, text: Text) -> bytes:
        if not self._is_chat:
            return self._body({"prompt": self._prompt.replace("{text}", as_text(text, "\n\n"))})
        if isinstance(text, Prompt):
            return self._body({"messages": text.dicts})
        shown = text if isinstance(text, str) else f"Text A:\n{text[0]}\n\nText B:\n{text[1]}"
        if "{text}" in self._prompt:
            messages = [{"role": "user", "content": self._prompt.replace("{text}", shown)}]
        else:
            messages = [{"role": "system", "content": self._prompt}, {"role": "user", "content": shown}]
        return self._body({"messages": messages})

    def _body(self, asked: dict[str, Any], tokens: int | None = None) -> bytes:
        own, limits = self._options.request, {"temperature": 0, "max_tokens": tokens or self._most_tokens}
        if "max_completion_tokens" in own:  # models that know it refuse the older name of the same limit
            del limits["max_tokens"]
        return json.dumps({"model": self._model, **asked, **limits, **self._format, **own}).encode()

    def _label(self, reply: ChatReply) -> str:
        if self._options.writes:
            return reply.content
        label = self._named.get(_trimmed(reply.content))
        if label is None:
            cut = ", and was cut off by its limit of tokens" if reply.cut_off else ""
            raise RequestFaultError.showing(f"the reply is not one of the labels{cut}", reply.content)
        return label


def _choose(options: tuple[str, ...], scores: list[float]) -> Answer:
    """Return the option with the highest log-probability, and its probability among the options.

    >>> _choose(("no", "yes"), [math.log(0.2), math.log(0.6)])
    Answer(label='yes', probability=0.75, status=None, error=None)
    """
    best = max(range(len(scores)), key=scores.__getitem__)
    shares = [math.exp(score - scores[best]) for score in scores]
    return Answer(options[best], round(1 / sum(shares), 12))


class OpenAIChooser(OpenAIModel):
    """A model whose server sends log-probabilities.

    A chat is asked for one token, which is compared with the names of the options; a model that goes on with
    a text, how likely each option is after the prompt.
    """

    def _request(self, text: Text) -> bytes:
        if not isinstance(text, Prompt) or len(text.options) < 2:
            raise RequestFaultError("there are no options to compare; choose by the reply")
        asked = {"messages": text.dicts, "logprobs": True, "top_logprobs": _MOST}
        if not self._is_chat:
            asked = {"prompt": _texts(text), "echo": True, "logprobs": 1}
        return self._body(asked, tokens=1)

    def _answer(self, body: str, text: Text) -> Answer:
        assert isinstance(text, Prompt)  # noqa: S101
        choices = self._choices(body, 1 if self._is_chat else len(text.options))
        try:
            scores = _score_names(choices[0], text) if self._is_chat else _score_texts(choices, text)
        except _UNREADABLE:
            problem = "the log-probabilities in the reply cannot be read"
            raise RequestFaultError.showing(problem, body) from None
        if self._options.choose_by == PER_CHARACTER and not self._is_chat:
            scores = [score / max(len(own), 1) for score, own in zip(scores, text.options, strict=True)]
        return _choose(text.options, scores)

    def _choices(self, body: str, count: int) -> list[Any]:
        """Return the log-probabilities of as many choices, in order; without any, there is nothing to ask."""
        try:
            reply: Any = json.loads(body)
            for choice in reply["choices"]:
                check_refusal(choice)
            found = {int(choice.get("index", 0)): choice.get("logprobs") for choice in reply["choices"]}
            chosen = [found[k] for k in range(count)]
            version = version_of(reply)
        except _UNREADABLE:
            raise RequestFaultError.showing("the reply is not a completion of every option", body) from None
        if None in chosen:
            remedy = "choose by the reply, or ask a server that sends them"
            raise ModelError(f"{self.name}: the server sends no log-probabilities; {remedy}")
        self._note(version)
        return chosen


def _score_names(choice: Any, text: Prompt) -> list[float]:
    """Return the log-probability of every option as the first token of a reply."""
    first = choice["content"][0]["top_logprobs"]
    found = [(str(one["token"]).strip(), float(one["logprob"])) for one in first]
    shares = [sum(math.exp(p) for token, p in found if token == option) for option in text.options]
    if not any(shares):
        shown = ", ".join(repr(token) for token, _ in found[:3])
        raise RequestFaultError(f"no option is among the {len(found)} likeliest first tokens: {shown} …")
    return [math.log(share) if share else -math.inf for share in shares]


def _score_texts(choices: list[Any], text: Prompt) -> list[float]:
    """Return the log-probability of every option after the prompt."""
    start, rows = len(as_text(text).rstrip()), zip(choices, _texts(text), strict=True)
    return [_sum_from(choice, start, len(whole)) for choice, whole in rows]


def _texts(text: Prompt) -> list[str]:
    asked = as_text(text)
    gap = "" if asked[-1:].isspace() else " "
    return [f"{asked}{gap}{option}" for option in text.options]


def _sum_from(found: Any, start: int, stop: int) -> float:
    """Return the sum of the log-probabilities of the tokens that end after `start` and begin before `stop`.

    >>> about = {"tokens": ["Q", " y", "es", "!"], "token_logprobs": [None, -1, -2, -4]}
    >>> _sum_from(about | {"text_offset": [0, 1, 3, 5]}, 1, 5)
    -3.0
    """
    places = found.get("text_offset") or [*accumulate(map(len, found["tokens"][:-1]), initial=0)]
    ends = [*places[1:], math.inf]
    rows = zip(places, ends, found["token_logprobs"], strict=True)
    chosen = [float(value) for place, end, value in rows if place < stop and end > start]
    if not chosen or not all(math.isfinite(value) for value in chosen):
        raise ValueError("no token of the option has a log-probability")
    return math.fsum(chosen)


def _describe_format(options: ModelOptions) -> dict[str, Any]:
    """Return what a request says about replies that are JSON objects with a field."""
    field, form = options.json_field, options.reply_format or JSON_SCHEMA
    if not field or form == PLAIN_TEXT or options.choose_by != REPLY:
        return {}
    properties = {field: {"type": ["string", "number"]}}
    schema = {"type": "object", "properties": properties, "required": [field]}
    described = {JSON_SCHEMA: {"name": "reply", "schema": schema}} if form == JSON_SCHEMA else {}
    return {"response_format": {"type": form, **described}}


def _list_extras(options: ModelOptions) -> list[str | int]:
    """Return what is in a digest only if it was asked for, so that other models keep theirs."""
    extras: list[str | int] = []
    if options.request:
        extras += ["request", json.dumps(options.request, sort_keys=True)]
    if options.choose_by != REPLY:
        extras += ["choose", options.choose_by]
    elif options.json_field:
        extras += [options.reply_format or JSON_SCHEMA, options.json_field]
    return extras


def open_openai(rest: str, options: ModelOptions) -> OpenAIModel:
    """Open `openai:MODEL@URL`; the key is read from an environment variable."""
    model, url = _find_server(rest, options)
    if len({_trimmed(label) for label in options.labels}) < max(len(options.labels), 2):
        raise UsageError(f"openai: needs at least two different labels, not {options.labels!r:.200}")
    return OpenAIModel(model, url, options)


def open_openai_text(rest: str, options: ModelOptions) -> OpenAIModel:
    """Open `openai:MODEL@URL` as a model that writes, or that chooses; …/completions gets no messages."""
    model, url = _find_server(rest, options)
    is_chat = not url.endswith("/completions") or url.endswith("/chat/completions")
    kind = OpenAIModel if options.choose_by == REPLY else OpenAIChooser
    return kind(model, url, options, is_chat=is_chat)


def _find_server(rest: str, options: ModelOptions) -> tuple[str, str]:
    """Return the model and the address that a spec names."""
    spec = _SPEC.fullmatch(rest)
    if spec is None:
        raise UsageError("model 'openai:…' is incomplete; expected openai:MODEL@URL with http:// or https://")
    with extra("http"):
        import httpx2
        import stamina  # noqa: F401
    try:
        url = httpx2.URL(spec[2])
    except (httpx2.InvalidURL, ValueError):  # the error may quote a secret
        raise UsageError(
            f"the URL of model 'openai:{spec[1]}@…' is invalid; expected http://HOST:PORT/v1"
        ) from None
    if url.userinfo or url.query or url.fragment or not url.host or (url.port or 0) >> 16:
        problem = f"the URL of model 'openai:{spec[1]}@…' may have only a host, a port and a path"
        raise UsageError(f"{problem}; the key belongs in {options.api_key_variable}")
    return spec[1], str(url)


def _key(variable: str) -> str | None:
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(f"{variable} does not hold a key: it has spaces or non-ASCII characters")
    return key or None


def _trimmed(reply: Any) -> str:
    """Return a reply in lower case, without quotes and a final full stop.

    >>> _trimmed(' "Positive." ')
    'positive'
    """
    return str(reply).strip(_AROUND).rstrip(".").strip(_AROUND).casefold()


class RequestFaultError(Exception):
    """The text has no answer, and another try would not give one."""

    @classmethod
    def showing(cls, problem: str, content: str) -> RequestFaultError:
        """Return the error with the first 200 characters of a reply, escaped."""
        return cls(f"{problem}: {clip(content, 200)!r}" if content.strip() else f"{problem}: it is empty")


class InvalidRequestError(RequestFaultError):
    """The server finds a fault in the request itself."""


class RefusalError(RequestFaultError):
    """The model, or a filter of its server, refuses to answer."""


class RetryError(Exception):
    """The try failed; another may succeed after `wait` seconds (None: after the default wait)."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


class Server:
    """The address and the key, which is never shown; `variable` is where the key comes from."""

    def __init__(self, url: str, key: str | None, variable: str) -> None:
        self.url, self.key, self.variable = url, key, variable
        asked = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        self.headers = asked | ({"Authorization": f"Bearer {key}"} if key else {})
        # Servers quote the key in JSON, so it is masked in any spelling.
        self.without_key = Secrets([key] if key else []).hide


async def read_reply(client: httpx2.AsyncClient, server: Server, request: bytes) -> str:
    """Return the body of a successful reply; raise for any other."""
    import httpx2

    try:
        async with client.stream("POST", server.url, content=request) as response:
            body = server.without_key((await _body(response)).decode("utf-8", "replace"))
            _check_status(response, body, server)
    except httpx2.TransportError as error:
        raise RetryError(server.without_key(one_line(error))) from None
    except httpx2.HTTPError as error:
        raise RequestFaultError(server.without_key(one_line(error))) from None
    return body


async def _body(response: httpx2.Response) -> bytes:
    """Return the body; a compressed one is unpacked in chunks, and its unpacked size is what is limited."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise RequestFaultError(f"the reply (HTTP {response.status_code}) is over {_MOST_BYTES >> 20} MB")
    return bytes(body)


def _check_status(response: httpx2.Response, body: str, server: Server) -> None:
    status = response.status_code
    if status == 200:
        return
    problem = f"HTTP {status}"
    if status in _STOP:
        shown = clip(body, 200)
        hint = f"; set {server.variable}" if status == 401 and not server.key else ""
        raise ModelError(f"{server.url}: {problem}, {_STOP[status]}{hint}; the server wrote {shown!r}")
    if status in _AGAIN or status >= 500:
        raise RetryError(f"{problem}: {clip(body, 200)!r}", _retry_after(response.headers.get("Retry-After")))
    if 300 <= status < 400:
        raise RequestFaultError(f"{problem}: redirects are not followed; give the final URL")
    if status in _INVALID and _error_code(body) in _FILTERS:
        raise RefusalError.showing(f"a content filter refused the text, {problem}", body)
    raise (InvalidRequestError if status in _INVALID else RequestFaultError).showing(problem, body)


def _error_code(body: str) -> str | None:
    """Return the code of the error that a server describes; None if there is none.

    >>> _error_code('{"error": {"code": "content_filter", "message": "…"}}')
    'content_filter'
    """
    try:
        return str(json.loads(body)["error"]["code"])
    except _UNREADABLE:
        return None


def _retry_after(value: str | None) -> float | None:
    """Return how many seconds the server asks us to wait, at most 30; None if it does not, or makes no sense.

    >>> _retry_after("2"), _retry_after("315360000"), _retry_after("-5"), _retry_after("soon")
    (2.0, 30.0, None, None)
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        seconds = (aware - datetime.datetime.now(datetime.UTC)).total_seconds()
    return min(seconds, _MOST_WAIT) if math.isfinite(seconds) and seconds >= 0 else None


class ChatReply(NamedTuple):
    """What the model wrote, the server's name for it, and whether it was cut off by its limit of tokens."""

    content: str
    version: str
    cut_off: bool


def chat_reply(body: str, *, is_chat: bool = True) -> ChatReply:
    """Return the content of a chat completion, or the text of a completion.

    >>> chat_reply('{"model": "m", "choices": [{"message": {"content": "pos"}, "finish_reason": "stop"}]}')
    ChatReply(content='pos', version='m', cut_off=False)
    >>> chat_reply('{"model": "m", "choices": [{"text": " pos", "finish_reason": "length"}]}', is_chat=False)
    ChatReply(content=' pos', version='m', cut_off=True)
    """
    try:
        reply: Any = json.loads(body)
        choice = reply["choices"][0]
        check_refusal(choice)
        content = choice["message"]["content"] if is_chat else choice["text"]
        reason, version = choice.get("finish_reason"), version_of(reply)
    except _UNREADABLE:
        expected = "a chat completion" if is_chat else "a completion"
        raise RequestFaultError.showing(f"the reply is not {expected}", body) from None
    if content is None and reason == "length":  # a model that thinks may reach its limit before it writes
        content = ""
    if content is None and reason not in _CALLS:
        raise RefusalError.showing("the content of the reply is null, which counts as a refusal", body)
    if not isinstance(content, str):
        raise RequestFaultError.showing("the reply has no text", body)
    return ChatReply(content, version, reason == "length")


def check_refusal(choice: Any) -> None:
    """Raise a `RefusalError` if a choice of a reply has the model's refusal, or was stopped by a filter."""
    message = choice.get("message") or {}
    if message.get("refusal"):
        raise RefusalError.showing("the model refused to answer", str(message["refusal"]))
    if choice.get("finish_reason") == _FILTER:
        written = message.get("content") or choice.get("text")
        stopped = "a content filter stopped the reply"
        raise RefusalError.showing(stopped, str(written)) if written else RefusalError(stopped)


def version_of(reply: dict[str, Any]) -> str:
    """Return the server's name for the model that wrote a reply."""
    return " ".join(str(reply[name]) for name in ("model", "system_fingerprint") if reply.get(name))
