"""Models that write: text in, text out, queried with `ask` like the others; the label is what they wrote.

An empty answer is an answer. Answers are kept unchanged; whoever compares them decides how to normalise them.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any

from salva.errors import UsageError
from salva.models.answers import Answers
from salva.models.command import CommandModel, find_program
from salva.models.digests import combined
from salva.models.functions import FunctionModel, find_python, name_of, object_digest
from salva.models.generation_hf import open_hugging_face_generator
from salva.models.openai import OpenAIModel, find_server
from salva.models.options import ModelOptions
from salva.models.outputs import texts_of
from salva.models.protocol import Model, Text


class FunctionGenerator(FunctionModel):
    """A function that takes a list of texts and returns one text for each."""

    def predict(self, texts: list[Text]) -> Answers:
        """Return what the function wrote."""
        count = len(texts)
        return texts_of(self._call(texts), count)


class CommandGenerator(CommandModel):
    """A program that answers {"id", "text"} with {"id", "output"} or with an `error`."""

    fields = ("output", "error")

    def _answers(self, said: list[dict[str, Any]]) -> Answers:
        return self._with_errors(texts_of([answer.get("output") for answer in said], len(said)), said)


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


def open_generator(spec: object, options: ModelOptions | None = None, *, also: Sequence[str] = ()) -> Model:
    """Open a model that writes text, from its spec or as a Python function; a model is returned unchanged.

    `also` lists prefixes of specs that the caller opens itself.

    >>> open_generator(lambda texts: [text.upper() for text in texts]).predict(["a b", ""]).labels
    ['A B', '']
    """
    options = options or ModelOptions()
    if not isinstance(spec, str):
        return _writer(spec, name_of(spec), object_digest(options), options)
    prefix, colon, rest = spec.partition(":")
    if not colon or prefix not in GENERATORS:
        names = [*GENERATORS, *also]
        near = difflib.get_close_matches(prefix, names, n=1)
        hint = f"did you mean {near[0]}:? " if near else ""
        known = ", ".join(f"{name}:" for name in names)
        raise UsageError(f"model {spec!r:.100} does not write text; {hint}it must begin with one of {known}")
    return GENERATORS[prefix](rest, options)


def _writer(value: object, name: str, known: str, options: ModelOptions) -> Model:
    if isinstance(value, Model):
        return value
    call = value if callable(value) else getattr(value, "predict", None)
    if isinstance(value, type) or not callable(call):
        raise UsageError(f"model {name!r} must be a function from a list of texts to a list of texts")
    return FunctionGenerator(call, name=name, digest=known, options=options)


def _open_python(rest: str, options: ModelOptions) -> Model:
    value, known = find_python(rest, options)
    return _writer(value, f"python:{rest}", known, options)


def _open_command(rest: str, options: ModelOptions) -> Model:
    return CommandGenerator(*find_program(rest), options)


def _open_openai(rest: str, options: ModelOptions) -> Model:
    return OpenAIGenerator(*find_server(rest, options), options)


GENERATORS: dict[str, Callable[[str, ModelOptions], Model]] = {
    "python": _open_python,
    "hf": open_hugging_face_generator,
    "command": _open_command,
    "openai": _open_openai,
}
