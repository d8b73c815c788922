"""A model for tests: praise wins over blame by single words; every text it is asked about is counted."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from salva.models import text_id

PRAISE = {"good", "great", "best", "wonderful", "excellent", "loved", "lovely", "perfect", "fine"}


def classify(texts):
    """Tell praise from blame.

    Where `SALVA_TEST_LOG` names a file, add one line per text to it, and take `SALVA_TEST_PAUSE` seconds.
    """
    if log := os.environ.get("SALVA_TEST_LOG"):
        with Path(log).open("a") as stream:
            stream.writelines(f"{text_id(text).hex()}\n" for text in texts)
        time.sleep(float(os.environ.get("SALVA_TEST_PAUSE", "0.02")))
    return ["positive" if PRAISE & set(re.findall("[a-z]+", text.lower())) else "negative" for text in texts]


def reply(prompts):
    """Reply to prompts about texts with a sentence, to some without an answer."""
    answers = zip(classify(prompts), prompts, strict=True)
    return ["Hard to say" if len(prompt) % 9 == 0 else f"It is {answer}." for answer, prompt in answers]


def balance(labels, answers):
    """Return a metric: the share of positive answers less the share of positive labels."""
    return (answers.count("positive") - labels.count("positive")) / len(labels)
