"""Write a corpus and the conditions made from it together: if any part fails, nothing is written."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from salva._show import number_of
from salva._types import PathLike
from salva.errors import UsageError
from salva.twins.conditions import CONDITIONS, DOSE, Condition, ConditionName, check_dose, make_conditions
from salva.twins.files import read_lines, whole_folder
from salva.twins.generator import Corpus, generate
from salva.twins.language import language, twin_names
from salva.twins.names import occurrences
from salva.twins.pairing import BLOCKS
from salva.twins.sampling import Grammar

CORPUS_HOME, CONDITION_HOME = "pcfgset", "substitutivity"


def make_corpora(
    folder: PathLike,
    *,
    corpus: Mapping[str, Any],
    conditions: Sequence[ConditionName] | None = None,
    dose: int = DOSE,
    names: Mapping[str, str] | None = None,
    seed: int = 0,
    overwrite: bool = False,
    **options: Any,
) -> tuple[Corpus, list[Condition]]:
    """Write `pcfgset` and its conditions in `substitutivity`; see `generate` and `make_conditions`.

    `corpus` holds the arguments for `generate`. Settings that must fail are refused before any line is drawn.
    """
    grammar = Grammar.of(seed, corpus.get("alphabet"), corpus.get("string_sizes"))
    language(twin_names(names), grammar.symbols())
    chosen: Sequence[ConditionName] = conditions or list(CONDITIONS)
    if "primitive" in chosen:
        check_dose(dose, len(grammar.alphabet))
    parts = [CORPUS_HOME, *(f"{CONDITION_HOME}/{name}" for name in chosen)]
    with whole_folder(folder, parts=parts, overwrite=overwrite) as place:
        made = generate(place / CORPUS_HOME, seed=seed, **corpus)
        _refuse_pairless(read_lines(place / CORPUS_HOME / "test.src"))
        written = make_conditions(
            place / CONDITION_HOME,
            place / CORPUS_HOME,
            conditions=chosen,
            dose=dose,
            names=names,
            seed=seed,
            alphabet=grammar.symbols(),
            **options,
        )
    home = Path(folder)
    return dataclasses.replace(made, folder=str(home / CORPUS_HOME)), [
        dataclasses.replace(one, folder=str(home / CONDITION_HOME / one.name)) for one in written
    ]


def _refuse_pairless(test: Sequence[str]) -> None:
    """Refuse a test set from which no pair can be made."""
    if not any(occurrences(line, function) for line in test for function in BLOCKS):
        problem = f"the {number_of(len(test), 'line')} of the test set have none of {', '.join(BLOCKS)}"
        raise UsageError(f"{problem}; use more lines, or leave the pairs out with --no-conditions")
