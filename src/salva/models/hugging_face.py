"""`hf:DIRECTORY`: a sequence classifier of transformers from a local folder.

Only safetensors are read, and no code from the folder is run. `predict` receives many texts at once and forms
batches of similar length: a batch is as slow as its longest text, and 32 reviews always include a long one.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from salva._show import number_of
from salva._torch import find_device
from salva._types import Ints64
from salva.errors import InputError, extra
from salva.models.guard import Call, Worker
from salva.models.outputs import OutputError, class_names, matrix_answers
from salva.models.protocol import Adapted, Answers, ModelOptions, Text, combined, of_folder, one_line
from salva.models.tokens import (
    Tokens,
    length_batches,
    round_rows,
    round_up,
    set_limit,
    slow_tokens_of,
    tokens_of,
    with_tokens,
)

_TOKENS = 4_096  # per call of the model on a CPU, including padding
_NUMBERS_ON_GPU = 200_000_000  # tokens per call times the width of the model
# On a GPU, texts are padded to a multiple of so many tokens. For attention, cuDNN makes a plan for every new
# shape, which takes 40 to 70 ms, as long as it takes to compute a batch.
_TOKEN_STEP = 32
_BYTES_PER_NUMBER = 64  # those inside a layer are four times as many, and there is a mask
LOCAL = {"local_files_only": True, "trust_remote_code": False}
_PICKLES = ("*.bin", "*.pt", "*.pkl", "*.ckpt")
_UNLIMITED = 1_000_000  # a tokenizer without a limit reports far more than this


class _Prepared(NamedTuple):
    """Tokenised texts, in batches for the model: the positions of their texts, and their padded inputs."""

    tokens: Tokens
    batches: list[tuple[Ints64, dict[str, Any]]]


class _Sent(NamedTuple):
    """What the model computes or has computed: the scores of texts in this order, once `ready` is reached."""

    tokens: Tokens
    order: Ints64
    scores: Any
    ready: Any


class HuggingFaceModel(Adapted):
    """A sequence classifier; `cut` marks the texts that are longer than it can read.

    A call has three stages: texts are tokenised, computed, and their scores are read. With `begin`, each
    stage has a thread, so that a GPU does not wait for the others.
    """

    ahead = 3

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self._device = find_device(options.device)
        self._on_gpu = self._device.type == "cuda"
        self._model, self._tokenizer = load_folder(
            folder,
            self._device,
            "sequence classifier",
            lambda auto: auto.AutoModelForSequenceClassification,
            dtype=options.dtype,
        )
        classes = _classes(folder, self._model.config)
        self._limit = token_limit(self._model, self._tokenizer)
        self._pad = self._tokenizer.pad_token_id
        if self._tokenizer.is_fast:
            set_limit(self._tokenizer.backend_tokenizer, self._limit, self._tokenizer.truncation_side)
        self._wide_mask = self._on_gpu and takes_wide_mask(self._model)
        # A model without a padding token gets one text at a time.
        self._budget = 1 if self._pad is None else _token_budget(self._model, self._device)
        self._step = _TOKEN_STEP if self._on_gpu and self._pad is not None else 1
        self._stages: list[Worker] = []
        digest = combined("hf", of_folder(folder), str(self._model.dtype), self._limit, options.model_id)
        super().__init__(name, digest, options.batch_size or (8_192 if self._on_gpu else 1024), classes)

    def predict(self, texts: list[Text]) -> Answers:
        """Return the most likely class of each text."""
        return self._read(self._compute(self._prepare(texts)))

    def begin(self, texts: list[Text]) -> Call[Answers]:
        """Begin to answer a batch, while those before it are computed and read."""
        self._stages = self._stages or [Worker(f"salva-hf-{name}") for name in ("tokens", "model", "scores")]
        preparing, computing, reading = self._stages
        prepared = preparing.begin(lambda: self._prepare(texts))
        sent = computing.begin(lambda: self._compute(prepared.result()))
        return reading.begin(lambda: self._read(sent.result()))

    def close(self) -> None:
        """Let the threads end; the weights are freed with the model."""
        for stage in self._stages:
            stage.stop()
        self._stages = []

    def _prepare(self, texts: list[Text]) -> _Prepared:
        if self._tokenizer.is_fast:
            tokens = tokens_of(self._tokenizer.backend_tokenizer, texts)
        else:
            tokens = slow_tokens_of(self._tokenizer, texts, self._limit)
        batches = length_batches(tokens.lengths, self._budget, self._step)
        return _Prepared(tokens, [(batch, self._inputs(tokens, batch)) for batch in batches])

    def _inputs(self, tokens: Tokens, batch: Ints64) -> dict[str, Any]:
        """Return the inputs of the model in memory from which a GPU copies while it computes."""
        lengths = tokens.lengths[batch]
        shape = self._shape(len(batch), int(lengths[0]))
        tables = {"input_ids": self._table(shape)}
        tokens.padded_ids(batch, self._pad or 0, tables["input_ids"].numpy())
        if "token_type_ids" in self._tokenizer.model_input_names:
            tables["token_type_ids"] = self._table(shape)
            tokens.padded_types(batch, tables["token_type_ids"].numpy())
        if lengths[-1] < shape[1]:  # attention is faster without a mask
            tables["attention_mask"] = self._mask(lengths, shape)
        return tables

    def _mask(self, lengths: Ints64, shape: tuple[int, int]) -> Any:
        """Return which tokens are not padding; an empty text at the end shows one, as attention needs it."""
        rows, width = shape
        real = np.arange(width) < np.append(lengths, np.ones(rows - len(lengths), np.int64))[:, None]
        mask = self._table((rows, 1, 1, width), "bool") if self._wide_mask else self._table(shape)
        mask.numpy()[:] = real[:, None, None] if self._wide_mask else real
        return mask

    def _table(self, shape: tuple[int, ...], numbers: str = "int64") -> Any:
        import torch

        return torch.empty(shape, dtype=getattr(torch, numbers), pin_memory=self._on_gpu)

    def _shape(self, rows: int, longest: int) -> tuple[int, int]:
        """Return how many texts a batch gets, with empty ones at its end, and how long they become.

        On a GPU there are few shapes: a full batch of each length, and few others.
        """
        width = min(round_up(longest, self._step), self._limit or sys.maxsize)
        if self._step == 1:
            return rows, width
        return max(rows, min(round_rows(rows), self._budget // width)), width

    def _compute(self, prepared: _Prepared) -> _Sent:
        """Send every batch to the model; on a GPU, return before it has computed them."""
        import torch

        parts = [torch.empty((0, len(self.classes or ())), device=self._device)]
        with torch.inference_mode():
            for batch, tables in prepared.batches:
                inputs = {name: table.to(self._device, non_blocking=True) for name, table in tables.items()}
                logits = self._model(**inputs).logits[: len(batch)]
                parts.append(torch.softmax(logits.float(), dim=-1))
            scores = torch.cat(parts)
            ready = None
            if self._on_gpu:
                there = torch.empty(scores.shape, dtype=scores.dtype, pin_memory=True)
                scores = there.copy_(scores, non_blocking=True)
                cuda: Any = torch.cuda  # its types are incomplete
                ready = cuda.Event()
                ready.record(cuda.current_stream(self._device))
        order = np.concatenate([np.empty(0, np.int64), *(batch for batch, _ in prepared.batches)])
        return _Sent(prepared.tokens, order, scores, ready)

    def _read(self, sent: _Sent) -> Answers:
        if sent.ready is not None:
            sent.ready.synchronize()
        scores = np.full((len(sent.tokens), len(self.classes or ())), np.nan)
        scores[sent.order] = sent.scores.numpy()
        return with_tokens(matrix_answers(scores, self.classes), sent.tokens)


def takes_wide_mask(model: Any) -> bool:
    """Return whether a model takes a mask of the shape [texts, 1, 1, tokens] for what it is.

    Transformers looks whether a mask of the shape [texts, tokens] hides anything, and waits for all that the
    GPU has to do before; one of the other shape goes to the attention as it is.
    """
    import torch

    ids = torch.arange(16, device=model.device).reshape(2, 8) % model.config.vocab_size
    mask = torch.ones_like(ids)
    mask[1, 4:] = 0
    try:
        with torch.inference_mode():
            plain, bare = model(input_ids=ids, attention_mask=mask).logits, model(input_ids=ids).logits
            wide = model(input_ids=ids, attention_mask=mask.bool()[:, None, None, :]).logits
    except Exception:  # noqa: BLE001 - a model may do anything with a shape that it does not expect
        return False
    return bool((plain - wide).abs().max() <= 0.1 * (plain - bare).abs().max())


def _token_budget(model: Any, device: Any) -> int:
    """Return how many tokens to send per call of the model, including padding.

    On a GPU as many as keep it busy while the next call is sent, if they need at most half of its memory. How
    much of it is free does not matter, so that a run that is continued has the same batches.
    """
    if device.type != "cuda":
        return _TOKENS
    import torch

    half: int = torch.cuda.get_device_properties(device).total_memory // 2
    numbers = min(_NUMBERS_ON_GPU, half // _BYTES_PER_NUMBER)
    return max(numbers // int(getattr(model.config, "hidden_size", 768)), _TOKENS)


def open_hugging_face(rest: str, options: ModelOptions) -> HuggingFaceModel:
    """Open `hf:DIRECTORY`."""
    return HuggingFaceModel(check_folder(rest), f"hf:{rest}", options)


def find_folder(rest: str) -> Path:
    """Return the folder that a spec names; refuse one that has no safetensors."""
    folder = Path(rest)
    if not rest or not folder.is_dir():
        problem = "is not a folder; hf: reads only local folders"
        raise InputError.at(rest or "hf:", None, f"{problem}, such as save_pretrained writes")
    if not any(folder.glob("*.safetensors")):
        remedy = "give a folder that save_pretrained wrote"
        if any(path for pattern in _PICKLES for path in folder.glob(pattern)):
            convert = "convert with model.save_pretrained(folder, safe_serialization=True)"
            remedy = f"pickle files can run code; {convert}"
        raise InputError.at(folder, None, f"has no *.safetensors; {remedy}")
    return folder


def check_folder(rest: str) -> Path:
    """Return the folder that a spec names; refuse it too if the packages for it are not installed."""
    folder = find_folder(rest)
    with extra("hf"):
        import torch  # noqa: F401
        import transformers  # noqa: F401
    return folder


def load_folder(
    folder: Path,
    device: Any,
    described: str,
    find_class: Callable[[Any], Any],
    *,
    exact: bool = False,
    dtype: str | None = None,
) -> tuple[Any, Any]:
    """Return a model and its tokenizer; `find_class` picks from transformers the class to load it with.

    On a GPU the weights are rounded to 16 bits, unless they must be `exact` or `dtype` says otherwise.
    """
    import transformers

    chosen = dtype or ("bfloat16" if device.type == "cuda" and not exact else "float32")
    try:
        with _quiet(transformers.utils.logging):
            tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **LOCAL)
            model, report = find_class(transformers).from_pretrained(
                str(folder), **LOCAL, use_safetensors=True, dtype=chosen, output_loading_info=True
            )
    except Exception as error:  # noqa: BLE001 - a broken folder can fail in many ways
        problem = f"cannot be loaded as a {described} ({one_line(error)})"
        raise InputError.at(folder, None, problem) from None
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        problem = f"has no weights for {missing}; it is not a trained {described}"
        raise InputError.at(folder, None, problem)
    return model.to(device).eval(), tokenizer


@contextlib.contextmanager
def _quiet(bars: Any) -> Iterator[None]:
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()


def _classes(folder: Path, config: Any) -> tuple[str, ...]:
    if config.num_labels < 2 or config.problem_type in {"regression", "multi_label_classification"}:
        problem = f"{number_of(config.num_labels, 'label')}, problem_type {config.problem_type!r}"
        raise InputError.at(folder, None, f"does not choose one of several classes ({problem})")
    try:
        return class_names([label for _, label in sorted(config.id2label.items())])
    except OutputError as error:
        raise InputError.at(folder, None, str(error)) from None


def token_limit(model: Any, tokenizer: Any) -> int | None:
    """Return how many tokens the model can read, according to its tokenizer and its position embeddings."""
    limits = [tokenizer.model_max_length] if tokenizer.model_max_length < _UNLIMITED else []
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and hasattr(module, "num_embeddings"):
            # RoBERTa and related models count positions from the padding index on.
            unused = module.padding_idx + 1 if module.padding_idx is not None else 0
            limits.append(module.num_embeddings - unused)
    if not limits and isinstance(getattr(model.config, "max_position_embeddings", None), int):
        limits.append(model.config.max_position_embeddings)
    return min(limits, default=None)
