"""The transform: frozen settings, and how they are applied to a column of texts."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa

from salva._arguments import check_severity, check_whole
from salva._arrow import Strings, as_strings
from salva._presets import PRESETS, Family, Planner, Preset, Settings, Validity, find_preset
from salva._presets.resources import resource_digests
from salva._presets.settings import VocabularySettings
from salva.edits.alignment import Alignment, align
from salva.edits.chunk import RULES, Chunk, Draw, Edits
from salva.edits.protect import Protection, RowSpans
from salva.edits.render import Render, Rendered, render
from salva.errors import InputError, UsageError
from salva.text.columns import TYPED_BYTES, check_sizes, over_threads, row_chunks
from salva.text.tokens import TOKENIZERS
from salva.transforms.columns import as_column
from salva.transforms.twins import EditedRows, Summary, Twins
from salva.transforms.vocabulary import WordCounts

Protected: TypeAlias = RowSpans | Sequence[Sequence[tuple[int, int]]] | None

# Settings that add no edit: they rebuild texts differently, or leave some edits out.
_SPARING = ("protect_patterns", "protect_words", "render")


@dataclass(frozen=True)
class Transform:
    """A preset with its settings; made by `salva.preset`.

    It can be called with a batch too, for `Dataset.map(transform, batched=True)`.
    """

    preset: Preset
    settings: Settings

    @property
    def name(self) -> str:
        """The name of the preset."""
        return self.preset.name

    @property
    def version(self) -> int | str:
        """The version of the preset."""
        return self.preset.version

    @property
    def severity(self) -> float:
        """The severity to use by default."""
        return self.preset.severity

    @property
    def family(self) -> Family:
        """Whether edits keep the meaning ("meaning"), may change it ("corruption"), or must ("contrast")."""
        return self.preset.family

    @property
    def validity(self) -> Validity | None:
        """How many of the preset's edits keep the meaning; None if not measured with these settings."""
        usual = self.preset.settings()
        same = dataclasses.replace(self.settings, **{name: getattr(usual, name) for name in _SPARING})
        return self.preset.validity if same == usual else None

    def transform(
        self,
        texts: Any,
        *,
        seed: int = 0,
        severity: float | None = None,
        replicate: int = 0,
        protected: Protected = None,
        threads: int | None = None,
    ) -> Twins:
        """Transform a text, or a list, an Arrow array, a pandas or polars series of texts; null stays null.

        What a text becomes depends only on the text, the settings, `seed`, `severity` (by default that of
        the preset), `replicate` and `protected`: the spans of each text that must not be edited, in code
        points, ascending and disjoint.

        >>> from salva import preset
        >>> preset("typos", prob=1.0).transform(["Good film"], protected=[[(0, 4)]]).transformed
        ['Good filj']
        """
        severity = self.severity if severity is None else check_severity(severity)
        draw = Draw(check_whole("seed", seed), severity, check_whole("replicate", replicate))
        column = as_column(texts)
        if severity == 0:
            return Twins(texts, column.array, (), self.render, Summary(rows=len(column)), threads, list)
        return self._rewrite(texts, column, draw, protected, threads)

    def put_together(self, texts: Any, *, protected: Protected = None, threads: int | None = None) -> Twins:
        """Take texts apart and reassemble them without an edit, which shows what the render alone changes.

        >>> from salva import preset
        >>> preset("typos").put_together("two  blanks").transformed
        'two blanks'
        """
        draw = Draw(seed=0, severity=0.0, replicate=0)
        return self._rewrite(texts, as_column(texts), draw, protected, threads)

    def __call__(
        self,
        batch: dict[str, Any],
        *,
        column: str = "text",
        seed: int = 0,
        severity: float | None = None,
        replicate: int = 0,
    ) -> dict[str, Any]:
        """Return a batch of columns with one of them transformed, for `Dataset.map(..., batched=True)`."""
        if column not in batch:
            raise InputError(f"no column {column!r}; columns: {', '.join(map(repr, batch))}")
        texts = batch[column]
        twins = self.transform(texts, seed=seed, severity=severity, replicate=replicate, threads=1)
        return {**batch, column: twins.transformed}

    def fit(self, texts: Any) -> Transform:
        """Return the transform with the common words of some texts, for `corrupt` and its compositions.

        >>> from salva import preset
        >>> preset("corrupt").fit(["Better movies", "better moves"]).settings.vocabulary
        ('better', 'moves', 'movies')
        """
        return self.with_vocabulary(WordCounts().add(as_strings(texts)).common(self.dictionary_size))

    def with_vocabulary(self, words: tuple[str, ...]) -> Transform:
        """Return the transform with these common words, most frequent first."""
        if not self.can_fit:
            raise nothing_to_fit([self.name])
        changed: dict[str, Any] = {"vocabulary": words}
        return dataclasses.replace(self, settings=dataclasses.replace(self.settings, **changed))

    @property
    def can_fit(self) -> bool:
        """Whether the preset has common words to fit."""
        return self.preset.has_vocabulary

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The common words that were fitted or given, most frequent first; empty for `builtin` or a file."""
        words = self._vocabulary_settings.vocabulary
        return words if isinstance(words, tuple) else ()

    @property
    def dictionary_size(self) -> int:
        """How many common words to use, if the preset has a vocabulary."""
        return self._vocabulary_settings.dictionary_size

    @property
    def _vocabulary_settings(self) -> VocabularySettings:
        if not isinstance(self.settings, VocabularySettings):
            raise nothing_to_fit([self.name])
        return self.settings

    @property
    def render(self) -> str:
        """How texts are rebuilt."""
        return self.settings.render

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the preset, its version and settings, and the files that the settings name."""
        return f"sha256:{hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()}"

    def as_dict(self) -> dict[str, Any]:
        """Return name, version and settings, and the digests of the files that the settings name."""
        return {
            "preset": self.name,
            "version": self.version,
            "settings": dataclasses.asdict(self.settings),
            "resources": resource_digests(self.settings),
        }

    @cached_property
    def planner(self) -> Planner:
        """What plans the edits; reads the files that the settings name."""
        return self.preset.make_planner(self.settings)

    @cached_property
    def protection(self) -> Protection:
        """What must not be edited; a splice also keeps characters of several code points whole."""
        own = self.settings
        whole = own.protect or self.render == "splice"
        markup = own.protect or own.protect_markup
        return Protection(markup, own.protect, whole, own.protect_words, own.protect_patterns)

    def __reduce__(self) -> tuple[Any, ...]:
        # The digest is pickled too, so that `datasets` includes it in the fingerprint of a transform.
        return _restore, (self.name, self.settings, self.digest)

    def _rewrite(
        self, texts: Any, column: Strings, draw: Draw, protected: Protected, threads: int | None
    ) -> Twins:
        planner, protection = self.planner, self.protection
        protection.expressions  # noqa: B018  (compiled once, before threads use them)
        cut = TOKENIZERS[self.preset.tokenizer].cut

        check_sizes(column)
        spans = protected if isinstance(protected, RowSpans | None) else RowSpans.of(column, protected)

        how, leaning = cast(Render, self.render), self.preset.leaning

        def plan(rows: tuple[int, int]) -> tuple[Chunk, Edits, Rendered]:
            kept = spans and spans.within(*column.offsets[list(rows)].tolist())
            chunk = Chunk.of(column.rows(*rows), cut, draw, protection, kept)
            edits = planner.plan(chunk, draw.severity)
            return chunk, edits, render(chunk, edits, how, leaning=leaning)

        def work(rows: tuple[int, int]) -> EditedRows:
            return _edited_rows(*plan(rows))

        def align_rows(rows: tuple[int, int]) -> Alignment:
            chunk, edits, rendered = plan(rows)
            return align(chunk, edits, how, rendered, leaning=leaning)

        bounds = row_chunks(column.offsets, TYPED_BYTES)
        chunks = over_threads(work, bounds, threads=threads)
        parts = [chunk.after.array for chunk in chunks]
        whole = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        summary = sum((chunk.summary for chunk in chunks), Summary())
        # Most callers need no alignment, and those who do pay for a second pass.
        return Twins(
            texts,
            whole,
            tuple(chunks),
            self.render,
            summary,
            threads,
            lambda: over_threads(align_rows, bounds, threads=threads),
        )


def nothing_to_fit(names: Iterable[str]) -> UsageError:
    """Return the error for fitting presets that have no vocabulary."""
    able = ", ".join(preset.name for preset in PRESETS.values() if preset.has_vocabulary)
    return UsageError(f"preset {', '.join(names)} has nothing to fit; only {able} has a vocabulary")


def _restore(name: str, settings: Settings, _digest: str) -> Transform:
    return Transform(find_preset(name), settings)


def _edited_rows(chunk: Chunk, edits: Edits, rendered: Rendered) -> EditedRows:
    texts = chunk.cuts.texts
    eligible = edits.tally.eligible
    summary = Summary(
        len(texts),
        int((eligible == 0).sum()),
        int((np.diff(rendered.rows) > 0).sum()),
        int(eligible.sum()),
        tuple(np.bincount(edits.rules, minlength=len(RULES)).tolist()),
        tuple(map(tuple, edits.tally.parts.tolist())),
    )
    return EditedRows(
        texts,
        Strings.of(rendered.data, rendered.offsets, texts.array),
        rendered.rows,
        edits.starts,
        edits.stops,
        rendered.places,
        edits.rules,
        Strings.of(edits.new, edits.offsets),
        summary,
    )
