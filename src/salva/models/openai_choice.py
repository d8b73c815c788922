"""`openai:MODEL@URL` for models that choose: the option of a prompt that a server finds most likely.

At …/completions, every option is sent after the prompt and the server echoes the log-probabilities of all
tokens, as lm-evaluation-harness's local-completions asks for them. A chat gives log-probabilities only of
what it writes, so there the first token is compared with the names of the options.
"""

from __future__ import annotations

import json
import math
from typing import Any

from salva.errors import ModelError
from salva.models.openai import CompletionsGenerator, OpenAIGenerator, Reply, find_server, is_plain_address
from salva.models.options import PER_CHARACTER, REPLY, ModelOptions
from salva.models.prompts import Prompt
from salva.models.protocol import Text, as_text
from salva.models.replies import RequestFaultError, check_refusal, version_of

_MOST = 20  # tokens that OpenAI's protocol gives log-probabilities of
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_NONSENSE = "the log-probabilities in the reply cannot be read"
_NO_OPTIONS = "there are no options to compare; choose by the reply"


def choose(options: tuple[str, ...], scores: list[float], *, per_character: bool = False) -> Reply:
    """Return the option with the highest log-probability, and its probability among the options.

    >>> choose(("no", "yes"), [math.log(0.2), math.log(0.6)])
    Reply(label='yes', status='answered', error=None, probability=0.75)
    """
    if per_character:
        scores = [score / max(len(option), 1) for option, score in zip(options, scores, strict=True)]
    best = max(range(len(scores)), key=scores.__getitem__)
    shares = [math.exp(score - scores[best]) for score in scores]
    return Reply(options[best], probability=round(1 / sum(shares), 12))


class _Chooser(OpenAIGenerator):
    """A model whose server sends log-probabilities."""

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


class ChatChooser(_Chooser):
    """A chat model that is asked for one token; the options are compared by their names."""

    def _request(self, text: Text) -> bytes:
        if not isinstance(text, Prompt) or len(text.options) < 2:
            raise RequestFaultError(_NO_OPTIONS)
        return self._body({"messages": text.dicts, "logprobs": True, "top_logprobs": _MOST}, tokens=1)

    def _answer(self, body: str, text: Text) -> Reply:
        options = text.options if isinstance(text, Prompt) else ()
        (choice,) = self._choices(body, 1)
        try:
            first = choice["content"][0]["top_logprobs"]
            found = [(str(one["token"]).strip(), float(one["logprob"])) for one in first]
        except _UNREADABLE:
            raise RequestFaultError.showing(_NONSENSE, body) from None
        shares = [sum(math.exp(p) for token, p in found if token == option) for option in options]
        if not any(shares):
            shown = ", ".join(repr(token) for token, _ in found[:3])
            raise RequestFaultError(f"no option is among the {len(found)} likeliest first tokens: {shown} …")
        return choose(options, [math.log(share) if share else -math.inf for share in shares])


class CompletionsChooser(_Chooser, CompletionsGenerator):
    """A model at …/completions that is asked how likely each option is after the prompt."""

    def _request(self, text: Text) -> bytes:
        if not isinstance(text, Prompt) or len(text.options) < 2:
            raise RequestFaultError(_NO_OPTIONS)
        return self._body({"prompt": self._texts(text), "echo": True, "logprobs": 1}, tokens=1)

    def _texts(self, text: Prompt) -> list[str]:
        asked = as_text(text)
        gap = "" if asked[-1:].isspace() else " "
        return [f"{asked}{gap}{option}" for option in text.options]

    def _answer(self, body: str, text: Text) -> Reply:
        assert isinstance(text, Prompt)  # noqa: S101
        start, texts = len(as_text(text).rstrip()), self._texts(text)
        rows = self._choices(body, len(texts))
        try:
            scores = [_sum_from(row, start, len(whole)) for row, whole in zip(rows, texts, strict=True)]
        except _UNREADABLE:
            raise RequestFaultError.showing(_NONSENSE, body) from None
        return choose(text.options, scores, per_character=self._options.choose_by == PER_CHARACTER)


def _sum_from(found: Any, start: int, stop: int) -> float:
    """Return the sum of the log-probabilities of the tokens that end after `start` and begin before `stop`.

    >>> about = {"tokens": ["Q", " y", "es", "!"], "token_logprobs": [None, -1, -2, -4]}
    >>> _sum_from(about | {"text_offset": [0, 1, 3, 5]}, 1, 5)
    -3.0
    """
    places = found.get("text_offset") or _places(found["tokens"])
    ends = [*places[1:], math.inf]
    rows = zip(places, ends, found["token_logprobs"], strict=True)
    chosen = [float(value) for place, end, value in rows if place < stop and end > start]
    if not chosen or not all(math.isfinite(value) for value in chosen):
        raise ValueError("no token of the option has a log-probability")
    return math.fsum(chosen)


def _places(tokens: list[str]) -> list[int]:
    places = [0]
    for token in tokens[:-1]:
        places.append(places[-1] + len(token))
    return places


def open_openai_text(rest: str, options: ModelOptions) -> OpenAIGenerator:
    """Open `openai:MODEL@URL` as a model that writes, or that chooses; …/completions gets no messages."""
    model, url = find_server(rest, options)
    writer, chooser = (
        (CompletionsGenerator, CompletionsChooser)
        if is_plain_address(url)
        else (OpenAIGenerator, ChatChooser)
    )
    return (writer if options.choose_by == REPLY else chooser)(model, url, options)
