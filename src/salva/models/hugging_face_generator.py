"""`hf:DIRECTORY` for models that write: encoder-decoder or causal ones, which decode greedily.

A causal model is padded on the left, or after the beginning that all prompts share, which it reads once. If
its tokenizer has a chat template, it gets the text as a message of the user, unless options say otherwise.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from salva._torch import find_device, inference
from salva.models.hugging_face import LOCAL, load_folder, token_limit
from salva.models.memory import token_room
from salva.models.options import ModelOptions
from salva.models.prefixes import SharedPrefix
from salva.models.prompts import Prompt
from salva.models.protocol import ANSWERED, TRUNCATED, Answers, Status, Text, as_text, combined, of_folder

# Per call of the model, including padding and what it writes. A step of a small model takes a GPU as long for
# two thousand texts as for two hundred.
_TOKENS = {"cpu": 8_192, "cuda": 1_048_576}
_TEXTS = {"cpu": 1_024, "cuda": 2_048}


class HuggingFaceGenerator:
    """A model that writes; a reply without an end is truncated, and `cut` marks texts that are too long."""

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self.name = name
        self.classes: tuple[str, ...] | None = None
        self._device = find_device(options.device)
        self.batch_size = options.batch_size or _TEXTS.get(self._device.type, _TEXTS["cpu"])
        self._model, self._tokenizer = load_folder(
            folder,
            self._device,
            "model that writes text",
            lambda: _generator_class(folder),
            dtype=options.dtype,
        )
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token or self._tokenizer.unk_token
        self._settings = _decoding(self._model, self._tokenizer, options.max_new_tokens)
        ends = self._settings.eos_token_id
        self._ends = ends if isinstance(ends, list) else [] if ends is None else [ends]
        self._causal = not self._model.config.is_encoder_decoder
        self._chat = self._causal and uses_chat(self._tokenizer, options)
        self._room = token_room(self._model)
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
            *(() if options.chat_template else ("plain",)),
        )

    def predict(self, texts: list[Text]) -> Answers:
        """Return what the model writes in reply to, or as a continuation of, each text."""
        prompts = [as_asked(self._tokenizer, text, chat=self._chat) for text in texts]
        # A template adds its own special tokens.
        rows = self._tokenizer(prompts, add_special_tokens=not self._chat, verbose=False)["input_ids"]
        fitting = [row if self._limit is None else row[-self._limit :] for row in rows]
        written = [""] * len(texts)
        statuses: list[Status] = [ANSWERED] * len(texts)
        cut = [len(short) < len(row) for short, row in zip(fitting, rows, strict=True)]
        shared = SharedPrefix(self._model, [row for row in fitting if row]) if self._causal else None
        for batch in self._batches(fitting):
            some = [fitting[i] for i in batch]
            replies, ended = self._written(some) if shared is None else self._continued(some, shared)
            for place, text, whole in zip(batch, replies, ended, strict=True):
                written[place], statuses[place] = text, ANSWERED if whole else TRUNCATED
        return Answers.of(written, statuses=statuses, cut=cut)

    def close(self) -> None:
        """Do nothing: the weights are freed with the model."""

    def _batches(self, rows: list[list[int]]) -> Iterator[list[int]]:
        """Yield positions of texts of similar length, longest first; a text without a token is not sent."""
        budget, most = _TOKENS.get(self._device.type, _TOKENS["cpu"]), self._settings.max_new_tokens
        budget = budget if self._room is None else min(budget, self._room)
        order = sorted((i for i, row in enumerate(rows) if row), key=lambda i: -len(rows[i]))
        while order:
            size = max(budget // (len(rows[order[0]]) + most), 1)
            yield order[:size]
            order = order[size:]

    def _continued(self, rows: list[list[int]], shared: SharedPrefix) -> tuple[list[str], list[bool]]:
        """Return what a causal model writes after some rows of tokens, and whether it reached its end."""
        padded = shared.pad(rows, self._tokenizer.pad_token_id or 0)
        cache = {} if padded.cache is None else {"past_key_values": padded.cache}
        return self._generate(padded.ids, padded.mask, padded.ids.shape[1], cache)

    def _written(self, rows: list[list[int]]) -> tuple[list[str], list[bool]]:
        """Return what a decoder writes about some rows of tokens; it begins with a start token."""
        inputs = self._tokenizer.pad({"input_ids": rows}, padding_side="right", return_tensors="pt")
        ids, mask = (inputs[name].to(self._device) for name in ("input_ids", "attention_mask"))
        return self._generate(ids, mask, 1, {})

    def _generate(
        self, ids: Any, mask: Any, start: int, cache: dict[str, Any]
    ) -> tuple[list[str], list[bool]]:
        import torch

        with inference():
            out = self._model.generate(
                input_ids=ids, attention_mask=mask, generation_config=self._settings, **cache
            )
        new = out[:, start:]
        ended = torch.isin(new, torch.tensor(self._ends, dtype=new.dtype, device=new.device)).any(dim=1)
        written = self._tokenizer.batch_decode(
            new, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return written, ended.tolist()


def uses_chat(tokenizer: Any, options: ModelOptions) -> bool:
    """Return whether a causal model gets its texts in a chat template."""
    return options.chat_template and tokenizer.chat_template is not None


def as_asked(tokenizer: Any, text: Text, *, chat: bool) -> str:
    """Return a text as a model gets it, in the chat template of its tokenizer or as it is."""
    plain = as_text(text)
    if not chat:
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
