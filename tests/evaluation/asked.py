"""Models whose answers to four options are known: they are asked about the answer of item n."""

from __future__ import annotations

import hashlib
import json
import os
import re

WORDS = ("alpha", "beta", "gamma", "delta")
ROWS = [
    {
        "question": f"Which word do people usually believe belongs to number {n}, my good friend?",
        "choices": json.dumps(WORDS),
        "answer": "ABCD"[n % 4],
        "other": f"Say what goes with number {n}, please?" if n % 2 else None,
    }
    for n in range(16)
]
PROMPTS = {
    "terse": "{question}\n{options}\nLetter:",
    "chatty": {
        "messages": [
            {"role": "system", "content": "You are helpful."},
            {"role": "user", "content": "{question}\n\n{options}"},
        ]
    },
}


def text_of(prompt) -> str:
    return prompt if isinstance(prompt, str) else prompt[-1]["content"]


def letters_of(prompt) -> dict[str, str]:
    """Return the letter that is shown before each option."""
    return {text: letter for letter, text in re.findall(r"^(\w)\. (\w+)$", text_of(prompt), re.MULTILINE)}


def follow_content(prompts):
    """Give the letter of the right option, wherever that is."""
    numbers = [int(re.search(r"number (\d+)", text_of(prompt))[1]) for prompt in prompts]
    return [letters_of(p)[WORDS[n % 4]] for p, n in zip(prompts, numbers, strict=True)]


def always_a(prompts):
    """Give the first letter, whatever is there."""
    return ["A"] * len(prompts)


def write_log(prompts):
    """Give a letter that depends on the whole prompt alone, and note every prompt."""
    shown = [json.dumps(prompt) for prompt in prompts]
    log = os.environ.get("SALVA_TEST_LOG")
    if log:
        with open(log, "a", encoding="utf-8") as stream:  # noqa: PTH123
            stream.writelines(f"{text}\n" for text in shown)
    return ["ABCD"[hashlib.sha256(text.encode()).digest()[0] % 4] for text in shown]
