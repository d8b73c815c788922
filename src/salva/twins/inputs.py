"""Find pairs in a folder of test files or a file of JSON lines, or make them from plain texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from salva._arguments import argument
from salva._show import number_of
from salva._types import PathLike
from salva.errors import InputError, UsageError
from salva.rows import ReadOptions
from salva.twins.natural.pairing import natural_pairs, read_texts, transform_pairs
from salva.twins.natural.synonyms import accepted_by_kind, read_synonyms
from salva.twins.pair import TwinPair, read_pair_lines
from salva.twins.pcfg.files import read_notes
from salva.twins.pcfg.pairing import read_pairs
from salva.twins.pcfg.sampling import divide


@dataclass(frozen=True, slots=True)
class PairInput:
    """Pairs, the name of their data, the outputs accepted for their kinds, and the names of twins.

    `kinds` are those that were asked for, including any that have no pair.
    """

    pairs: list[TwinPair]
    name: str
    accepted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    kinds: Sequence[str] = ()

    def limited(self, most: int | None) -> PairInput:
        """Return the first pairs of each kind, the same share of each, `most` in total."""
        kinds = list(dict.fromkeys([*self.kinds, *(pair.kind_name for pair in self.pairs)]))
        left = Counter(pair.kind_name for pair in self.pairs)
        if most is not None and most < len(self.pairs):
            left = Counter(divide(most, left))
        kept = []
        for pair in self.pairs:
            if left[pair.kind_name]:
                left[pair.kind_name] -= 1
                kept.append(pair)
        return replace(self, pairs=kept, kinds=kinds)


def find_pairs(
    path: PathLike,
    *,
    synonyms: PathLike | None = None,
    both_ways: bool = False,
    presets: Sequence[str] = (),
    options: ReadOptions | None = None,
    seed: int = 0,
    severity: float | None = None,
) -> PairInput:
    """Return the pairs of a folder or file, or those of plain texts if synonyms or presets are given.

    The label column of a data set, if it has one, is the target of a text and of its twin.
    """
    if both_ways and synonyms is None:
        needed = f"{argument('both_ways', True)} needs {argument('synonyms')}"
        raise UsageError(f"{needed}, whose table it uses in both directions")
    if severity is not None and not presets:
        needed = f"{argument('severity')} needs {argument('presets', flag='--preset')}"
        raise UsageError(f"{needed}; synonyms have no severity")
    name = Path(path).name or str(path)
    if synonyms is None and not presets:
        if Path(path).suffix == ".jsonl":
            return PairInput(read_pair_lines(path), name)
        if Path(path).is_file():
            either = f"for plain texts, pass {argument('synonyms')} or {argument('presets', flag='--preset')}"
            remedy = f"{either}; for pairs, name a folder or a .jsonl file"
            raise InputError.at(path, None, f"is a file; {remedy}")
        notes = read_notes(Path(path))
        kinds = notes.get("by_kind")
        known = [str(kind) for kind in kinds] if isinstance(kinds, dict) else []
        return PairInput(read_pairs(path), name, names=notes.get("names") or {}, kinds=known)
    texts, targets = read_texts(path, options)
    table = read_synonyms(synonyms) if synonyms is not None else []
    pairs = natural_pairs(texts, table, targets=targets, both_ways=both_ways)
    for preset in presets:
        pairs += transform_pairs(texts, preset, targets=targets, seed=seed, severity=severity)
    if not pairs:
        raise InputError.at(
            path,
            None,
            f"no pair can be made from its {number_of(len(texts), 'text')}; try other synonyms or presets",
        )
    return PairInput(pairs, name, accepted_by_kind(table))
