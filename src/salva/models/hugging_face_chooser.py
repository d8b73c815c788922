"""`hf:DIRECTORY` for causal models that choose: the option of a prompt that they find most likely.

The weights are not rounded, also on a GPU, unless the user says so: options are often close.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from salva._torch import find_device
from salva.models.hugging_face import causal_class, check_folder, load_folder, token_limit
from salva.models.hugging_face_generator import HuggingFaceGenerator, as_asked, uses_chat
from salva.models.option_scores import Choice, OptionScorer
from salva.models.options import PER_CHARACTER, REPLY, ModelOptions
from salva.models.prompts import Prompt
from salva.models.protocol import Answers, Text, combined, of_folder

_USUAL = "torch.float32"


class HuggingFaceChooser:
    """A causal model that gives every prompt its most likely option; `cut` marks prompts that are too long.

    The probability is that among the options. If they are compared per character, long ones have no
    disadvantage.
    """

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self.name = name
        self.classes: tuple[str, ...] | None = None
        self.batch_size = options.batch_size or 1024
        self._per_character = options.choose_by == PER_CHARACTER
        model, self._tokenizer = load_folder(
            folder,
            find_device(options.device),
            "causal language model",
            causal_class,
            exact=True,
            dtype=options.dtype,
        )
        self._chat = uses_chat(self._tokenizer, options)
        self._scorer = OptionScorer(model, self._tokenizer, token_limit(model, self._tokenizer))
        extras = [] if options.chat_template else ["plain"]
        if str(model.dtype) != _USUAL:
            extras.append(str(model.dtype))
        self.digest = combined("hf", options.choose_by, of_folder(folder), options.model_id, *extras)

    def predict(self, texts: list[Text]) -> Answers:
        """Return the most likely option of each prompt."""
        choices = self._choices(texts)
        asked = [place for place, choice in enumerate(choices) if isinstance(choice, Choice)]
        scores = self._scorer.score([choice for choice in choices if isinstance(choice, Choice)])
        labels: list[str | None] = [None] * len(texts)
        probabilities: list[float | None] = [None] * len(texts)
        for place, own in zip(asked, scores, strict=True):
            labels[place], probabilities[place] = self._best(texts[place], np.array(own))
        cut = [isinstance(choice, Choice) and choice.cut for choice in choices]
        errors = [choice if isinstance(choice, str) else None for choice in choices]
        return Answers.of(labels, probabilities=probabilities, errors=errors, cut=cut)

    def close(self) -> None:
        """Do nothing: the weights are freed with the model."""

    def _choices(self, texts: list[Text]) -> list[Choice | str]:
        """Return the prompts and their options as tokens, or why they cannot be compared."""
        prompts = [text for text in texts if isinstance(text, Prompt) and len(text.options) > 1]
        encoded = iter(self._scorer.encode(list(map(self._asked, prompts)), special=not self._chat))
        choices: list[Choice | str] = []
        for text in texts:
            if not isinstance(text, Prompt) or len(text.options) < 2:
                choices.append("there are no options to compare; choose by the reply")
                continue
            choice = next(encoded)
            whole = all(choice.replies)
            choices.append(choice if whole else "the tokenizer finds no token in an option")
        return choices

    def _asked(self, prompt: Prompt) -> tuple[str, list[str]]:
        """Return a prompt and its options as texts that follow it."""
        asked = as_asked(self._tokenizer, prompt, chat=self._chat)
        gap = "" if self._chat or asked[-1:].isspace() else " "
        return asked, [gap + option for option in prompt.options]

    def _best(self, text: Text, scores: Any) -> tuple[str, float]:
        options = text.options if isinstance(text, Prompt) else ()
        if self._per_character:
            scores = scores / np.array([max(len(option), 1) for option in options])
        shares = np.exp(scores - scores.max())
        best = int(np.argmax(scores))
        return options[best], float(shares[best] / shares.sum())


def open_hugging_face_text(rest: str, options: ModelOptions) -> HuggingFaceGenerator | HuggingFaceChooser:
    """Open `hf:DIRECTORY` as a model that writes, or that chooses."""
    kind = HuggingFaceGenerator if options.choose_by == REPLY else HuggingFaceChooser
    return kind(check_folder(rest), f"hf:{rest}", options)
