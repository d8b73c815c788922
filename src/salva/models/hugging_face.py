"""`hf:DIRECTORY`: a sequence classifier of transformers, loaded from a local folder only.

Only safetensors are read, and no code from the folder is run. `predict` receives many texts at once and forms
batches of similar length: a batch is as slow as its longest text, and 32 reviews always include a long one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from salva._show import number_of
from salva._torch import find_device
from salva._types import Floats
from salva.errors import InputError
from salva.models.answers import Answers, one_line
from salva.models.digests import combined, of_files
from salva.models.extras import extra
from salva.models.options import ModelOptions
from salva.models.outputs import OutputError, class_names, matrix_answers
from salva.models.protocol import Text
from salva.models.tokens import (
    Tokens,
    length_batches,
    padded,
    set_limit,
    slow_tokens_of,
    tokens_of,
    with_tokens,
)

_TOKENS = {"cpu": 4_096, "cuda": 131_072}  # per call of the model, including padding
_PICKLES = ("*.bin", "*.pt", "*.pkl", "*.ckpt")
_UNLIMITED = 1_000_000  # a tokenizer without a limit reports far more than this


class HuggingFaceModel:
    """A sequence classifier; `truncated` marks the texts that are longer than it can read."""

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self.name = name
        self.batch_size = options.batch_size or 1024
        self._device = find_device(options.device)
        self._model, self._tokenizer = _loaded(folder, self._device)
        self.classes: tuple[str, ...] | None = _classes(folder, self._model.config)
        self._limit = token_limit(self._model, self._tokenizer)
        self._pad = self._tokenizer.pad_token_id
        if self._tokenizer.is_fast:
            set_limit(self._tokenizer.backend_tokenizer, self._limit, self._tokenizer.truncation_side)
        files = [path for path in folder.iterdir() if path.is_file() and not path.name.startswith(".")]
        self.digest = combined("hf", of_files(files), str(self._model.dtype), self._limit, options.model_id)

    def predict(self, texts: list[Text]) -> Answers:
        """Return the most likely class of each text."""
        tokens = self._tokens(texts)
        return with_tokens(matrix_answers(self._probabilities(tokens), self.classes), tokens)

    def close(self) -> None:
        """Do nothing: the weights are freed with the model."""

    def _tokens(self, texts: list[Text]) -> list[Tokens]:
        if self._tokenizer.is_fast:
            return tokens_of(self._tokenizer.backend_tokenizer, texts)
        return slow_tokens_of(self._tokenizer, texts, self._limit)

    def _probabilities(self, tokens: list[Tokens]) -> Floats:
        import torch

        # A model without a padding token gets one text at a time.
        budget = _TOKENS.get(self._device.type, _TOKENS["cpu"]) if self._pad is not None else 1
        out = torch.full((len(tokens), len(self.classes or ())), torch.nan, device=self._device)
        with torch.inference_mode():
            for batch in length_batches(tokens, budget):
                scores = self._model(**self._inputs([tokens[i] for i in batch])).logits
                out[torch.from_numpy(batch).to(self._device)] = torch.softmax(scores.float(), dim=-1)
        return out.cpu().numpy().astype(np.float64)

    def _inputs(self, tokens: list[Tokens]) -> dict[str, Any]:
        import torch

        tables = {"input_ids": padded([one.ids for one in tokens], self._pad or 0)}
        if "token_type_ids" in self._tokenizer.model_input_names:
            tables["token_type_ids"] = padded([one.types for one in tokens], 0)
        if len(tokens[-1].ids) < len(tokens[0].ids):  # attention is faster without a mask
            tables["attention_mask"] = padded([[1] * len(one.ids) for one in tokens], 0)
        return {name: torch.from_numpy(table).to(self._device) for name, table in tables.items()}


def open_hugging_face(rest: str, options: ModelOptions) -> HuggingFaceModel:
    """Open `hf:DIRECTORY`."""
    return HuggingFaceModel(check_folder(rest), f"hf:{rest}", options)


def check_folder(rest: str) -> Path:
    """Return the folder of a transformers model; refuse anything else."""
    folder = Path(rest)
    if not rest or not folder.is_dir():
        problem = "is not a folder; hf: reads only local folders"
        raise InputError.at(rest or "hf:", None, f"{problem}, such as save_pretrained writes")
    if not any(folder.glob("*.safetensors")):
        raise InputError.at(folder, None, _no_weights(folder))
    with extra("hf"):
        import torch  # noqa: F401
        import transformers  # noqa: F401
    return folder


def _no_weights(folder: Path) -> str:
    if any(path for pattern in _PICKLES for path in folder.glob(pattern)):
        return (
            "has no *.safetensors; pickle files can run code; "
            "convert with model.save_pretrained(folder, safe_serialization=True)"
        )
    return "has no *.safetensors; give a folder that save_pretrained wrote"


def _loaded(folder: Path, device: Any) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    local = {"local_files_only": True, "trust_remote_code": False}
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    try:
        with quiet_loading():
            tokenizer = AutoTokenizer.from_pretrained(str(folder), **local)
            model, report = AutoModelForSequenceClassification.from_pretrained(
                str(folder), **local, use_safetensors=True, dtype=dtype, output_loading_info=True
            )
    except Exception as error:  # noqa: BLE001 - a broken folder can fail in many ways
        problem = f"cannot be loaded as a sequence classifier ({one_line(error)})"
        raise InputError.at(folder, None, problem) from None
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        problem = f"has no weights for {missing}; it is not a trained sequence classifier"
        raise InputError.at(folder, None, problem)
    return model.to(device).eval(), tokenizer


@contextlib.contextmanager
def quiet_loading() -> Iterator[None]:
    """Load without progress bars."""
    from transformers.utils import logging

    bars: Any = logging
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
