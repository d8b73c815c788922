"""Open a model from what the user gives: a spec such as `hf:DIRECTORY`, or a Python object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pkgutil import resolve_name
from typing import NamedTuple, TypeAlias

from salva._arguments import argument, did_you_mean
from salva.errors import UsageError
from salva.models.functions import open_object, open_python, open_skops
from salva.models.protocol import Model, ModelOptions
from salva.models.secrets import hide_secrets

Opener: TypeAlias = Callable[[str, ModelOptions], Model]


class Adapter(NamedTuple):
    """How a spec with one prefix looks, and how to open it: to give labels, to write text, or both."""

    spec: str
    labels: Opener | None = None
    text: Opener | None = None


def _on_use(place: str) -> Opener:
    """Return the opener at `module:name`; the module is imported when a model is opened.

    A run has one model or two, and all modules together took as long to import as the rest of a small run.
    """
    return lambda *given: resolve_name(f"salva.models.{place}")(*given)  # noqa: PLW0108 - on use


ADAPTERS: dict[str, Adapter] = {
    "builtin": Adapter("builtin:reviews", _on_use("builtin:ReviewsModel")),
    "python": Adapter("python:pkg.mod:f", open_python, open_python),
    "hf": Adapter(
        "hf:DIR",
        _on_use("hugging_face:open_hugging_face"),
        _on_use("hugging_face_text:open_hugging_face_text"),
    ),
    "onnx": Adapter("onnx:DIR", _on_use("onnx:open_onnx")),
    "skops": Adapter("skops:FILE", open_skops),
    "command": Adapter("command:…", _on_use("command:CommandModel"), _on_use("command:CommandGenerator")),
    "openai": Adapter("openai:MODEL@URL", _on_use("openai:open_openai"), _on_use("openai:open_openai_text")),
    "answers": Adapter("answers:PATH", _on_use("recorded:open_answers"), _on_use("recorded:open_answers")),
    "log": Adapter("log:PATH", text=_on_use("recorded:open_log")),
}


def open_model(spec: object, options: ModelOptions | None = None) -> Model:
    """Open a model from its spec, or wrap a Python object; a model is returned unchanged.

    >>> open_model("builtin:reviews").classes
    ('negative', 'positive')
    >>> open_model(lambda texts: ["pos"] * len(texts)).predict(["fine"]).labels
    ['pos']
    """
    options = options or ModelOptions()
    if not isinstance(spec, str):
        _refuse_options_of_others("a Python object", options)
        return open_object(spec, options)
    ways = {name: way.text if options.writes else way.labels for name, way in ADAPTERS.items()}
    openers = {name: opener for name, opener in ways.items() if opener}
    prefix, colon, rest = spec.partition(":")
    if not colon or prefix not in openers:
        problem = "does not write text" if options.writes else "is unknown"
        known = [f"{name}:" for name in openers]
        hint = did_you_mean(f"{prefix}:", known)
        choice = f"it must begin with one of {', '.join(known)}"
        raise UsageError(f"model {hide_secrets(spec)!r:.100} {problem}; {f'{hint} ' if hint else ''}{choice}")
    _refuse_options_of_others(f"{prefix}:", options)
    return openers[prefix](rest, options)


def open_generator(spec: object, options: ModelOptions | None = None) -> Model:
    """Open a model that writes text, as `open_model` does with `writes`.

    Such a model is queried like the others; the label is what it wrote. An empty answer is an answer.

    >>> open_generator(lambda texts: [text.upper() for text in texts]).predict(["a b", ""]).labels
    ['A B', '']
    """
    return open_model(spec, replace(options or ModelOptions(), writes=True))


def _refuse_options_of_others(kind: str, options: ModelOptions) -> None:
    if options.dtype is not None and kind != "hf:":
        named = argument("dtype", options.dtype)
        raise UsageError(f"{named} is for hf: models, and {kind} has its own numbers; leave it out")
    if options.request and kind != "openai:":
        named = ", ".join(map(repr, options.request))
        problem = f"request fields ({named}) are for openai: models, and {kind} gets no requests"
        raise UsageError(f"{problem}; leave them out")
