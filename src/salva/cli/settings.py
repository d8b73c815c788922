"""Options that are given as KEY=VALUE: -M for the model, -R for reading, -S for what is measured.

Each key has a line of help. A mistyped one gets a suggestion.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from salva._arguments import did_you_mean
from salva.errors import UsageError
from salva.models import ModelOptions, load_function
from salva.questions.options import Conditions, Data, Limits, Measure


class Key(NamedTuple):
    """A key: the group of `salva.Options` and the field that it sets, and its line of help."""

    group: str
    field: str
    help: str
    kind: str = "value"  # value, list, pairs


READING: dict[str, Key] = {
    "format": Key("data", "format", "format of the file, if its name does not show it"),
    "delimiter": Key("data", "delimiter", "separator between the cells of a csv file"),
    "encoding": Key("data", "encoding", "encoding of the text, if not UTF-8"),
    "on_bad_row": Key("data", "on_bad_row", "fail, keep or drop: what to do with a row that cannot be read"),
    "max_line_bytes": Key("data", "max_line_bytes", "longest line in bytes; default: 256 MiB"),
    "limit": Key("data", "limit", "take only the first N rows"),
    "rewrite": Key("data", "rewrite", "which of two text columns is rewritten; default: the first"),
}
MEASURING: dict[str, Key] = {
    "slice_by": Key(
        "data", "slice_by", "column by whose values drops are reported, too; several: A,B", "list"
    ),
    "opposites": Key(
        "conditions", "opposites", "opposite labels for negation and antonyms: positive/negative", "pairs"
    ),
    "fit": Key(
        "conditions", "fit", "data whose words become the vocabulary of corrupt; self is DATA", "list"
    ),
    "cross": Key("conditions", "cross", "true: ask about the twins of presets along the axes too"),
    "share_answers": Key(
        "conditions", "share_answers", "false: ask about a twin that equals its original by itself"
    ),
    "noise": Key("measure", "noise", "clean questions to ask twice; default: 100"),
    "alone": Key("measure", "alone", "how many of them to ask one at a time, too; default: 16"),
    "flips": Key("measure", "flips", "flips to keep and examine per condition; default: 50"),
    "blame_calls": Key("measure", "blame_calls", "model calls per flip to find the words to blame; 0: none"),
    "resamples": Key("measure", "resamples", "resamples of bootstrap intervals; default: 10,000"),
    "metric": Key(
        "measure", "metric", "your own metric: python:pkg.mod:f, f(labels, answers); none leaves it out"
    ),
    "max_errors": Key("limits", "errors", "stop if more questions than this fail, such as 20 or 5%"),
    "threads": Key("limits", "threads", "threads that make twins; default: all cores"),
    "engine": Key("limits", "engine", "where the model is asked: local or ray"),
    "actors": Key("limits", "actors", "ray: processes with the model; default: one per GPU or core"),
    "address": Key("limits", "address", "ray: the cluster; default: RAY_ADDRESS, or none"),
    "same_model": Key(
        "limits", "same_model", "true, with --resume: keep the answers although the model changed"
    ),
}
_MODEL_HELP = {
    "batch_size": "texts per model call",
    "timeout": "seconds after which a call fails",
    "concurrency": "openai: requests at a time; default: 4",
    "retries": "openai: further tries per request; default: 5",
    "deadline": "openai: total seconds per text; default: 120",
    "prompt": "openai: the prompt, with {labels} and {text}",
    "api_key_variable": "openai: variable with the key; default: OPENAI_API_KEY",
    "device": "hf: cpu, cuda or cuda:1; default: a GPU if there is one",
    "dtype": "hf: number type of the weights",
    "max_new_tokens": "hf, openai: longest reply in tokens; default: 256",
    "choose_by": "hf, openai: how an option of a task is chosen: reply, likelihood, likelihood-per-character",
    "reply_format": "openai: how JSON replies are asked for, if the task has json_field",
    "chat_template": "hf: false gives prompts as they are, without the template of the tokenizer",
    "logits": "true: the scores of the model are logits",
    "model_id": "version of the model, if its files do not show it",
}
MODEL = {name: Key("model", name, help_) for name, help_ in _MODEL_HELP.items()}
_REQUEST = "openai: any other field of a request, such as temperature=0.2 or max_completion_tokens=64"


def describe_keys(keys: Mapping[str, Key]) -> str:
    """Return the keys with their help, one per line."""
    return "\n".join(f"{name}  {key.help}" for name, key in keys.items())


def parse_pairs(flag: str, pairs: Iterable[str]) -> dict[str, Any]:
    """Return the values of KEY=VALUE by key; a value is TOML, or else a string.

    >>> parse_pairs("-S", ["noise=20", "metric=python:a:b"])
    {'noise': 20, 'metric': 'python:a:b'}
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{flag} {pair[:100]!r} must be KEY=VALUE")
        try:
            found[key.strip()] = tomllib.loads(f"value = {value}")["value"]
        except (ValueError, RecursionError):  # broken TOML, or a number of too many digits
            found[key.strip()] = value
    return found


