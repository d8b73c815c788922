"""Twins: PCFG SET and its substitutivity test, and pairs of lines or texts with the same meaning."""

from __future__ import annotations

from salva.twins.natural.pairing import natural_pairs, transform_pairs
from salva.twins.natural.synonyms import Synonym, read_synonyms
from salva.twins.pair import TwinPair
from salva.twins.pcfg.conditions import make_conditions
from salva.twins.pcfg.generator import generate, generate_lines
from salva.twins.pcfg.language import (
    LineError,
    interpret,
    interpret_lines,
    measures,
    parse,
    print_tree,
)
from salva.twins.pcfg.names import FUNCTIONS
from salva.twins.pcfg.pairing import make_controls, make_pairs, read_pairs, shuffle_pairs, write_pairs

__all__ = [
    "FUNCTIONS",
    "LineError",
    "Synonym",
    "TwinPair",
    "generate",
    "generate_lines",
    "interpret",
    "interpret_lines",
    "make_conditions",
    "make_controls",
    "make_pairs",
    "measures",
    "natural_pairs",
    "parse",
    "print_tree",
    "read_pairs",
    "read_synonyms",
    "shuffle_pairs",
    "transform_pairs",
    "write_pairs",
]
