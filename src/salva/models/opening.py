"""Open a model from what the user gives: a spec such as `hf:DIRECTORY`, or a Python object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from salva._arguments import argument, did_you_mean
from salva.errors import UsageError
from salva.models.builtin import open_builtin
from salva.models.command import open_command, open_command_generator
from salva.models.functions import (
    open_object,
    open_object_generator,
    open_python,
    open_python_generator,
    open_skops,
)
from salva.models.hugging_face import open_hugging_face
from salva.models.hugging_face_chooser import open_hugging_face_text
from salva.models.logs import open_log
from salva.models.onnx import open_onnx
from salva.models.openai import open_openai
from salva.models.openai_choice import open_openai_text
from salva.models.options import ModelOptions
from salva.models.predictions import open_predicted_replies, open_predictions
from salva.models.protocol import Model
from salva.models.secrets import hide_secrets

Opener: TypeAlias = Callable[[str, ModelOptions], Model]


class Adapter(NamedTuple):
    """How a spec with one prefix looks, and how to open it: to give labels, to write text, or both."""

    spec: str
    labels: Opener | None = None
    text: Opener | None = None


ADAPTERS: dict[str, Adapter] = {
    "builtin": Adapter("builtin:reviews", open_builtin),
    "python": Adapter("python:pkg.mod:f", open_python, open_python_generator),
    "hf": Adapter("hf:DIR", open_hugging_face, open_hugging_face_text),
    "onnx": Adapter("onnx:DIR", open_onnx),
    "skops": Adapter("skops:FILE", open_skops),
    "command": Adapter("command:…", open_command, open_command_generator),
    "openai": Adapter("openai:MODEL@URL", open_openai, open_openai_text),
    "predictions": Adapter("predictions:DIR", open_predictions),
    "log": Adapter("log:PATH", text=open_log),
}


# Replies to questions that were exported; texts of twins are not.
_FROM_FILES = {"predictions": Adapter("predictions:DIR", text=open_predicted_replies)}


def open_model(spec: object, options: ModelOptions | None = None) -> Model:
    """Open a model from its spec, or wrap a Python object; a model is returned unchanged.

    >>> open_model("builtin:reviews").classes
    ('negative', 'positive')
    >>> open_model(lambda texts: ["pos"] * len(texts)).predict(["fine"]).labels
    ['pos']
    """
    options = options or ModelOptions()
    if options.writes:
        return open_generator(spec, options, also=_FROM_FILES)
    if not isinstance(spec, str):
        _refuse_dtype("a Python object", options)
        return open_object(spec, options)
    openers = {prefix: adapter.labels for prefix, adapter in ADAPTERS.items() if adapter.labels}
    return _open(spec, openers, options, "is unknown")


def open_generator(
    spec: object, options: ModelOptions | None = None, *, also: Mapping[str, Adapter] | None = None
) -> Model:
    """Open a model that writes text, from its spec or as a Python function; a model is returned unchanged.

    Such a model is queried like the others; the label is what it wrote. An empty answer is an answer. `also`
    has further adapters.

    >>> open_generator(lambda texts: [text.upper() for text in texts]).predict(["a b", ""]).labels
    ['A B', '']
    """
    options = options or ModelOptions()
    if not isinstance(spec, str):
        _refuse_dtype("a Python object", options)
        return open_object_generator(spec, options)
    adapters = {**ADAPTERS, **(also or {})}
    openers = {prefix: adapter.text for prefix, adapter in adapters.items() if adapter.text}
    return _open(spec, openers, options, "does not write text")


def _open(spec: str, openers: Mapping[str, Opener], options: ModelOptions, problem: str) -> Model:
    prefix, colon, rest = spec.partition(":")
    if not colon or prefix not in openers:
        known = [f"{name}:" for name in openers]
        hint = did_you_mean(f"{prefix}:", known)
        choice = f"it must begin with one of {', '.join(known)}"
        raise UsageError(f"model {hide_secrets(spec)!r:.100} {problem}; {f'{hint} ' if hint else ''}{choice}")
    if prefix != "hf":
        _refuse_dtype(f"{prefix}:", options)
    return openers[prefix](rest, options)


def _refuse_dtype(kind: str, options: ModelOptions) -> None:
    if options.dtype is not None:
        named = argument("dtype", options.dtype)
        raise UsageError(f"{named} is for hf: models, and {kind} has its own numbers; leave it out")
