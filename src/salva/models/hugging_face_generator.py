"""`hf:DIRECTORY` for models that write: encoder-decoder or causal ones, which decode greedily.

A causal model is padded on the left. If its tokenizer has a chat template, it gets the text as a message of
the user.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from salva._torch import find_device
from salva.models.hugging_face import LOCAL, load_folder, token_limit
from salva.models.options import ModelOptions
from salva.models.prompts import Prompt
from salva.models.protocol import Answers, Text, as_text, combined, of_folder

_TOKENS = {"cpu": 8_192, "cuda": 131_072}  # per call of the model, including padding and what it writes


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
            _TOKENS.get(self._device.type, _TOKENS["cpu"]),
            self._settings.max_new_tokens,
        )
        order = sorted((i for i, row in enumerate(rows) if row), key=lambda i: -len(rows[i]))
        while order:
            size = max(budget // (len(rows[order[0]]) + most), 1)
            yield order[:size]
            order = order[size:]

    def _prompt(self, text: Text) -> str:
        return as_chat(self._tokenizer, text) if self._causal else as_text(text)

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


def as_chat(tokenizer: Any, text: Text) -> str:
    """Return a text as a causal model gets it: in the chat template of its tokenizer, if it has one."""
    plain = as_text(text)
    if tokenizer.chat_template is None:
        return plain
    message = text.dicts if isinstance(text, Prompt) else [{"role": "user", "content": plain}]
    asked: str = tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True)
    return asked


def _generator_class(folder: Path) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    both = AutoConfig.from_pretrained(str(folder), **LOCAL).is_encoder_decoder
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
