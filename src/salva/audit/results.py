"""What readers found: how many items are invalid, which kinds of edits, and how well the readers agree.

An item is valid if most of its readers judge it valid; a tie counts as invalid. Items without a verdict are
counted, and are not part of any rate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from salva._results import brief
from salva._types import Ints64, PathLike
from salva.audit.reading import ItemKey, Judgement, group_by, read_judgements
from salva.audit.verdicts import QUESTIONS, Unit, is_valid
from salva.numbers import Estimate, alpha_interval, pairwise_interval, tally, wilson


@dataclass(frozen=True, slots=True)
class AuditCounts:
    """Items of one kind, or of one reader: how many were read, how many are invalid, and the rate."""

    name: str
    read: int
    invalid: int
    rate: Estimate


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item that one reader judges valid and another one invalid."""

    item: int
    id: str
    old: str
    new: str
    original: str
    twin: str
    verdicts: dict[str, str]
    valid: bool


@brief
@dataclass(frozen=True, slots=True)
class Audit:
    """The verdicts on the twins of one condition, all of one unit; rates are in percent.

    `verdicts` counts items: an invalid item counts for the verdict that most of those readers give who judge
    it invalid, of several the first. `alpha` is Krippendorff's alpha of valid and invalid, `alpha_verdicts`
    that of all verdicts; both are 1 for full agreement and 0 for chance, and None with one reader.
    """

    condition: str
    preset: str
    unit: Unit
    twins: str
    items: int
    read: int
    invalid: Estimate
    verdicts: dict[str, int]
    readers: tuple[AuditCounts, ...]
    rules: tuple[AuditCounts, ...]
    parts: tuple[AuditCounts, ...]
    agreement: Estimate
    alpha: Estimate
    alpha_verdicts: Estimate
    disagreements: tuple[Disagreement, ...]

    @property
    def unread(self) -> int:
        """Items that nobody has judged yet."""
        return self.items - self.read

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


def read(paths: PathLike | Iterable[PathLike]) -> list[Audit]:
    """Return what the sheets in some files found, one audit per condition and unit.

    The files are csv sheets that were filled in, and what the page of a sheet or Label Studio saved as JSON.
    A sheet without the names of readers is that of one reader, named like the file.
    """
    groups = group_by(read_judgements(paths), lambda one: (one.key.twins, one.key.unit))
    return [_summarize(some) for some in groups.values()]


def count_verdicts(paths: PathLike | Iterable[PathLike], preset: str) -> dict[str, int]:
    """Return how many edits of a preset got each verdict, from `a` to `f`, over all sheets of unit `edit`."""
    audits = [audit for audit in read(paths) if audit.unit == "edit" and audit.preset == preset]
    return {name: sum(audit.verdicts[name] for audit in audits) for name in QUESTIONS["edit"].verdicts}


def settle(judgements: Iterable[Judgement]) -> dict[ItemKey, str]:
    """Return the verdict on every item that was read: that of most readers, as `Audit` describes it."""
    read_only = (judgement for judgement in judgements if judgement.verdict is not None)
    return {key: _settle_item(some) for key, some in group_by(read_only, lambda one: one.key).items()}


def _settle_item(judgements: Sequence[Judgement]) -> str:
    unit = judgements[0].key.unit
    counts = Counter(judgement.verdict or "" for judgement in judgements)
    valid = sum(count for verdict, count in counts.items() if is_valid(unit, verdict))
    passed = 2 * valid > len(judgements)
    fitting = [verdict for verdict in QUESTIONS[unit].verdicts if is_valid(unit, verdict) == passed]
    return max(fitting, key=lambda verdict: counts[verdict])  # of several, the first


def _summarize(judgements: Sequence[Judgement]) -> Audit:
    first = judgements[0]
    unit = first.key.unit
    items = group_by(judgements, lambda one: one.key)
    settled = settle(judgements)
    counts = Counter(settled.values())
    validity = _tally(items, lambda verdict: is_valid(unit, verdict))
    return Audit(
        condition=first.condition,
        preset=first.preset,
        unit=unit,
        twins=first.key.twins,
        items=_count_items(judgements),
        read=len(settled),
        invalid=_count("all", list(settled.values()), unit).rate,
        verdicts={name: counts[name] for name in QUESTIONS[unit].verdicts},
        readers=tuple(_count_readers(judgements)),
        rules=tuple(_count_kinds(items, settled, "rule")),
        parts=tuple(_count_kinds(items, settled, "part")),
        agreement=pairwise_interval(validity),
        alpha=alpha_interval(validity),
        alpha_verdicts=alpha_interval(_tally(items, str)),
        disagreements=tuple(_find_disagreements(items, settled)),
    )


def _count_items(judgements: Sequence[Judgement]) -> int:
    """Return how many items the sheets have, those that a file leaves out included."""
    sheets = group_by(judgements, lambda one: one.sheet).values()
    left_out = sum(max(0, some[0].of - len({judgement.key for judgement in some})) for some in sheets)
    return len({judgement.key for judgement in judgements}) + left_out


def _count(name: str, verdicts: Sequence[str], unit: Unit) -> AuditCounts:
    invalid = sum(not is_valid(unit, verdict) for verdict in verdicts)
    return AuditCounts(name, len(verdicts), invalid, wilson(invalid, len(verdicts)))


def _count_readers(judgements: Sequence[Judgement]) -> Iterator[AuditCounts]:
    for name, some in group_by(judgements, lambda one: one.reader).items():
        if verdicts := [judgement.verdict for judgement in some if judgement.verdict is not None]:
            yield _count(name, verdicts, some[0].key.unit)


def _count_kinds(
    items: Mapping[ItemKey, Sequence[Judgement]], settled: Mapping[ItemKey, str], by: str
) -> Iterator[AuditCounts]:
    """Yield the counts of edits by rule or by part of speech, the most frequent first."""
    kinds: dict[str, list[str]] = {}
    for key, verdict in settled.items():
        if key.unit == "edit":
            kinds.setdefault(items[key][0].texts[by], []).append(verdict)
    for name, verdicts in sorted(kinds.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        yield _count(name, verdicts, "edit")


def _tally(items: Mapping[ItemKey, Sequence[Judgement]], category: Callable[[str], str | bool]) -> Ints64:
    """Return how many readers put each item into each category."""
    columns: dict[str, dict[ItemKey, str | bool]] = {}
    for key, some in items.items():
        for judgement in some:
            if judgement.verdict is not None:
                columns.setdefault(judgement.reader, {})[key] = category(judgement.verdict)
    return tally([[column.get(key) for key in items] for column in columns.values()])


def _find_disagreements(
    items: Mapping[ItemKey, Sequence[Judgement]], settled: Mapping[ItemKey, str]
) -> Iterator[Disagreement]:
    for key, some in items.items():
        verdicts = {one.reader: one.verdict for one in some if one.verdict is not None}
        if len({is_valid(key.unit, verdict) for verdict in verdicts.values()}) > 1:
            texts = {name: some[0].texts[name] for name in ("old", "new", "original", "twin")}
            valid = is_valid(key.unit, settled[key])
            yield Disagreement(item=some[0].item, id=key.id, verdicts=verdicts, valid=valid, **texts)
