"""Several presets as one: each edits what the presets before it leave alone.

Every part plans on the original text, with its own tokenizer. An edit is left out if it shares a word with
one that an earlier part makes at severity 1. So the first part edits what it would edit by itself, and the
edits at a lower severity are a subset of those at a higher one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, dataclass, field, fields, make_dataclass
from typing import Any, ClassVar, NamedTuple

from salva._presets.preset import Planner, Preset
from salva._presets.settings import Settings, SpliceSettings
from salva.edits.chunk import Chunk, Edits
from salva.edits.merge import leave_alone, merge_edits
from salva.text.tokens import TOKENIZERS

COMMON = {own.name for own in fields(Settings)}


@dataclass(frozen=True, kw_only=True)
class ComposedSettings(SpliceSettings):
    """The settings of several presets; `compose` makes a subclass for each composition.

    A setting that means the same to all parts that have it occurs once; if not, it begins with the name of
    its part.
    """

    parts: ClassVar[tuple[Preset, ...]] = ()

    def __post_init__(self) -> None:
        """Let the parts refuse their settings."""
        self.of_parts()

    def of_parts(self) -> list[Settings]:
        """Return the settings of each part."""
        return [part.settings(**self._values(part)) for part in self.parts]

    def _values(self, part: Preset) -> dict[str, Any]:
        names = {own.name: _prefixed(part, own.name) for own in fields(part.settings)}
        return {name: getattr(self, long if hasattr(self, long) else name) for name, long in names.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.parts, vars(self))


class PlannedPart(NamedTuple):
    """A part of a composition: how it cuts texts, and what plans its edits."""

    tokenizer: str
    planner: Planner


@dataclass(frozen=True, eq=False)
class ComposedPlanner:
    """The edits of several presets, each of which leaves those of the presets before it alone."""

    parts: tuple[PlannedPart, ...]

    def plan(self, chunk: Chunk, severity: float) -> Edits:
        """Return the edits kept at a severity."""
        texts, chunks = chunk.cuts.texts, {self.parts[0].tokenizer: chunk}
        kept: list[Edits] = []
        taken: list[Edits] = []
        for tokenizer, planner in self.parts:
            if tokenizer not in chunks:
                chunks[tokenizer] = chunk.cut_by(TOKENIZERS[tokenizer].cut)
            edits = leave_alone(texts, planner.plan(chunks[tokenizer], severity), taken)
            kept.append(edits)
            if severity < 1 and len(kept) < len(self.parts):
                # What later parts may edit must not depend on the severity.
                edits = leave_alone(texts, planner.plan(chunks[tokenizer], 1.0), taken)
            taken.append(edits)
        return merge_edits(kept)


def compose(parts: tuple[Preset, ...]) -> Preset:
    """Return several presets as one, always the same object for the same parts."""
    return _COMPOSED.get(parts) or _COMPOSED.setdefault(parts, _compose(parts))


_COMPOSED: dict[tuple[Preset, ...], Preset] = {}


def _compose(parts: tuple[Preset, ...]) -> Preset:
    name = "+".join(part.name for part in parts)
    settings = make_dataclass(
        "ComposedSettings",
        list(_own_fields(parts)),
        bases=(ComposedSettings,),
        namespace={"parts": parts},
        frozen=True,
        kw_only=True,
    )
    return Preset(
        name=name,
        version="+".join(str(part.version) for part in parts),
        family="meaning" if all(part.family == "meaning" for part in parts) else "corruption",
        settings=settings,
        make_planner=make_planner,
        tokenizer=parts[0].tokenizer,
        tagged=any(part.tagged for part in parts),
        severity=min(part.severity for part in parts),
        parts=parts,
    )


def make_planner(settings: ComposedSettings) -> ComposedPlanner:
    """Return the planner for some settings."""
    return ComposedPlanner(
        tuple(
            PlannedPart(part.tokenizer, part.make_planner(own))
            for part, own in zip(settings.parts, settings.of_parts(), strict=True)
        )
    )


def _own_fields(parts: tuple[Preset, ...]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, type and field of every setting that not all presets have."""
    known: dict[str, list[tuple[Preset, Field[Any]]]] = {}
    for part in parts:
        for setting in fields(part.settings):
            if setting.name not in COMMON:
                known.setdefault(setting.name, []).append((part, setting))
    for name, owners in known.items():
        same = len({_meaning(setting) for _, setting in owners}) == 1
        for part, setting in owners[:1] if same else owners:
            own = field(default=setting.default, metadata=setting.metadata)
            yield name if same else _prefixed(part, name), setting.type, own


def _prefixed(part: Preset, name: str) -> str:
    return f"{part.name}_{name}"


def _meaning(setting: Field[Any]) -> tuple[Any, ...]:
    return setting.type, setting.default, setting.metadata["doc"]


def _restore(parts: tuple[Preset, ...], values: dict[str, Any]) -> Settings:
    return compose(parts).settings(**values)
