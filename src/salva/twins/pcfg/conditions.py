"""The two training conditions of the substitutivity test, made from a corpus without twins.

    primitive              the corpus, then a few lines per twin in which it is the only function
    equally_distributed    the corpus with half of some functions replaced by their twins

Each is a folder of `train`, `test` and `test_twin`, `.src` and `.tgt`; both have the same tests.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from salva._arguments import check_choice, check_whole
from salva._files import digest, refuse_clashes
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.twins.pair import TwinPair
from salva.twins.pcfg.files import (
    PAIR_FILES,
    check_targets,
    read_lines,
    read_notes,
    whole_folder,
    write_lines,
    write_manifest,
)
from salva.twins.pcfg.generator import SPLITS, Corpus, CorpusShape, generate
from salva.twins.pcfg.language import define_language, interpret, interpret_lines
from salva.twins.pcfg.names import (
    ALIASES,
    FUNCTIONS,
    TWINNED,
    function_name,
    occurrences,
    refuse_twins,
    rename_some,
    twin_names,
)
from salva.twins.pcfg.pairing import BLOCKS, PER_FUNCTION, make_pairs, pair_files, tally_pairs
from salva.twins.pcfg.sampling import Grammar, make_dice, official, shuffle

ConditionName = Literal["primitive", "equally_distributed"]
Replace = Literal["line", "occurrence"]

CORPUS_HOME, CONDITION_HOME = "pcfgset", "substitutivity"  # folders that `make_corpora` writes
DOSE = 83  # 1/1000 of the lines of the official training set, rounded up
_TRAIN = ("train.src", "train.tgt")
_BASE = tuple(f"{name}.{ending}" for name in SPLITS for ending in ("src", "tgt"))
_ATTEMPTS = 10_000  # known strings in a row; after that, hardly any new ones are left


@dataclass(frozen=True, slots=True)
class Condition:
    """What was written: training lines, lines with each function and with its twin, pairs per function."""

    name: str
    folder: str
    train_lines: int
    added_lines: int
    lines_with: Mapping[str, int]
    pairs: Mapping[str, int]
    files: Mapping[str, Mapping[str, Any]]


class BaseCorpus(NamedTuple):
    """A corpus without twins: lines to train on and their values, lines to test on, and all strings."""

    home: Path
    sources: list[str]
    targets: list[str]
    test: list[str]
    strings: frozenset[str]
    alphabet: Collection[str] | None


def read_corpus(
    folder: Path, names: Mapping[str, str], alphabet: Collection[str] | None = None
) -> BaseCorpus:
    """Read `train`, `test` and, if present, `dev` from a folder, or from `pcfgset` inside it.

    Targets are checked if present. A line that contains the name of a twin is refused.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError.at(
            folder, None, "is a file; name the folder of a corpus, with train.src and test.src"
        )
    inner = folder / "pcfgset"
    home = inner if not (folder / "train.src").exists() and inner.is_dir() else folder
    if alphabet is None:
        alphabet = _odd_symbols(read_notes(home))
    define_language(names, alphabet)  # refuses a name that is also a symbol
    parts = {
        name: _read(home / f"{name}.src", names, alphabet)
        for name in SPLITS
        if name != "dev" or (home / "dev.src").exists()
    }
    strings = frozenset(string for lines, _ in parts.values() for string in string_arguments(lines))
    return BaseCorpus(home, *parts["train"], parts["test"][0], strings, alphabet)


def _read(
    path: Path, names: Mapping[str, str], alphabet: Collection[str] | None
) -> tuple[list[str], list[str]]:
    lines = read_lines(path)
    refuse_twins(lines, names, path, "name a corpus without twins")
    values = interpret_lines(lines, twins=names, alphabet=alphabet, source=path)
    check_targets(path.with_suffix(".tgt"), values)
    return lines, values


def _odd_symbols(notes: Mapping[str, Any]) -> list[str] | None:
    """Return the alphabet from a manifest, if its symbols are not letters followed by digits."""
    settings = notes.get("settings")
    symbols = settings.get("alphabet") if isinstance(settings, dict) else None
    if not isinstance(symbols, list) or all(define_language().is_symbol(str(symbol)) for symbol in symbols):
        return None
    return [str(symbol) for symbol in symbols]


def string_arguments(lines: Sequence[str]) -> Iterator[str]:
    """Yield the string arguments of lines without twins.

    >>> list(string_arguments(["append A1 B1 , echo C1"]))
    ['A1 B1', 'C1']
    """
    words = "|".join(map(re.escape, (*FUNCTIONS, *ALIASES)))
    parts = re.split(rf"(?<!\S)(?:{words}|,)(?!\S)|\n", "\n".join(lines))
    yield from filter(None, map(str.strip, parts))


