"""Twins for language models: the prompt explains the language, and shows the twins only by examples.

Every line, source or twin, gets the same prompt except for its last line. Twins are never defined: the model
has to learn each from `examples` one-function lines, as in the `primitive` condition. The other functions are
defined in words or, with definitions withheld, shown by as many examples.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from salva._arguments import check_whole
from salva._show import number_of
from salva.errors import UsageError
from salva.models import Answers, Model, Text, as_text
from salva.models.protocol import combined
from salva.twins.pair import TwinPair
from salva.twins.pcfg.language import interpret_lines
from salva.twins.pcfg.names import ALIASES, FUNCTIONS, TWINNED, function_name, twin_names, twin_words

DEFINITIONS = {
    "copy": "copy x: the symbols of x as they are",
    "reverse": "reverse x: the symbols of x from the last to the first",
    "shift": "shift x: the first symbol of x goes to the end",
    "swap_first_last": "swap_first_last x: the first and the last symbol of x change places",
    "repeat": "repeat x: the symbols of x twice over",
    "echo": "echo x: the last symbol of x once more at the end",
    "append": "append x , y: the symbols of x, then those of y",
    "prepend": "prepend x , y: the symbols of y, then those of x",
    "remove_first": "remove_first x , y: y alone",
    "remove_second": "remove_second x , y: x alone",
}
_TASK = (
    "Expressions in a small language turn sequences of symbols into others. A function stands before its "
    "arguments, and a comma between two of them; an argument is a sequence of symbols or another expression. "
    "Write the value of the last expression: its symbols with blanks between them, and nothing else."
)
_MARK = re.compile(r"^\W*(?:output|answer|value|result)\W*:\W*(\w.*)$", re.IGNORECASE | re.MULTILINE)
_ENDS = " \t\r\n*\"'`“”‘’«».,;"  # noqa: RUF001 - what models put around an answer


def extract(reply: str) -> str:
    r"""Return the answer contained in the reply of a language model.

    It is the text after the last "Output:" (or answer, value, result) that is followed by something, or else
    the first non-empty line; without quotes, asterisks and punctuation at its ends, and with single blanks.

    >>> extract("Let me see.\n**Output:** `A1 B2`\n"), extract("A1  B2\nbecause …"), extract(" \n")
    ('A1 B2', 'A1 B2', '')
    """
    marked = [text for match in _MARK.finditer(reply) if (text := match[1].strip(_ENDS))]
    lines = [text for line in reply.splitlines() if (text := line.strip(_ENDS))]
    return " ".join((marked[-1:] or lines[:1] or [""])[0].split())


def collect_symbols(pairs: Sequence[TwinPair], names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the symbols of the sources of pairs, sorted."""
    known = {*FUNCTIONS, *ALIASES, *twin_words(names), ","}
    return tuple(sorted({token for pair in pairs for token in pair.source.split()} - known))


def prompt_for(pairs: Sequence[TwinPair], names: Mapping[str, str] | None = None, **options: Any) -> Prompt:
    """Return the prompt that shows the twins in some pairs, under the names that they have there.

    Without `names`, these are taken from the pairs. Pairs that are not from PCFG SET are refused. `options`
    are passed to `Prompt`.

    >>> pair = TwinPair("copy A1 B2", "dax A1 B2", "A1 B2", "A1 B2", "copy", 0)
    >>> prompt_for([pair]).names
    {'copy': 'dax'}
    """
    kinds = {function_name(pair.kind.partition("/")[0]) for pair in pairs}
    strange = [kind for kind in kinds if kind not in FUNCTIONS]
    firsts = dict.fromkeys(pair.source.partition(" ")[0] for pair in pairs)
    strange += [name for name in firsts if function_name(name) not in FUNCTIONS]
    if strange or not pairs:
        problem = f"{strange[0]!r:.60} is not one of its functions" if any(strange) else "a pair has no kind"
        raise UsageError(f"the prompt explains PCFG SET and works only with its pairs; {problem}")
    functions = [*TWINNED, *(name for name in FUNCTIONS if name not in TWINNED)]
    shown = [function for function in functions if function in kinds]
    known = dict(names) if names else {function: _twin_in(pairs, function) for function in shown}
    written = {token for pair in pairs for token in pair.source.split()}
    aliases = [alias for alias in ALIASES if alias in written]
    return Prompt(collect_symbols(pairs, known), names=known, functions=shown, aliases=aliases, **options)


