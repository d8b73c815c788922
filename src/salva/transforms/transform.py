"""The transform: frozen settings, and how they are applied to a column of texts."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import pyarrow as pa

from salva._arguments import check_severity, check_whole
from salva._arrow import Strings, as_strings
from salva.edits.chunk import Chunk, Draw, Edits
from salva.edits.planners import Planner
from salva.edits.protect import Protection
from salva.edits.render import Render, Rendered, render
from salva.edits.rules import RULES
from salva.errors import InputError, UsageError
from salva.text.columns import TYPED_BYTES, over_threads, row_chunks
from salva.text.spans import check_sizes
from salva.text.tokens import RULES as CUTS
from salva.transforms.kinds import column_of
from salva.transforms.resources import planner_of, resource_digests
from salva.transforms.settings import CorruptSettings, Settings
from salva.transforms.summary import Summary
from salva.transforms.twins import Done, Twins
from salva.transforms.vocabulary import Fit


@dataclass(frozen=True)
class Transform:
    """A preset with its settings; made by `salva.preset`.

    It can be called with a batch too, for `Dataset.map(transform, batched=True)`.
    """

    name: str
    version: int
    severity: float
    settings: Settings

    def transform(
        self,
        texts: Any,
        *,
        seed: int = 0,
        severity: float | None = None,
        replicate: int = 0,
        threads: int | None = None,
    ) -> Twins:
        """Transform a text, or a list, an Arrow array, a pandas or polars series of texts; null stays null.

        What a text becomes depends only on the text, the settings, `seed`, `severity` (by default that of
        the preset) and `replicate`.
        """
        severity = self.severity if severity is None else check_severity(severity)
        draw = Draw(check_whole("seed", seed), severity, check_whole("replicate", replicate))
        column = column_of(texts)
        check_sizes(column)
        if severity == 0:
            return Twins(texts, column.array, (), self.render, Summary(rows=len(column)), threads)

        planner = self.planner.with_room()
        vars(self)["planner"] = planner  # calls under way keep the one they started with
        self.protection.expressions  # noqa: B018  (compiled once, before threads use them)

        def work(rows: tuple[int, int]) -> Done:
            return self._edit(planner, column.rows(*rows), draw)

        chunks = over_threads(work, row_chunks(column.offsets, TYPED_BYTES), threads=threads)
        parts = [chunk.after.array for chunk in chunks]
        whole = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        return Twins(
            texts, whole, tuple(chunks), self.render, sum((c.summary for c in chunks), Summary()), threads
        )

    def put_together(self, texts: Any, *, threads: int | None = None) -> Twins:
        """Take texts apart and put them together again without an edit: what the render alone changes.

        >>> from salva import preset
        >>> preset("typos").put_together("two  blanks").transformed
        'two blanks'
        """
        # The smallest severity keeps no edit, and texts are rendered at every severity above 0.
        return self.transform(texts, severity=sys.float_info.min, threads=threads)

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
        """Return the transform with the common words of some texts; only for `corrupt`.

        >>> from salva import preset
        >>> preset("corrupt").fit(["Better movies", "better moves"]).settings.vocabulary
        ('better', 'moves', 'movies')
        """
        return self.with_vocabulary(Fit().add(as_strings(texts)).common(self.dictionary_size))

    def with_vocabulary(self, words: tuple[str, ...]) -> Transform:
        """Return the transform with these common words, most frequent first."""
        return dataclasses.replace(self, settings=dataclasses.replace(self._fitted, vocabulary=words))

    @property
    def can_fit(self) -> bool:
        """Whether the preset has common words to fit."""
        return isinstance(self.settings, CorruptSettings)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The common words that were fitted or given, most frequent first; empty for `builtin` or a file."""
        words = self._fitted.vocabulary
        return words if isinstance(words, tuple) else ()

    @property
    def dictionary_size(self) -> int:
        """How many common words to use; only for `corrupt`."""
        return self._fitted.dictionary_size

    @property
    def _fitted(self) -> CorruptSettings:
        if not isinstance(self.settings, CorruptSettings):
            raise UsageError(f"preset {self.name} has nothing to fit; only corrupt has a vocabulary")
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
        return planner_of(self.settings)

    @cached_property
    def protection(self) -> Protection:
        """What must not be edited; a splice also keeps characters of several code points whole."""
        own = self.settings
        whole = own.protect or self.render == "splice"
        markup = own.protect or own.protect_markup
        return Protection(markup, own.protect, whole, own.protect_words, own.protect_patterns)

    def __reduce__(self) -> tuple[Any, ...]:
        # The digest is pickled too, so that `datasets` includes it in the fingerprint of a transform.
        return _restored, (self.name, self.version, self.severity, self.settings, self.digest)

    def _edit(self, planner: Planner, texts: Strings, draw: Draw) -> Done:
        chunk = Chunk.of(texts, CUTS[planner.tokens], draw, self.protection)
        edits = planner.plan(chunk, draw.severity)
        rendered = render(chunk, edits, cast(Render, self.render), leaning=planner.leaning)
        return _done(chunk, edits, rendered)


def _restored(name: str, version: int, severity: float, settings: Settings, _digest: str) -> Transform:
    return Transform(name, version, severity, settings)


def _done(chunk: Chunk, edits: Edits, rendered: Rendered) -> Done:
    texts = chunk.cuts.texts
    eligible = edits.tally.eligible
    summary = Summary(
        len(texts),
        int((eligible == 0).sum()),
        int((np.diff(rendered.rows) > 0).sum()),
        int(eligible.sum()),
        tuple(np.bincount(edits.rules, minlength=len(RULES)).tolist()),
        tuple(map(tuple, edits.tally.classes.tolist())),
    )
    return Done(
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
