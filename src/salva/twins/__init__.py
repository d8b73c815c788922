"""Twins: PCFG SET and its substitutivity test, pairs of lines or texts with the same meaning, and scores."""

from __future__ import annotations

from salva.twins.answers import PairAnswers, read_pair_answers
from salva.twins.natural.pairing import natural_pairs, transform_pairs
from salva.twins.pair import TwinPair
from salva.twins.pcfg.conditions import CONDITIONS, Condition, make_conditions
from salva.twins.pcfg.generator import Corpus, generate, generate_lines
from salva.twins.pcfg.interpreter import LineMeasures, interpret, interpret_lines, measure_lines
from salva.twins.pcfg.language import Call, LineError, Measures, Tree, measures, parse, print_tree
from salva.twins.pcfg.names import CONTROLS, FUNCTIONS, NONCE_NAMES, TWINNED, twin_names
from salva.twins.pcfg.pairing import (
    PairFolder,
    make_controls,
    make_pairs,
    pair_file,
    shuffle_pairs,
    write_pairs,
)
from salva.twins.pcfg.reading import read_pairs
from salva.twins.results import TwinRuns, TwinScore, summarise_runs
from salva.twins.running import run
from salva.twins.scoring import score

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
