"""Options about models that commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

__all__ = ["MODEL_NAMES", "WRITER_NAMES", "model_options", "writer_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = {
    "batch_size": click.option("--batch-size", type=int, metavar="N", help="Texts a call of the model."),
    "timeout": click.option("--timeout", type=float, metavar="S", help="Seconds a call; then it has failed."),
    "concurrency": click.option(
        "--concurrency", type=int, metavar="N", help="openai: requests at a time; 4."
    ),
    "retries": click.option(
        "--retries", type=int, metavar="N", help="openai: further tries of a request; 5."
    ),
    "deadline": click.option(
        "--deadline", type=float, metavar="S", help="openai: seconds a text in all; 120."
    ),
    "prompt": click.option("--prompt", metavar="TEXT", help="openai: what to ask, with {labels} and {text}."),
    "api_key_variable": click.option(
        "--api-key-variable", metavar="NAME", help="openai: variable with the key; OPENAI_API_KEY."
    ),
    "device": click.option(
        "--device", metavar="D", help="hf: cpu, cuda or cuda:1; by default what is there."
    ),
    "logits": click.option("--logits", is_flag=True, default=None, help="Scores are no probabilities yet."),
    "model_id": click.option(
        "--model-id", metavar="NAME", help="A version that the model's files do not tell."
    ),
}
MODEL_NAMES = tuple(_OPTIONS)
# What is said about a model that writes texts: these have no classes.
_WRITER_OPTIONS = {name: option for name, option in _OPTIONS.items() if name != "logits"} | {
    "prompt": click.option("--prompt", metavar="TEXT", help="openai: what to ask, with {text}."),
    "device": click.option(
        "--device", metavar="D", help="hf, reference: cpu, cuda or cuda:1; by default what is there."
    ),
    "max_new_tokens": click.option(
        "--max-new-tokens", type=int, metavar="N", help="hf, openai: longest answer in tokens; 256."
    ),
}
WRITER_NAMES = tuple(_WRITER_OPTIONS)


def model_options(command: Command) -> Command:
    """Add everything that may be said about a model beside its spec."""
    return _with(_OPTIONS, command)


def writer_options(command: Command) -> Command:
    """Add everything that may be said about a model that writes beside its spec."""
    return _with(_WRITER_OPTIONS, command)


def _with(options: Mapping[str, Callable[[Command], Command]], command: Command) -> Command:
    for option in reversed(list(options.values())):
        command = option(command)
    return command
