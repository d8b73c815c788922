"""Open a model from what the user gives: a spec such as `hf:DIRECTORY`, or a Python object."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from salva.errors import UsageError
from salva.models.builtin import open_builtin
from salva.models.command import open_command
from salva.models.functions import open_object, open_python
from salva.models.hugging_face import open_hugging_face
from salva.models.onnx import open_onnx
from salva.models.openai import open_openai
from salva.models.options import ModelOptions
from salva.models.predictions import open_predictions
from salva.models.protocol import Model
from salva.models.skops import open_skops

PREFIXES: dict[str, Callable[[str, ModelOptions], Model]] = {
    "builtin": open_builtin,
    "python": open_python,
    "hf": open_hugging_face,
    "onnx": open_onnx,
    "skops": open_skops,
    "command": open_command,
    "openai": open_openai,
    "predictions": open_predictions,
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
        return open_object(spec, options)
    prefix, colon, rest = spec.partition(":")
    if not colon or prefix not in PREFIXES:
        near = difflib.get_close_matches(prefix, PREFIXES, n=1)
        hint = f"did you mean {near[0]}:? " if near else ""
        known = ", ".join(f"{name}:" for name in PREFIXES)
        raise UsageError(f"model {spec!r:.100} is unknown; {hint}it must begin with one of {known}")
    return PREFIXES[prefix](rest, options)
