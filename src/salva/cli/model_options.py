"""Options about models that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click

from salva.cli.options import Command

_OPTIONS = {
    "batch_size": click.option("--batch-size", type=int, metavar="N", help="Texts per model call."),
    "timeout": click.option("--timeout", type=float, metavar="S", help="Seconds after which a call fails."),
    "concurrency": click.option(
        "--concurrency", type=int, metavar="N", help="openai: requests at a time; default: 4."
    ),
    "retries": click.option(
        "--retries", type=int, metavar="N", help="openai: further tries per request; default: 5."
    ),
    "deadline": click.option(
        "--deadline", type=float, metavar="S", help="openai: total seconds per text; default: 120."
    ),
    "prompt": click.option("--prompt", metavar="TEXT", help="openai: the prompt, with {labels} and {text}."),
    "api_key_variable": click.option(
        "--api-key-variable", metavar="NAME", help="openai: variable with the key; default: OPENAI_API_KEY."
    ),
    "device": click.option(
        "--device", metavar="D", help="hf: cpu, cuda or cuda:1; default: a GPU if there is one."
    ),
    "logits": click.option(
        "--logits", is_flag=True, default=None, help="Scores are logits, not probabilities."
    ),
    "model_id": click.option(
        "--model-id", metavar="NAME", help="A version that the model's files do not show."
    ),
}
MODEL_NAMES = tuple(_OPTIONS)
# Options of models that write text: these have no classes.
_WRITER_OPTIONS = {name: option for name, option in _OPTIONS.items() if name != "logits"} | {
    "prompt": click.option("--prompt", metavar="TEXT", help="openai: the prompt, with {text}."),
    "device": click.option(
        "--device", metavar="D", help="hf, reference: cpu, cuda or cuda:1; default: a GPU if there is one."
    ),
    "max_new_tokens": click.option(
        "--max-new-tokens", type=int, metavar="N", help="hf, openai: longest answer in tokens; default: 256."
    ),
}
WRITER_NAMES = tuple(_WRITER_OPTIONS)


def model_options(command: Command) -> Command:
    """Add all options about a model other than its spec."""
    return _with(_OPTIONS, command)


def writer_options(command: Command) -> Command:
    """Add all options about a model that writes text other than its spec."""
    return _with(_WRITER_OPTIONS, command)


def _with(options: Mapping[str, Callable[[Command], Command]], command: Command) -> Command:
    for option in reversed(list(options.values())):
        command = option(command)
    return command
