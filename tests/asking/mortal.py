"""A model whose process is killed: once, while a file is not there yet, and always on some texts."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def classify(texts):
    mark = Path(os.environ["SALVA_TEST_MARK"])
    first = not mark.exists()
    if first:
        mark.touch()
    if first or any("deadly" in text for text in texts):
        os.kill(os.getpid(), signal.SIGKILL)
    return ["positive" if "good" in text else "negative" for text in texts]
