"""Twins: PCFG SET and its substitutivity test, pairs of lines or texts with the same meaning, and scores."""

from __future__ import annotations

from salva.twins.answers import PairAnswers, read_pair_answers
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
from salva.twins.natural import natural_pairs, transform_pairs
from salva.twins.pair import CONTROLS, TwinPair
from salva.twins.pairing import make_controls, make_pairs, shuffle_pairs, write_pairs
from salva.twins.reading import read_pairs
from salva.twins.results import TwinScore
from salva.twins.running import run
from salva.twins.scoring import score
from salva.twins.several import TwinRuns, summarise_runs

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
    "PairAnswers",
    "PairFolder",
    "Tree",
    "TwinPair",
    "TwinRuns",
    "TwinScore",
    "generate",
    "generate_lines",
    "interpret",
    "interpret_lines",
    "make_conditions",
    "make_controls",
    "make_pairs",
    "measure_lines",
    "measures",
    "natural_pairs",
    "pair_file",
    "parse",
    "print_tree",
    "read_pair_answers",
    "read_pairs",
    "run",
    "score",
    "shuffle_pairs",
    "summarise_runs",
    "transform_pairs",
    "twin_names",
    "write_pairs",
]
