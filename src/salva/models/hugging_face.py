"""`hf:DIRECTORY`: a model of transformers from a local folder: a sequence classifier, or a model that writes.

Only safetensors are read, and no code from the folder is run. `predict` receives many texts at once and forms
batches of similar length: a batch is as slow as its longest text, and 32 reviews always include a long one.
Models that write are encoder-decoder or causal, and decode greedily. A causal model is padded on the left; if
its tokenizer has a chat template, it gets the text as a message of the user.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from salva._show import number_of
from salva._torch import find_device
from salva._types import Floats
from salva.errors import InputError, extra
from salva.models.options import ModelOptions
from salva.models.outputs import OutputError, class_names, matrix_answers
from salva.models.protocol import Answers, Text, combined, of_folder, one_line
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
_WRITING_TOKENS = {"cpu": 8_192, "cuda": 131_072}  # the same, including what the model writes
_LOCAL = {"local_files_only": True, "trust_remote_code": False}
_PICKLES = ("*.bin", "*.pt", "*.pkl", "*.ckpt")
_UNLIMITED = 1_000_000  # a tokenizer without a limit reports far more than this


class HuggingFaceModel:
    """A sequence classifier; `truncated` marks the texts that are longer than it can read."""

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self.name = name
        self.batch_size = options.batch_size or 1024
        self._device = find_device(options.device)
        self._model, self._tokenizer = load_folder(
            folder, self._device, "sequence classifier", _classifier_class
        )
        self.classes: tuple[str, ...] | None = _classes(folder, self._model.config)
        self._limit = token_limit(self._model, self._tokenizer)
        self._pad = self._tokenizer.pad_token_id
        if self._tokenizer.is_fast:
            set_limit(self._tokenizer.backend_tokenizer, self._limit, self._tokenizer.truncation_side)
        self.digest = combined("hf", of_folder(folder), str(self._model.dtype), self._limit, options.model_id)

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

        tables = {"input_ids": padded([text.ids for text in tokens], self._pad or 0)}
        if "token_type_ids" in self._tokenizer.model_input_names:
            tables["token_type_ids"] = padded([text.types for text in tokens], 0)
        if len(tokens[-1].ids) < len(tokens[0].ids):  # attention is faster without a mask
            tables["attention_mask"] = padded([[1] * len(text.ids) for text in tokens], 0)
        return {name: torch.from_numpy(table).to(self._device) for name, table in tables.items()}


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
        raise InputError.at(folder, None, _no_weights(folder))
    return folder


def check_folder(rest: str) -> Path:
    """Return the folder that a spec names; refuse it too if the packages for it are not installed."""
    folder = find_folder(rest)
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


def load_folder(
    folder: Path, device: Any, described: str, find_class: Callable[[], Any], *, exact: bool = False
) -> tuple[Any, Any]:
    """Return a model and its tokenizer; `find_class` returns the class of transformers to load it with.

    On a GPU the weights are rounded to 16 bits, unless they must be `exact`.
    """
    import torch
    from transformers import AutoTokenizer

    dtype = torch.bfloat16 if device.type == "cuda" and not exact else torch.float32
    try:
        with _quiet_loading():
            tokenizer = AutoTokenizer.from_pretrained(str(folder), **_LOCAL)
            model, report = find_class().from_pretrained(
                str(folder), **_LOCAL, use_safetensors=True, dtype=dtype, output_loading_info=True
            )
    except Exception as error:  # noqa: BLE001 - a broken folder can fail in many ways
        problem = f"cannot be loaded as a {described} ({one_line(error)})"
        raise InputError.at(folder, None, problem) from None
    if report["missing_keys"]:
        missing = ", ".join(sorted(report["missing_keys"])[:3])
        problem = f"has no weights for {missing}; it is not a trained {described}"
        raise InputError.at(folder, None, problem)
    return model.to(device).eval(), tokenizer


def _classifier_class() -> Any:
    from transformers import AutoModelForSequenceClassification

    return AutoModelForSequenceClassification


@contextlib.contextmanager
def _quiet_loading() -> Iterator[None]:
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


class HuggingFaceGenerator:
    """A model that writes; `truncated` marks texts it cannot read to the end and answers cut off."""

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self.name = name
        self.classes: tuple[str, ...] | None = None
        self.batch_size = options.batch_size or 1024
        self._device = find_device(options.device)
        self._model, self._tokenizer = load_folder(
            folder, self._device, "model that writes text", lambda: _generator_class(folder)
        )
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token or self._tokenizer.unk_token
        self._settings = _decoding(self._model, self._tokenizer, options.max_new_tokens)
        ends = self._settings.eos_token_id
        self._ends = ends if isinstance(ends, list) else [] if ends is None else [ends]
        self._causal = not self._model.config.is_encoder_decoder
        self._limit = _reading_limit(
            self._model, self._tokenizer, options.max_new_tokens if self._causal else 0
        )
        self.digest = combined(
            "hf",
            "generate",
            of_folder(folder),
            str(self._model.dtype),
            options.max_new_tokens,
            options.model_id,
        )

    def predict(self, texts: list[Text]) -> Answers:
        """Return what the model writes in reply to, or as a continuation of, each text."""
        prompts = [self._prompt(text) for text in texts]
        special = self._tokenizer.chat_template is None  # a template adds its own
        rows = self._tokenizer(prompts, add_special_tokens=special)["input_ids"]
        fitting = [row if self._limit is None else row[-self._limit :] for row in rows]
        written = [""] * len(texts)
        cut = [len(short) < len(row) for short, row in zip(fitting, rows, strict=True)]
        for batch in self._batches(fitting):
            replies, ended = self._written([fitting[i] for i in batch])
            for place, text, whole in zip(batch, replies, ended, strict=True):
                written[place] = text
                cut[place] |= not whole
        return Answers.of(written, truncated=cut)

    def close(self) -> None:
        """Do nothing: the weights are freed with the model."""

    def _batches(self, rows: list[list[int]]) -> Iterator[list[int]]:
        """Yield positions of texts of similar length, longest first; a text without a token is not sent."""
        budget, most = (
            _WRITING_TOKENS.get(self._device.type, _WRITING_TOKENS["cpu"]),
            self._settings.max_new_tokens,
        )
        order = sorted((i for i, row in enumerate(rows) if row), key=lambda i: -len(rows[i]))
        while order:
            size = max(budget // (len(rows[order[0]]) + most), 1)
            yield order[:size]
            order = order[size:]

    def _prompt(self, text: Text) -> str:
        plain = text if isinstance(text, str) else "\n".join(text)
        if not self._causal or self._tokenizer.chat_template is None:
            return plain
        message = [{"role": "user", "content": plain}]
        asked: str = self._tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
        return asked

    def _written(self, rows: list[list[int]]) -> tuple[list[str], list[bool]]:
        """Return what the model writes for some rows of tokens, and whether it reached its end."""
        import torch

        side = "left" if self._causal else "right"
        inputs = self._tokenizer.pad({"input_ids": rows}, padding_side=side, return_tensors="pt").to(
            self._device
        )
        tables = {"input_ids": inputs["input_ids"], "attention_mask": inputs["attention_mask"]}
        with torch.inference_mode():
            out = self._model.generate(**tables, generation_config=self._settings)
        start = tables["input_ids"].shape[1] if self._causal else 1  # a decoder begins with a start token
        new = out[:, start:]
        ended = torch.isin(new, torch.tensor(self._ends, dtype=new.dtype, device=new.device)).any(dim=1)
        return self._tokenizer.batch_decode(new, skip_special_tokens=True), ended.tolist()


def open_hugging_face_generator(rest: str, options: ModelOptions) -> HuggingFaceGenerator:
    """Open `hf:DIRECTORY` as a model that writes."""
    return HuggingFaceGenerator(check_folder(rest), f"hf:{rest}", options)


def _generator_class(folder: Path) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    both = AutoConfig.from_pretrained(str(folder), **_LOCAL).is_encoder_decoder
    return AutoModelForSeq2SeqLM if both else AutoModelForCausalLM


def _decoding(model: Any, tokenizer: Any, most: int) -> Any:
    """Return how to decode: always the most likely token, up to the end token, whatever the folder says."""
    settings = copy.deepcopy(model.generation_config)
    changes = {"do_sample": False, "num_beams": 1, "max_length": None, "max_new_tokens": most}
    unused = dict.fromkeys(("temperature", "top_p", "top_k", "min_p", "typical_p"))
    for name, value in (changes | unused | {"pad_token_id": tokenizer.pad_token_id}).items():
        setattr(settings, name, value)
    return settings


def _reading_limit(model: Any, tokenizer: Any, reserved: int) -> int | None:
    """Return how many tokens of a text can be read, leaving room for what a causal model writes."""
    limit = token_limit(model, tokenizer)
    return None if limit is None else max(limit - reserved, 1)
