"""`openai:MODEL@URL`: a model on a server with OpenAI's protocol, asked to choose a label, or to write.

The text is a separate message, and nothing in it is interpreted. Redirects are not followed. Each text has
one deadline for all its tries, from the first connection to the last byte.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from salva._arguments import argument
from salva.errors import UsageError, extra
from salva.models.options import JSON_OBJECT, JSON_SCHEMA, PLAIN_TEXT, REPLY, ModelOptions
from salva.models.prompts import Prompt
from salva.models.protocol import (
    ANSWERED,
    FAILED,
    REFUSED,
    TRUNCATED,
    Answers,
    Status,
    Text,
    as_text,
    combined,
)
from salva.models.replies import (
    ChatReply,
    InvalidRequestError,
    RefusalError,
    RequestFaultError,
    RetryError,
    Server,
    chat_reply,
    read_reply,
    text_reply,
    wait_of,
)

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


class Reply(NamedTuple):
    """A label, or the reason why there is none."""

    label: str | None
    status: Status = ANSWERED
    error: str | None = None
    probability: float | None = None


class OpenAIModel:
    """A chat model that is given the labels and one text."""

    def __init__(self, model: str, url: str, options: ModelOptions) -> None:
        self.name = f"openai:{model}@{url}"
        self.classes: tuple[str, ...] | None = options.labels
        self.batch_size = options.batch_size or _ROUNDS * options.concurrency
        self._model = model
        # The text is inserted last, so nothing in it is taken for a placeholder.
        self._prompt = (options.prompt or _PROMPT).replace("{labels}", "\n".join(options.labels))
        self._options = options
        self._named = {_trimmed(label): label for label in options.labels}
        # An answer has no more tokens than letters.
        self._most_tokens = max(map(len, options.labels), default=0) + 8
        self._server = Server(self._address(url), _key(options.api_key_variable), options.api_key_variable)
        self.digest = combined(
            "openai",
            model,
            url,
            self._prompt,
            *options.labels,
            self._most_tokens,
            options.model_id,
            *_list_extras(options),
        )
        self.versions: list[str] = []
        """The server's names for its model, in order of appearance; more than one means that it changed."""

    def __repr__(self) -> str:
        return f"<OpenAIModel {self.name!r}>"

    def predict(self, texts: list[Text]) -> Answers:
        """Return the labels the model chose, asking about `concurrency` texts at a time."""
        replies = asyncio.run(self._ask_all(texts))
        return Answers.of(
            [reply.label for reply in replies],
            probabilities=[reply.probability for reply in replies],
            statuses=[reply.status for reply in replies],
            errors=[reply.error for reply in replies],
        )

    def close(self) -> None:
        """Do nothing: connections are closed after each batch."""

    async def _ask_all(self, texts: list[Text]) -> list[Reply]:
        import httpx2

        turn = asyncio.Semaphore(self._options.concurrency)
        client = httpx2.AsyncClient(
            headers=self._server.headers, timeout=self._options.deadline, follow_redirects=False
        )
        async with client:
            tasks = [asyncio.ensure_future(self._ask(client, turn, text)) for text in texts]
            try:
                return await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, client: httpx2.AsyncClient, turn: asyncio.Semaphore, text: Text) -> Reply:
        """Return a label, or the reason why there is none."""
        faults: list[str] = []
        async with turn:
            try:
                async with asyncio.timeout(self._options.deadline):
                    return await self._tried(client, text, faults)
            except TimeoutError:
                last = f"; the last try: {faults[-1]}" if faults else ""
                return Reply(None, FAILED, f"no answer within {self._options.deadline:g} seconds{last}")
            except RefusalError as error:
                return Reply(None, REFUSED, str(error))
            except (RequestFaultError, RetryError) as error:
                return Reply(None, FAILED, str(error))

    async def _tried(self, client: httpx2.AsyncClient, text: Text, faults: list[str]) -> Reply:
        import stamina

        tries = stamina.retry_context(
            on=wait_of, attempts=self._options.retries + 1, timeout=None, wait_initial=0.5, wait_max=30.0
        )
        async for attempt in tries:
            with attempt:
                try:
                    return await self._try(client, text)
                except RetryError as error:
                    faults.append(str(error))
                    raise
        raise AssertionError("a try returns or raises")

    async def _try(self, client: httpx2.AsyncClient, text: Text) -> Reply:
        request = self._request(text)
        try:
            return self._answer(await read_reply(client, self._server, request), text)
        except InvalidRequestError as error:
            raise RequestFaultError(f"{error}{self._advice()}") from None

    def _answer(self, body: str, text: Text) -> Reply:
        """Return the answer in the body of a reply."""
        reply = self._read(body)
        self._note(reply.version)
        return Reply(self._label(reply), TRUNCATED if reply.cut_off else ANSWERED)

    def _read(self, body: str) -> ChatReply:
        return chat_reply(body)

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

    @property
    def _format(self) -> dict[str, Any]:
        """What the server is told about the form of replies."""
        return {}

    def _address(self, url: str) -> str:
        return url if url.endswith("/chat/completions") else f"{url.rstrip('/')}/chat/completions"

    def _label(self, reply: ChatReply) -> str:
        label = self._named.get(_trimmed(reply.content))
        if label is None:
            cut = ", and was cut off by its limit of tokens" if reply.cut_off else ""
            raise RequestFaultError.showing(f"the reply is not one of the labels{cut}", reply.content)
        return label