class _Settings(NamedTuple):
    seed: int
    dose: int
    replace: Replace
    names: Mapping[str, str]


def make_conditions(
    folder: PathLike,
    base: PathLike,
    *,
    conditions: Sequence[ConditionName] | None = None,
    dose: int = DOSE,
    replace: Replace = "line",
    names: Mapping[str, str] | None = None,
    per_function: int = PER_FUNCTION,
    seed: int = 0,
    alphabet: Collection[str] | None = None,
    overwrite: bool = False,
) -> list[Condition]:
    """Write one folder per condition into `folder`, from `train` and `test` of the corpus in `base`.

    `dose` is the number of lines per twin in `primitive`. `replace` sets whether `equally_distributed`
    changes half of the lines that have a function, with all its occurrences, or half of its occurrences.
    """
    conditions = conditions or list(CONDITIONS)
    for name in conditions:
        check_choice("condition", name, CONDITIONS)
    check_choice("replace", replace, get_args(Replace))
    settings = _Settings(check_whole("seed", seed), check_whole("dose", dose), replace, twin_names(names))
    corpus = read_corpus(Path(base), settings.names, alphabet)
    refuse_clashes(
        (corpus.home / name for name in _BASE),
        [Path(folder) / name / file for name in conditions for file in (*_TRAIN, *PAIR_FILES)],
    )
    test = make_pairs(
        corpus.test,
        per_function=per_function,
        seed=seed,
        names=names,
        alphabet=corpus.alphabet,
        source=corpus.home / "test.src",
    )
    trains = {name: CONDITIONS[name](corpus, settings) for name in conditions}
    with whole_folder(folder, parts=conditions, overwrite=overwrite) as place:
        made = [_write(place / name, corpus, train, test, settings) for name, train in trains.items()]
    return [dataclasses.replace(condition, folder=str(Path(folder) / condition.name)) for condition in made]


def _write(
    place: Path, corpus: BaseCorpus, train: list[str], test: list[TwinPair], settings: _Settings
) -> Condition:
    known = dict(zip(corpus.sources, corpus.targets, strict=True))
    new = [line for line in train if line not in known]
    known |= zip(new, interpret_lines(new, twins=settings.names, alphabet=corpus.alphabet), strict=True)
    contents = {"train.src": train, "train.tgt": [known[line] for line in train]} | pair_files(test)
    words = [word for function in TWINNED for word in (function, settings.names[function])]
    names = frozenset([*words, *ALIASES])
    counts = Counter(
        word for line in train for word in {function_name(w) for w in names.intersection(line.split())}
    )
    having = {word: counts[word] for word in words}
    added = len(train) - len(corpus.sources)
    files = {name: write_lines(place / name, lines) for name, lines in contents.items()}
    condition = Condition(place.name, str(place), len(train), added, having, tally_pairs(test, BLOCKS), files)
    write_manifest(
        place,
        "salva twins generate",
        {
            "condition": condition.name,
            "settings": {"seed": settings.seed, "dose": settings.dose, "replace": settings.replace},
            "base": {name: digest(corpus.home / name) for name in ("train.src", "test.src")},
            "names": settings.names,
            "alphabet": None if corpus.alphabet is None else sorted(corpus.alphabet),
            "added_lines": added,
            "lines_with": having,
            "pairs": "twins",
            "by_kind": condition.pairs,
            "files": files,
        },
    )
    return condition


def _primitive(corpus: BaseCorpus, settings: _Settings) -> list[str]:
    """Add lines in which a twin is the only function; all their strings and values are new."""
    symbols = sorted({symbol for string in corpus.strings for symbol in string.split()})
    check_dose(settings.dose, len(symbols), taken=corpus.strings)
    seen, values = set(corpus.strings), set(corpus.targets)
    added: list[str] = []
    for number, function in enumerate(TWINNED, 1):
        arguments = _new_arguments(function, symbols, settings, seen)
        while len(added) < number * settings.dose:
            line = f"{settings.names[function]} {' , '.join(next(arguments))}"
            value = interpret(line, twins=settings.names, alphabet=corpus.alphabet)
            if value not in values:
                values.add(value)
                added.append(line)
    return corpus.sources + added


