"""An interpreter of PCFG SET that is a few slices of lists and a recursion: obviously right, and slow."""

from __future__ import annotations

UNARY = {
    "copy": lambda x: x,
    "reverse": lambda x: x[::-1],
    "shift": lambda x: x[1:] + x[:1],
    "swap_first_last": lambda x: x if len(x) < 2 else [x[-1], *x[1:-1], x[0]],
    "repeat": lambda x: x + x,
    "echo": lambda x: x + x[-1:],
}
BINARY = {
    "append": lambda x, y: x + y,
    "prepend": lambda x, y: y + x,
    "remove_first": lambda x, y: y,
    "remove_second": lambda x, y: x,
}
UNARY |= {f"{name}_twin": function for name, function in UNARY.items()}
BINARY |= {f"{name}_twin": function for name, function in BINARY.items()}


def interpret(line: str) -> str:
    value, rest = argument(line.split(" "))
    assert not rest
    return " ".join(value)


def argument(tokens: list[str]) -> tuple[list[str], list[str]]:
    """Return the value of the argument that the tokens begin with, and the tokens after it."""
    head = tokens[0]
    if head in UNARY:
        value, rest = argument(tokens[1:])
        return UNARY[head](value), rest
    if head in BINARY:
        first, rest = argument(tokens[1:])
        assert rest[0] == ","
        second, rest = argument(rest[1:])
        return BINARY[head](first, second), rest
    size = 0
    while size < len(tokens) and tokens[size] != ",":
        size += 1
    return tokens[:size], tokens[size:]
