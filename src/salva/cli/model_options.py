"""What commands that ask a model share: its options, limits on calls and failures, and how to resume."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from salva._types import PathLike
from salva.cli.options import option, take_options
from salva.cli.show import print_line
from salva.errors import UsageError
from salva.models import Adapter, ModelOptions
from salva.models.options import NUMBER_TYPES, REPLY_FORMATS, WAYS_TO_CHOOSE
from salva.models.secrets import hide_secrets
from salva.runs import Budget
from salva.runs.folder import SETTINGS

_OPTIONS = {
    "batch_size": option("--batch-size", type=int, metavar="N", help="Texts per model call."),
    "timeout": option("--timeout", type=float, metavar="S", help="Seconds after which a call fails."),
    "concurrency": option(
        "--concurrency", type=int, metavar="N", help="openai: requests at a time; default: 4."
    ),
    "retries": option(
        "--retries", type=int, metavar="N", help="openai: further tries per request; default: 5."
    ),
    "deadline": option(
        "--deadline", type=float, metavar="S", help="openai: total seconds per text; default: 120."
    ),
    "prompt": option("--prompt", metavar="TEXT", help="openai: the prompt, with {labels} and {text}."),
    "api_key_variable": option(
        "--api-key-variable", metavar="NAME", help="openai: variable with the key; default: OPENAI_API_KEY."
    ),
    "device": option(
        "--device", metavar="D", help="hf: cpu, cuda or cuda:1; default: a GPU if there is one."
    ),
    "dtype": option(
        "--dtype",
        type=click.Choice(NUMBER_TYPES),
        help="hf: number type of the weights; default: bfloat16 on a GPU, otherwise float32.",
    ),
    "max_new_tokens": option(
        "--max-new-tokens", type=int, metavar="N", help="hf, openai: longest reply in tokens; default: 256."
    ),
    "choose_by": option(
        "--choose-by",
        type=click.Choice(WAYS_TO_CHOOSE),
        help="hf, openai: how an option of a task is chosen; default: reply.",
    ),
    "reply_format": option(
        "--reply-format",
        type=click.Choice(REPLY_FORMATS),
        help="openai: how JSON replies are asked for, if the task has json_field; default: json_schema.",
    ),
    "chat_template": option(
        "--no-chat-template",
        flag_value=False,
        default=None,
        help="hf: give prompts as they are, without the chat template of the tokenizer.",
    ),
    "logits": option("--logits", is_flag=True, default=None, help="The model returns logits as its scores."),
    "model_id": option("--model-id", metavar="NAME", help="Model version, if the files do not show it."),
}
# Options of models that write text: these have no classes, and nothing to choose from.
_GENERATOR_OPTIONS = {
    name: option for name, option in _OPTIONS.items() if name not in {"logits", "choose_by", "reply_format"}
} | {
    "prompt": option("--prompt", metavar="TEXT", help="openai: the prompt, with {text}."),
    "device": option(
        "--device", metavar="D", help="hf, reference: cpu, cuda or cuda:1; default: a GPU if there is one."
    ),
}


def list_specs(adapters: Iterable[Adapter]) -> str:
    """Return how the specs of models look, for the help of --model."""
    *specs, last = (adapter.spec for adapter in adapters)
    return f"{', '.join(specs)} or {last}"


model_options = take_options(ModelOptions, "opening", _OPTIONS)
generator_options = take_options(ModelOptions, "opening", _GENERATOR_OPTIONS)


def parse_errors(text: str) -> float:
    """Return a number of texts, or a share of them.

    >>> parse_errors("20"), parse_errors("5%")
    (20, 0.05)
    """
    number = text.removesuffix("%").strip()
    try:
        return float(number) / 100 if text.endswith("%") else int(number)
    except ValueError:
        raise UsageError(f"--max-errors {text!r} must be a count (20) or a percentage (5%)") from None


budget_options = take_options(
    Budget,
    "budget",
    {
        "calls": option(
            "--max-calls",
            type=click.IntRange(min=0),
            metavar="N",
            help="Stop before more than N texts are sent.",
        ),
        "errors": option(
            "--max-errors",
            default="10%",
            show_default=True,
            metavar="N|P%",
            callback=lambda _context, _parameter, text: parse_errors(text),
            help="Stop if more texts than this fail.",
        ),
    },
)


@contextlib.contextmanager
def resumable(folder: PathLike, *, resume: bool) -> Iterator[None]:
    """Print how to resume if a run in a folder is interrupted or terminated inside the block."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if Path(folder, SETTINGS).is_file():
            again = hide_secrets(shlex.join([*sys.argv[1:], *([] if resume else ["--resume"])]))
            print_line(f"stopped; every answer so far is kept. To continue: salva {again}", to_stderr=True)
        raise