def _new_arguments(
    function: str, symbols: list[str], settings: _Settings, seen: set[str]
) -> Iterator[list[str]]:
    """Yield arguments for a function, none of which has been used before."""
    roll = make_dice(settings.seed, f"twins primitive {function}")
    sizes = [size for size, count in official().strings.items() for _ in range(count)]
    failed = 0
    while failed < _ATTEMPTS:
        strings = [
            " ".join(symbols[roll(len(symbols))] for _ in range(sizes[roll(len(sizes))]))
            for _ in range(FUNCTIONS[function])
        ]
        failed += 1
        if seen.isdisjoint(strings) and len(set(strings)) == len(strings):
            failed = 0
            seen.update(strings)
            yield strings
    raise _too_high(settings.dose, len(symbols))


def check_dose(dose: int, symbols: int, *, taken: Collection[str] = ()) -> None:
    """Refuse a dose if that many symbols cannot make enough strings in addition to those already taken."""
    sizes = official().strings
    there = sum(symbols**size for size in sizes) - sum(len(string.split()) in sizes for string in taken)
    if dose * sum(FUNCTIONS[function] for function in TWINNED) > there:
        raise _too_high(dose, symbols)


def _too_high(dose: int, symbols: int) -> InputError:
    return InputError(
        f"{number_of(symbols, 'symbol')} cannot make enough new strings for {number_of(dose, 'line')} "
        "per twin; lower the dose, or use more symbols"
    )


def _equally_distributed(corpus: BaseCorpus, settings: _Settings) -> list[str]:
    """Replace half of each twinned function with its twin."""
    lines = list(corpus.sources)
    for function in TWINNED:
        counts = {row: found for row, line in enumerate(lines) if (found := occurrences(line, function))}
        # A unit is changed as a whole: a line, or a single occurrence.
        by_line = settings.replace == "line"
        units = [row for row, found in counts.items() for _ in range(1 if by_line else found)]
        mixed = shuffle(
            range(len(units)), seed=settings.seed, purpose=f"twins equally_distributed {function}"
        )
        replaced = set(mixed[: len(units) // 2])
        fates = (unit in replaced for unit in range(len(units)))
        for row, found in counts.items():
            places = repeat(next(fates), found) if by_line else fates
            lines[row] = rename_some(lines[row], function, settings.names[function], places)
    return lines


CONDITIONS: dict[ConditionName, Callable[[BaseCorpus, _Settings], list[str]]] = {
    "primitive": _primitive,
    "equally_distributed": _equally_distributed,
}


def make_corpora(
    folder: PathLike,
    *,
    corpus: CorpusShape,
    conditions: Sequence[ConditionName] | None = None,
    dose: int = DOSE,
    replace: Replace = "line",
    names: Mapping[str, str] | None = None,
    per_function: int = PER_FUNCTION,
    seed: int = 0,
    overwrite: bool = False,
) -> tuple[Corpus, list[Condition]]:
    """Write `pcfgset` and its conditions in `substitutivity`; see `generate` and `make_conditions`.

    `corpus` holds arguments of `generate`. Settings that must fail are refused before any line is drawn.
    """
    grammar = Grammar.of(seed, corpus["alphabet"], corpus["string_sizes"])
    define_language(twin_names(names), grammar.symbols())
    conditions = conditions or list(CONDITIONS)
    if "primitive" in conditions:
        check_dose(dose, len(grammar.alphabet))
    parts = [CORPUS_HOME, *(f"{CONDITION_HOME}/{name}" for name in conditions)]
    with whole_folder(folder, parts=parts, overwrite=overwrite) as place:
        base = generate(place / CORPUS_HOME, seed=seed, **corpus)
        _refuse_pairless(read_lines(place / CORPUS_HOME / "test.src"))
        written = make_conditions(
            place / CONDITION_HOME,
            place / CORPUS_HOME,
            conditions=conditions,
            dose=dose,
            replace=replace,
            names=names,
            per_function=per_function,
            seed=seed,
            alphabet=grammar.symbols(),
        )
    home = Path(folder)
    return dataclasses.replace(base, folder=str(home / CORPUS_HOME)), [
        dataclasses.replace(condition, folder=str(home / CONDITION_HOME / condition.name))
        for condition in written
    ]


def _refuse_pairless(test: Sequence[str]) -> None:
    """Refuse a test set from which no pair can be made."""
    if not any(occurrences(line, function) for line in test for function in BLOCKS):
        problem = f"the {number_of(len(test), 'line')} of the test set have none of {', '.join(BLOCKS)}"
        raise UsageError(f"{problem}; use more lines, or leave the pairs out with --no-conditions")
