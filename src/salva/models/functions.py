"""Models in Python: functions, estimators in the style of scikit-learn, transformers pipelines.

`skops:FILE` is an estimator saved with skops, which runs no code from the file.

Two objects in memory cannot be told apart, so the digest of such a model is new every time, unless the user
names its version. The digest of a function in a module covers the file of that module and no other.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from salva._arguments import did_you_mean
from salva._crashes import log_crash, place_of_code
from salva._files import digest, open_regular
from salva.errors import InputError, ModelError, UsageError, extra
from salva.models.guard import refusing_exits, stdout_to_stderr
from salva.models.outputs import OutputError, answers_of, class_names, texts_of
from salva.models.protocol import (
    Adapted,
    Answers,
    Model,
    ModelOptions,
    Prompt,
    Text,
    combined,
    describe_crash,
    one_line,
    unrepeatable,
)
from salva.models.tokens import slow_tokens_of, two_columns

_BATCH = 256
_PICKLES = {".pkl", ".pickle", ".joblib", ".pt", ".pth", ".dill"}


class FunctionModel(Adapted):
    """A function that takes a list of texts and returns one answer per text."""

    def __init__(
        self,
        call: Callable[[list[Any]], object],
        *,
        name: str,
        digest: str,
        options: ModelOptions,
        classes: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(name, digest, options.batch_size or _BATCH, classes)
        self._call, self._logits = call, options.logits

    def predict(self, texts: list[Text]) -> Answers:
        """Return the function's answers, checked."""
        count = len(texts)
        return answers_of(self._call(texts), count, classes=self.classes, logits=self._logits)


class FunctionGenerator(FunctionModel):
    """A function that takes a list of texts and returns one text for each.

    A prompt of several messages is a list of dicts with role and content.
    """

    def predict(self, texts: list[Text]) -> Answers:
        """Return what the function wrote."""
        return texts_of(self._call([_plain(text) for text in texts]), len(texts))


def _plain(text: Text) -> Any:
    """Return an input as a function of the user's gets it."""
    if not isinstance(text, Prompt):
        return text
    return text.text if text.is_plain else text.dicts


class PipelineModel(FunctionModel):
    """A text classification pipeline of transformers, called as it is; `hf:DIRECTORY` is faster."""

    def __init__(self, pipeline: Any, *, name: str, digest: str, options: ModelOptions) -> None:
        names = class_names([label for _, label in sorted(pipeline.model.config.id2label.items())])
        super().__init__(self._classify, name=name, digest=digest, options=options, classes=names)
        self._pipeline = pipeline

    def predict(self, texts: list[Text]) -> Answers:
        """Return the pipeline's answers, and which texts it had to cut."""
        cut = slow_tokens_of(self._pipeline.tokenizer, texts).cut.tolist()
        return dataclasses.replace(super().predict(texts), cut=cut)

    def _classify(self, texts: list[Text]) -> object:
        first, second = two_columns(texts)
        inputs = (
            first
            if second is None
            else [{"text": a, "text_pair": b} for a, b in zip(first, second, strict=True)]
        )
        # One at a time if there is no padding token to fill up the shorter texts.
        batch = 32 if self._pipeline.tokenizer.pad_token_id is not None else 1
        return self._pipeline(inputs, truncation=True, batch_size=batch)


def open_object(value: object, options: ModelOptions) -> Model:
    """Open a Python object in memory."""
    known = combined("object", options.model_id, options.logits) if options.model_id else unrepeatable()
    return _as_model(value, _name(value, options), known, options)


def open_python(rest: str, options: ModelOptions) -> Model:
    """Open `python:package.module:function`; the current folder is searched, too."""
    module, value = _import(rest)
    source = getattr(module, "__file__", None)
    content = digest(source) if source is not None and Path(source).is_file() else unrepeatable()
    known = combined("python", rest, content, options.model_id, options.logits)
    return _as_model(value, f"python:{rest}", known, options)


def open_skops(rest: str, options: ModelOptions) -> Model:
    """Open `skops:FILE`; refuse types that skops does not consider harmless."""
    path = Path(rest)
    if path.suffix.lower() in _PICKLES:
        problem = "pickle files can run code; convert with skops.io.dump(model, 'model.skops')"
        raise InputError.at(path, None, problem)
    open_regular(path).close()
    with extra("skops"):
        import skops.io
    known = combined("skops", digest(path), options.model_id, options.logits)
    try:
        untrusted = skops.io.get_untrusted_types(file=path)
        value = None if untrusted else skops.io.load(path, trusted=[])
    except Exception as error:  # noqa: BLE001 - a broken file fails in many ways
        raise InputError.at(path, None, f"cannot be loaded by skops ({one_line(error)})") from None
    if untrusted:
        shown = ", ".join(untrusted[:5])
        problem = f"holds {shown}, which skops does not trust; load it in a module of your own (python:)"
        raise InputError.at(path, None, problem)
    return _as_model(value, f"skops:{rest}", known, options)


