"""`openai:MODEL@URL`: a chat model on a server with OpenAI's protocol, asked to choose a label.

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

from salva.errors import UsageError, extra
from salva.models.options import ModelOptions
from salva.models.prompts import Prompt
from salva.models.protocol import Answers, Text, combined
from salva.models.replies import (
    ChatReply,
    RequestFaultError,
    RetryError,
    Server,
    chat_reply,
    read_reply,
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


class _Reply(NamedTuple):
    """A label, or the reason why there is none."""

    label: str | None = None
    error: str | None = None
    cut: bool = False


class OpenAIModel:
    """A chat model that is given the labels and one text."""

    writes = False
    """Whether the answer is the model's own text, so that a cut-off answer counts as truncated."""

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
        self._server = Server(_endpoint(url), _key(options.api_key_variable), options.api_key_variable)
        self.digest = combined(
            "openai", model, url, self._prompt, *options.labels, self._most_tokens, options.model_id
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
            truncated=[reply.cut for reply in replies],
            errors=[reply.error for reply in replies],
        )

    def close(self) -> None:
        """Do nothing: connections are closed after each batch."""

    async def _ask_all(self, texts: list[Text]) -> list[_Reply]:
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

    async def _ask(self, client: httpx2.AsyncClient, turn: asyncio.Semaphore, text: Text) -> _Reply:
        """Return a label, or the reason why there is none."""
        faults: list[str] = []
        async with turn:
            try:
                async with asyncio.timeout(self._options.deadline):
                    reply = await self._tried(client, text, faults)
                    return _Reply(self._label(reply.content), cut=self.writes and reply.cut)
            except TimeoutError:
                last = f"; the last try: {faults[-1]}" if faults else ""
                return _Reply(error=f"no answer within {self._options.deadline:g} seconds{last}")
            except (RequestFaultError, RetryError) as error:
                return _Reply(error=str(error))

    async def _tried(self, client: httpx2.AsyncClient, text: Text, faults: list[str]) -> ChatReply:
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

    async def _try(self, client: httpx2.AsyncClient, text: Text) -> ChatReply:
        body = await read_reply(client, self._server, self._request(text))
        reply = chat_reply(body)
        if reply.version and reply.version not in self.versions:
            self.versions.append(reply.version)
            if len(self.versions) == 2:
                logger.warning("%s: the server changed its model from %r to %r", self.name, *self.versions)
        return reply

    def _request(self, text: Text) -> bytes:
        if isinstance(text, Prompt):
            return self._body(text.dicts)
        shown = text if isinstance(text, str) else f"Text A:\n{text[0]}\n\nText B:\n{text[1]}"
        if "{text}" in self._prompt:
            messages = [{"role": "user", "content": self._prompt.replace("{text}", shown)}]
        else:
            messages = [{"role": "system", "content": self._prompt}, {"role": "user", "content": shown}]
        return self._body(messages)

    def _body(self, messages: list[dict[str, str]]) -> bytes:
        body = {"model": self._model, "messages": messages, "temperature": 0, "max_tokens": self._most_tokens}
        return json.dumps(body).encode()

    def _label(self, content: str) -> str:
        label = self._named.get(_trimmed(content))
        if label is None:
            raise RequestFaultError.showing("the reply is not one of the labels", content)
        return label


class OpenAIGenerator(OpenAIModel):
    """A chat model that receives a text and nothing else, unless a prompt says where {text} goes."""

    writes = True

    def __init__(self, model: str, url: str, options: ModelOptions) -> None:
        super().__init__(model, url, options)
        self.classes = None
        self._prompt = options.prompt or "{text}"
        self._most_tokens = options.max_new_tokens
        self.digest = combined(
            "openai", "generate", model, url, self._prompt, self._most_tokens, options.model_id
        )

    def _label(self, content: str) -> str:
        return content


def open_openai(rest: str, options: ModelOptions) -> OpenAIModel:
    """Open `openai:MODEL@URL`; the key is read from an environment variable."""
    model, url = _find_server(rest, options)
    if len({_trimmed(label) for label in options.labels}) < max(len(options.labels), 2):
        raise UsageError(f"openai: needs at least two different labels, not {options.labels!r:.200}")
    return OpenAIModel(model, url, options)


def open_openai_generator(rest: str, options: ModelOptions) -> OpenAIGenerator:
    """Open `openai:MODEL@URL` as a model that writes."""
    return OpenAIGenerator(*_find_server(rest, options), options)


def _find_server(rest: str, options: ModelOptions) -> tuple[str, str]:
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


def _endpoint(url: str) -> str:
    return url if url.endswith("/chat/completions") else f"{url.rstrip('/')}/chat/completions"


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
