"""Twins: PCFG SET and its substitutivity test, lines and texts that mean the same, and their scores."""

from __future__ import annotations

from salva.twins.conditions import CONDITIONS, Condition, make_conditions
from salva.twins.generator import Corpus, generate, generate_lines
from salva.twins.interpreter import LineMeasures, interpret, interpret_lines, measure_lines
from salva.twins.language import (
    FUNCTIONS,
    NONCE_NAMES,
    TWINNED,
    Call,
    LineError,
    Measures,
    Tree,
    measures,
    parse,
    print_tree,
    twin_names,
)
from salva.twins.making import PairFolder, pair_file
from salva.twins.pairing import (
    CONTROLS,
    TwinPair,
    make_controls,
    make_pairs,
    shuffle_pairs,
    write_pairs,
)
from salva.twins.reading import read_pairs

__all__ = [
    "CONDITIONS",
    "CONTROLS",
    "FUNCTIONS",
    "NONCE_NAMES",
    "TWINNED",
    "Call",
    "Condition",
    "Corpus",
    "LineError",
    "LineMeasures",
    "Measures",
    "PairFolder",
    "Tree",
    "TwinPair",
    "generate",
    "generate_lines",
    "interpret",
    "interpret_lines",
    "make_conditions",
    "make_controls",
    "make_pairs",
    "measure_lines",
    "measures",
    "pair_file",
    "parse",
    "print_tree",
    "read_pairs",
    "shuffle_pairs",
    "twin_names",
    "write_pairs",
]
