"""Open a model from what the user gives: a spec such as `hf:DIRECTORY`, or a Python object."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from salva._arguments import argument, did_you_mean
from salva.errors import UsageError
from salva.models.functions import (
    open_object,
    open_object_generator,
    open_python,
    open_python_generator,
    open_skops,
)
from salva.models.protocol import Model, ModelOptions
from salva.models.secrets import hide_secrets

Opener: TypeAlias = Callable[[str, ModelOptions], Model]


class Adapter(NamedTuple):
    """How a spec with one prefix looks, and how to open it: to give labels, to write text, or both."""

    spec: str
    labels: Opener | None = None
    text: Opener | None = None


def _on_use(place: str) -> Opener:
    """Return the opener at `module:function`; the module is imported when a model is opened.

    A run has one model or two, and all modules together took as long to import as the rest of a small run.
    """
    module, _, name = place.partition(":")
    home = f"salva.models.{module}"

    def open_spec(rest: str, options: ModelOptions) -> Model:
        opened: Model = getattr(importlib.import_module(home), name)(rest, options)
        return opened

    return open_spec


ADAPTERS: dict[str, Adapter] = {
    "builtin": Adapter("builtin:reviews", _on_use("builtin:open_builtin")),
    "python": Adapter("python:pkg.mod:f", open_python, open_python_generator),
    "hf": Adapter(
        "hf:DIR",
        _on_use("hugging_face:open_hugging_face"),
        _on_use("hugging_face_text:open_hugging_face_text"),
    ),
    "onnx": Adapter("onnx:DIR", _on_use("onnx:open_onnx")),
    "skops": Adapter("skops:FILE", open_skops),
    "command": Adapter(
        "command:…", _on_use("command:open_command"), _on_use("command:open_command_generator")
    ),
    "openai": Adapter("openai:MODEL@URL", _on_use("openai:open_openai"), _on_use("openai:open_openai_text")),
    "answers": Adapter("answers:PATH", _on_use("recorded:open_answers")),
    "log": Adapter("log:PATH", text=_on_use("recorded:open_log")),
}


# Replies to questions that were exported; texts of twins are not.
_FROM_FILES = {"answers": Adapter("answers:PATH", text=_on_use("recorded:open_replies"))}


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
        _refuse_options_of_others("a Python object", options)
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
        _refuse_options_of_others("a Python object", options)
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
    _refuse_options_of_others(f"{prefix}:", options)
    return openers[prefix](rest, options)


def _refuse_options_of_others(kind: str, options: ModelOptions) -> None:
    if options.dtype is not None and kind != "hf:":
        named = argument("dtype", options.dtype)
        raise UsageError(f"{named} is for hf: models, and {kind} has its own numbers; leave it out")
    if options.request and kind != "openai:":
        named = ", ".join(map(repr, options.request))
        problem = f"request fields ({named}) are for openai: models, and {kind} gets no requests"
        raise UsageError(f"{problem}; leave them out")