def load_function(spec: str) -> Callable[..., Any]:
    """Return the function that `package.module:function` names, such as a metric of the user's own.

    >>> load_function("math:hypot")(3, 4)
    5.0
    """
    _, value = _import(spec.removeprefix("python:"))
    if not callable(value) or inspect.isclass(value):
        raise UsageError(f"{spec!r} is not a function")
    return value


def _as_model(value: Any, name: str, known: str, options: ModelOptions) -> Model:
    """Return a Python object as a model; refuse what cannot be one."""
    if isinstance(value, Model):
        return value
    if options.writes:
        call = value if callable(value) else getattr(value, "predict", None)
        if isinstance(value, type) or not callable(call):
            raise UsageError(f"model {name!r} must be a function from a list of texts to a list of texts")
        return FunctionGenerator(call, name=name, digest=known, options=options)
    if inspect.isclass(value) or inspect.ismodule(value):
        described = "class" if inspect.isclass(value) else "module"
        raise UsageError(
            f"model {name!r} is a {described}; give a function or an object with a predict method"
        )
    try:
        if _is_pipeline(value):
            return PipelineModel(value, name=name, digest=known, options=options)
        classes = _classes_of(value)
    except OutputError as error:
        raise UsageError(f"model {name!r}: {error}") from None
    # The method with probabilities if the classes are known, otherwise the one with labels.
    methods = ("predict_proba", "predict") if classes else ("predict",)
    calls = (*(getattr(value, method, None) for method in methods), value)
    call = next(filter(callable, calls), None)
    if call is None:
        raise UsageError(f"model {name!r} is neither a function nor an object with a predict method")
    return FunctionModel(call, name=name, digest=known, options=options, classes=classes)


def _classes_of(value: object) -> tuple[str, ...] | None:
    held = (getattr(value, attribute, None) for attribute in ("classes_", "classes"))
    names = next((some for some in held if some is not None and not callable(some)), None)
    return None if names is None else class_names(names)


def _is_pipeline(value: object) -> bool:
    return (
        type(value).__module__.startswith("transformers.")
        and callable(value)
        and all(hasattr(value, name) for name in ("tokenizer", "model", "task"))
    )


def _name(value: object, options: ModelOptions) -> str:
    """Return what an object is called in titles.

    >>> _name(len, ModelOptions()), _name(lambda texts: texts, ModelOptions(model_id="baseline"))
    ('builtins.len', 'baseline')
    """
    while isinstance(value, functools.partial):
        value = value.func
    if not inspect.isroutine(value):
        return type(value).__qualname__
    name = value.__qualname__.rpartition("<locals>.")[2]
    if name == "<lambda>":
        return options.model_id or f"lambda{place_of_code(value)}"
    module = getattr(value, "__module__", None) or "builtins"
    return name if module == "__main__" else f"{module}.{name}"


def _import(rest: str) -> tuple[ModuleType, object]:
    module_name, _, attribute = rest.partition(":")
    if not module_name or not attribute:
        raise UsageError(f"{rest!r} is incomplete; expected MODULE:FUNCTION, such as my_models:predict")
    module = _module(module_name)
    value: object = module
    for name in attribute.split("."):
        try:
            value = getattr(value, name)
        except AttributeError:
            parts = [f"{rest!r}: there is no {name!r}", did_you_mean(name, dir(value))]
            raise UsageError("; ".join(filter(None, parts))) from None
    return module, value


def _module(name: str) -> ModuleType:
    if name.endswith(".py") or not all(part.isidentifier() for part in name.split(".")):
        hint = f"; write python:{Path(name).stem}:FUNCTION" if name.endswith(".py") else ""
        raise UsageError(f"{name!r} is not the name of a module{hint}")
    _search_current_folder(name.partition(".")[0])
    try:
        with stdout_to_stderr(), refusing_exits():
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            problem = f"there is no module {error.name!r}"
            raise UsageError(f"{problem} in the current folder or among the installed packages") from None
        raise UsageError(f"module {name!r} needs {error.name!r}, which is not installed") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code is somebody else's
        log_crash(error)
        raise ModelError(f"module {name!r} failed on import: {describe_crash(error)}") from None


def _search_current_folder(name: str) -> None:
    """Let modules of the current folder be found after the installed ones, so that they replace none.

    First in the path, a file that is called like a package would run instead of the package, whoever imports
    it. A folder that Python searches already, as in a script or a notebook, keeps its place.
    """
    folder = str(Path.cwd())
    importlib.invalidate_caches()
    here, found = (PathFinder.find_spec(name, path) for path in ([folder], sys.path))
    if here and found and None not in (here.origin, found.origin) and here.origin != found.origin:
        problem = f"module {name!r} is in the current folder, but also among the installed packages"
        raise UsageError(f"{problem} ({found.origin}); rename yours")
    if folder not in sys.path and "" not in sys.path:
        sys.path.append(folder)