def parse_settings(flag: str, pairs: Iterable[str], keys: Mapping[str, Key]) -> dict[str, dict[str, Any]]:
    """Return settings by the group of `salva.Options` that they belong to."""
    groups: dict[str, dict[str, Any]] = {}
    for name, value in parse_pairs(flag, pairs).items():
        if name not in keys:
            hint = did_you_mean(name, keys, otherwise=f"choose from {', '.join(keys)}")
            raise UsageError(f"{flag}: there is no setting {name!r}; {hint}")
        key = keys[name]
        groups.setdefault(key.group, {})[key.field] = _READERS.get(name, _KINDS[key.kind])(name, value)
    return groups


def parse_model(flag: str, pairs: Iterable[str]) -> dict[str, Any]:
    """Return the options of a model; what is not one of them is a field of a request."""
    known, request = {}, {}
    for name, value in parse_pairs(flag, pairs).items():
        if name in MODEL:
            known[name] = value
            continue
        hint = did_you_mean(name, MODEL)
        if hint:
            raise UsageError(f"{flag}: there is no option {name!r} of a model; {hint}")
        request[name] = value
    return {**known, **({"request": request} if request else {})}


def _as_list(name: str, value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else str(value).split(",")
    return tuple(str(one).strip() for one in values)


def _as_pairs(name: str, value: Any) -> dict[str, str]:
    """Return pairs that are given as a table, or as A/B,C/D."""
    if isinstance(value, dict):
        return value
    split = [one.partition("/") for one in str(value).split(",")]
    if not all(all(parts) for parts in split):
        raise UsageError(f"-S {name}={value!r:.60} must be A/B, such as positive/negative")
    return {one.strip(): other.strip() for one, _, other in split}


def _read_metric(name: str, value: Any) -> Any:
    return None if value == "none" else load_function(str(value))


def _read_errors(name: str, value: Any) -> float:
    """Return a number of questions, or a share of them."""
    text = str(value)
    number = text.removesuffix("%").strip()
    try:
        return float(number) / 100 if text.endswith("%") else int(number)
    except ValueError:
        raise UsageError(f"-S {name}={text!r:.60} must be a count (20) or a percentage (5%)") from None


_KINDS: dict[str, Any] = {"value": lambda _, value: value, "list": _as_list, "pairs": _as_pairs}
_READERS: dict[str, Any] = {"metric": _read_metric, "max_errors": _read_errors}


def check_keys() -> None:
    """Make sure that every key is a field of its group."""
    owners = {
        "data": Data,
        "conditions": Conditions,
        "measure": Measure,
        "limits": Limits,
        "model": ModelOptions,
    }
    for key in (*READING.values(), *MEASURING.values(), *MODEL.values()):
        assert key.field in {field.name for field in dataclasses.fields(owners[key.group])}, key  # noqa: S101
