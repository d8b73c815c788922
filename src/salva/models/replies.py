"""One request to a chat server and its reply: limited in size, checked, and whether to try again."""

from __future__ import annotations

import datetime
import email.utils
import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from salva.errors import ModelError
from salva.models.protocol import clip, one_line
from salva.models.secrets import Secrets

if TYPE_CHECKING:
    import httpx2

MOST_BYTES = 1 << 20
MOST_WAIT = 30.0
_AGAIN = {408, 409, 425, 429}
_INVALID = {400, 422}
_FILTER = "content_filter"
_FILTERS = {_FILTER, "content_policy_violation"}  # codes of errors
_CALLS = ("tool_calls", "function_call")
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_STOP = {
    401: "the key is missing or wrong",
    403: "access is forbidden",
    404: "there is no such model or address",
}


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
        if len(body) > MOST_BYTES:
            raise RequestFaultError(f"the reply (HTTP {response.status_code}) is over {MOST_BYTES >> 20} MB")
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
    except UNREADABLE:
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
    return min(seconds, MOST_WAIT) if math.isfinite(seconds) and seconds >= 0 else None


def wait_of(error: Exception) -> bool | float:
    """Tell stamina whether to try again, and after how long if the server asked for a wait."""
    if not isinstance(error, RetryError):
        return False
    return True if error.wait is None else error.wait


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
    except UNREADABLE:
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