class OpenAIGenerator(OpenAIModel):
    """A chat model that receives a text and nothing else, unless a prompt says where {text} goes."""

    def __init__(self, model: str, url: str, options: ModelOptions) -> None:
        super().__init__(model, url, options)
        self.classes = None
        self._prompt = options.prompt or "{text}"
        self._most_tokens = options.max_new_tokens
        self.digest = combined(
            "openai",
            "generate",
            model,
            url,
            self._prompt,
            self._most_tokens,
            options.model_id,
            *_list_extras(options),
        )

    def _label(self, reply: ChatReply) -> str:
        return reply.content

    @property
    def _format(self) -> dict[str, Any]:
        field, form = self._options.json_field, self._options.reply_format or JSON_SCHEMA
        if not field or form == PLAIN_TEXT or self._options.choose_by != REPLY:
            return {}
        return {"response_format": describe_format(field, form)}


class CompletionsGenerator(OpenAIGenerator):
    """A model at …/completions, which goes on with a text and gets no messages."""

    def _request(self, text: Text) -> bytes:
        shown = as_text(text, "\n\n")
        return self._body({"prompt": self._prompt.replace("{text}", shown)})

    def _read(self, body: str) -> ChatReply:
        return text_reply(body)

    def _address(self, url: str) -> str:
        return url


def describe_format(field: str, form: str) -> dict[str, Any]:
    """Return the response_format of OpenAI's protocol for replies that are JSON objects with a field."""
    if form == JSON_OBJECT:
        return {"type": JSON_OBJECT}
    properties = {field: {"type": ["string", "number"]}}
    schema = {"type": "object", "properties": properties, "required": [field]}
    return {"type": JSON_SCHEMA, JSON_SCHEMA: {"name": "reply", "schema": schema}}


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
    model, url = find_server(rest, options)
    if len({_trimmed(label) for label in options.labels}) < max(len(options.labels), 2):
        raise UsageError(f"openai: needs at least two different labels, not {options.labels!r:.200}")
    return OpenAIModel(model, url, options)


def find_server(rest: str, options: ModelOptions) -> tuple[str, str]:
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


def is_plain_address(url: str) -> bool:
    """Return whether a server goes on with texts at this address, and has no chat."""
    return url.endswith("/completions") and not url.endswith("/chat/completions")


def _key(variable: str) -> str | None:
    key = os.environ.get(variable, "").strip()
    if not key:
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(f"{variable} does not hold a key: it has spaces or non-ASCII characters")
    return key


def _trimmed(reply: Any) -> str:
    """Return a reply in lower case, without quotes and a final full stop.

    >>> _trimmed(' "Positive." ')
    'positive'
    """
    return str(reply).strip(_AROUND).rstrip(".").strip(_AROUND).casefold()
