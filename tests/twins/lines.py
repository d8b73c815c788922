"""One-function lines over 26 symbols, made by hand for tests of the reference model."""

from __future__ import annotations

import random
import string

from salva.twins.pcfg.language import interpret_lines
from salva.twins.pcfg.names import FUNCTIONS

LETTERS = tuple(string.ascii_uppercase)


def one_function_lines(count: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return distinct lines with strings of 2 to 5 symbols, and their values."""
    draw, lines = random.Random(seed), {}
    while len(lines) < count:
        name = draw.choice(list(FUNCTIONS))
        strings = (" ".join(draw.choices(LETTERS, k=draw.randint(2, 5))) for _ in range(FUNCTIONS[name]))
        lines[f"{name} {' , '.join(strings)}"] = None
    return list(lines), interpret_lines(list(lines), alphabet=LETTERS)
