"""`TextCorruptor`: the interface of the corrupted-text package on top of the preset `corrupt`.

It has the same arguments and rates, but does not give the same bytes. It uses no pickle and no download, and
a severity of 0 changes nothing. If the package differs from its README, `corrupt` has a setting, and
`TextCorruptor` uses it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from salva._arguments import check_severity, check_whole
from salva._arrow import Strings, as_strings, open_disk, valid_rows
from salva._files import replacing, storage_errors
from salva._presets.resources import read_thesaurus, read_vocabulary
from salva._presets.settings import amount
from salva._types import PathLike
from salva.edits.wordnet import Synonyms
from salva.errors import UsageError
from salva.lexicon import offensive_words
from salva.transforms.presets import preset
from salva.transforms.transform import Transform
from salva.transforms.vocabulary import WordCounts, write_vocabulary

logger = logging.getLogger("salva")

# What the package does: severity is a share of all tokens, words are looked up as written, and only common
# words are corrected.
PACKAGE = {"share_of": "tokens", "look_up": "written", "correct": "common"}
# The rates that the package's default weights lead to, because it mixes up three of them.
REALISED = {
    "typo_weight": 0.05,
    "autocomplete_weight": 0.30,
    "autocorrect_weight": 0.35,
    "synonym_weight": 0.30,
}


@dataclass(frozen=True)
class CorruptionWeights:
    """How often each corruption is chosen, relative to the others; at least one must be above 0.

    They are the settings of the same names in the preset `corrupt`. The defaults are the package's: with them
    its `TextCorruptor`, and ours, draws typos .05, synonyms .30, completions .30 and corrections .35. Any
    other weights mean what their names say.
    """

    typo_weight: float = amount(0.05, "typo")
    autocomplete_weight: float = amount(0.30, "autocompletion")
    autocorrect_weight: float = amount(0.30, "autocorrection")
    synonym_weight: float = amount(0.35, "synonym")

    def __post_init__(self) -> None:
        """Refuse values that are not weights."""
        for field in fields(self):
            field.metadata["check"](field.name, getattr(self, field.name))


class TextCorruptor:
    """Corrupts texts with the common words of a data set.

    `cache_dir` is a folder for the words of the data set and for finished results; None keeps nothing.
    `clear_cache` empties it first. `thesaurus` replaces WordNet: a mapping of words to their synonyms, or a
    TSV file.

    >>> corruptor = TextCorruptor(["such a good movie", "one bad movie"], cache_dir=None)
    >>> corruptor.corrupt(["a movie"], severity=0, seed=1)
    ['a movie']
    """

    def __init__(
        self,
        base_dataset: Sequence[str],
        cache_dir: PathLike | None = None,
        dictionary_size: int = 4000,
        clear_cache: bool = False,
        thesaurus: PathLike | Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        base = as_strings(base_dataset)
        self._settings: dict[str, Any] = {"dictionary_size": dictionary_size, **PACKAGE, **REALISED}
        if thesaurus is not None:
            self._settings["thesaurus"] = thesaurus
        self._transform: Transform = preset("corrupt", **self._settings)
        self._folder: Path | None = None
        words = None
        if cache_dir is not None:
            key = hashlib.sha256(f"{dictionary_size} {_digest(base)}".encode()).hexdigest()[:32]
            self._folder = Path(cache_dir) / f"salva-{key}"
            words = self._open_cache(clear=clear_cache)
        if words is None:
            logger.info("fitting a vocabulary of %d words on %d texts", dictionary_size, len(base))
            words = WordCounts().add(base).common(dictionary_size)
            if self._folder is not None and words:
                write_vocabulary(self._folder / "vocabulary.txt", words, overwrite=True)
        self._transform = self._transform.with_vocabulary(words)
        if type(self).load_bad_translations is not TextCorruptor.load_bad_translations:
            own = {word: synonyms for word, synonyms in self.load_bad_translations().items() if synonyms}
            self._transform = preset("corrupt", **self._settings | {"thesaurus": own}).with_vocabulary(words)

    @property
    def common_words(self) -> list[str]:
        """The common words, sorted."""
        return sorted(self._transform.vocabulary)

    def load_bad_translations(self) -> Mapping[str, Sequence[str]]:
        """Return the synonyms of every word, from `thesaurus` or from WordNet.

        Override this for texts in another language, or to add words: the corruptor uses what it returns.
        """
        given = self._settings.get("thesaurus")
        if given is None:
            return Synonyms(exclude=offensive_words(), written=True).as_mapping()
        return given if isinstance(given, Mapping) else read_thesaurus(os.fspath(given))

    def corrupt(
        self,
        texts: Sequence[str],
        severity: float,
        seed: int,
        weights: CorruptionWeights | None = None,
        force_recalculate: bool = False,
    ) -> list[str]:
        """Return the texts corrupted; `severity` is the share of the tokens that are picked, from 0 to 1.

        Picked tokens stay as they are if they are punctuation, a single character, or a word that cannot be
        completed or corrected.
        """
        if isinstance(texts, str):
            raise UsageError("texts is a single string; pass a list of strings")
        severity, seed = check_severity(severity), check_whole("seed", seed)
        transform = self._weighted(CorruptionWeights() if weights is None else weights)
        column = as_strings(texts)
        name = f"{_digest(column)} {transform.digest} {severity!r} {seed}"
        path = self._result_path(hashlib.sha256(name.encode()).hexdigest()[:32])
        if path is not None and path.is_file() and not force_recalculate:
            logger.info("reading %d corrupted texts from the cache", len(column))
            return _read(path)
        logger.info("corrupting %d texts with severity %g", len(column), severity)
        corrupted = transform.transform(column.array, seed=seed, severity=severity).column
        if path is not None:
            _write(path, corrupted)
        texts_out: list[str] = corrupted.to_pylist()
        return texts_out

    def _weighted(self, weights: CorruptionWeights) -> Transform:
        if not isinstance(weights, CorruptionWeights):
            raise UsageError(f"weights={weights!r:.60} must be a CorruptionWeights")
        if weights == CorruptionWeights():
            return self._transform
        settings = dataclasses.replace(self._transform.settings, **vars(weights))
        return dataclasses.replace(self._transform, settings=settings)

    def _open_cache(self, *, clear: bool) -> tuple[str, ...] | None:
        assert self._folder is not None  # noqa: S101
        with storage_errors(self._folder):
            if clear and self._folder.is_dir():
                shutil.rmtree(self._folder)
            self._folder.mkdir(parents=True, exist_ok=True)
        words = self._folder / "vocabulary.txt"
        if not words.is_file():
            return None
        logger.info("reading the common words from the cache")
        return read_vocabulary(words)

    def _result_path(self, key: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{key}.arrow"


def _digest(column: Strings) -> str:
    state = hashlib.sha256(column.offsets.tobytes())
    state.update(np.packbits(valid_rows(column.array)).tobytes())
    state.update(column.data.data)
    return state.hexdigest()


def _write(path: Path, column: pa.Array) -> None:
    table = pa.table({"text": column})
    with replacing(path, overwrite=True) as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def _read(path: Path) -> list[str]:
    with storage_errors(path), open_disk(path) as stream:
        texts: list[str] = as_strings(pa.ipc.open_file(stream).read_all()["text"]).array.to_pylist()
    return texts
