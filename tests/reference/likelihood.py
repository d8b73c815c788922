"""The log-probability of a text, one token after the other; `salva.models.likelihood` does all at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any


def log_probability(folder: Path, text: str) -> float:
    """Return the log-probability of a text after the token that begins one."""
    import torch

    model, tokenizer = load(folder)
    seen, total = [tokenizer.bos_token_id], 0.0
    with torch.no_grad():
        for token in tokenizer(text, add_special_tokens=False)["input_ids"]:
            logits = model(input_ids=torch.tensor([seen])).logits[0, -1]
            total += float(torch.log_softmax(logits.double(), dim=-1)[token])
            seen.append(token)
    return total


@cache
def load(folder: Path) -> tuple[Any, Any]:
    """Return a causal model and its tokenizer."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