def _twin_in(pairs: Sequence[TwinPair], function: str) -> str:
    """Return the name of a function's twin: the word that occurs in all its twins, and in no source."""
    twins = [set(pair.twin.split()) for pair in pairs if function_name(pair.kind) == function]
    if not twins:  # only controls, in which no twin occurs
        return f"{function}_twin"
    plain = {token for pair in pairs for token in pair.source.split()}
    names = set.intersection(*twins) - plain - set(FUNCTIONS)
    if len(names) != 1:
        problem = f"the name of the twin of {function!r} cannot be inferred from the pairs"
        raise UsageError(f"{problem}; name the folder written by salva twins pair")
    return names.pop()


@dataclass(frozen=True)
class Prompt:
    """The prompt for a language model; `names` maps functions to the names of their twins.

    `aliases` are other names of functions that occur in the lines, and are explained as well.
    """

    symbols: Sequence[str]
    examples: int = 4
    definitions: bool = True
    names: Mapping[str, str] = field(default_factory=dict)
    functions: Collection[str] = TWINNED
    seed: int = 0
    aliases: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_whole("seed", self.seed)
        check_whole("examples", self.examples, 1, 1000)
        if len(self.symbols) < 2:
            raise UsageError(
                f"examples need at least two symbols, but there is {number_of(len(self.symbols), 'symbol')}"
            )

    def of(self, line: str) -> str:
        """Return the prompt for a line."""
        return f"{self.preamble}\nInput: {line}\nOutput:"

    @cached_property
    def preamble(self) -> str:
        """The part of the prompt before the line."""
        parts = [_TASK]
        if self.definitions:
            also = (DEFINITIONS[ALIASES[name]].replace(ALIASES[name], name) for name in self.aliases)
            parts += ["\nFunctions:", *(f"- {text}" for text in (*DEFINITIONS.values(), *also))]
        lines = list(self._lines())
        values = interpret_lines(lines, twins=self.names or None, alphabet=self.symbols)
        parts += ["\nExamples:"]
        parts += [f"Input: {line}\nOutput: {value}" for line, value in zip(lines, values, strict=True)]
        return "\n".join(parts)

    def _lines(self) -> Iterator[str]:
        """Yield one-function lines of every twin and, if definitions are withheld, of every function."""
        twins = twin_names(self.names)
        shown = [(twins[function], FUNCTIONS[function]) for function in self.functions]
        if not self.definitions:
            shown += [*FUNCTIONS.items(), *((name, FUNCTIONS[ALIASES[name]]) for name in self.aliases)]
        draw = np.random.Generator(np.random.Philox(self.seed))
        lines = [self._line(name, arity, draw) for _ in range(self.examples) for name, arity in shown]
        yield from (lines[k] for k in draw.permutation(len(lines)))

    def _line(self, name: str, arity: int, draw: np.random.Generator) -> str:
        sizes = draw.integers(2, min(5, len(self.symbols)), size=arity, endpoint=True)
        strings = (draw.choice(np.array(self.symbols), size=size, replace=False) for size in sizes)
        return f"{name} {' , '.join(' '.join(string) for string in strings)}"


class InContext:
    """A language model that gets the prompt for each line; only the answer in its reply is kept."""

    def __init__(self, model: Model, prompt: Prompt) -> None:
        definitions = "given" if prompt.definitions else "withheld"
        self.name = f"{model.name} in context ({prompt.examples} examples, definitions {definitions})"
        self.digest = combined("in context", model.digest, prompt.of("{line}"))
        self.classes: tuple[str, ...] | None = None
        self.batch_size = model.batch_size
        self._model, self._prompt = model, prompt

    def predict(self, texts: list[Text]) -> Answers:
        """Return the answers contained in the replies."""
        prompts = [self._prompt.of(as_text(text, " ")) for text in texts]
        replies = self._model.predict(list(prompts))
        return Answers.of(
            [None if reply is None else extract(reply) for reply in replies.labels],
            statuses=replies.statuses,
            errors=replies.errors,
            cut=replies.cut,
        )

    def close(self) -> None:
        """Close the model."""
        self._model.close()
