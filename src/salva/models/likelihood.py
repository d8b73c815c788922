"""How likely a causal language model finds texts: `hf:DIRECTORY`, and answers kept in the user's cache.

The weights are not rounded, also on a GPU. Numbers still differ in the last digits with the texts that share
a batch, so a caller who compares them with a limit asks again, with `alone`, about those that are close.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from salva._show import NOTICE, number_of
from salva._torch import find_device
from salva._types import Ints64
from salva.errors import InputError, UsageError
from salva.models.hugging_face import check_folder, find_folder, load_folder, token_limit
from salva.models.protocol import combined, of_folder, text_id
from salva.models.tokens import Tokens, length_batches

LEAST_LIMIT = 512  # tokens that a model must be able to read
_TOKENS = {"cpu": 1_024, "cuda": 16_384}  # per call of the model; every token has a row of the vocabulary
_STEP = 256  # texts whose answers are stored together
_SOME = 500  # variables per query
_WAIT = 10.0  # seconds for another process that is writing
_SCHEMA = """
CREATE TABLE IF NOT EXISTS likelihoods (
    model TEXT NOT NULL, text BLOB NOT NULL, score REAL NOT NULL, alone INTEGER NOT NULL,
    PRIMARY KEY (model, text)
) STRICT, WITHOUT ROWID
"""
_FIND = "SELECT text, score, alone FROM likelihoods WHERE model = ? AND text IN "
_ADD = "INSERT OR REPLACE INTO likelihoods VALUES (?, ?, ?, ?)"

_log = logging.getLogger("salva")


def language_model_folder(spec: str) -> Path:
    """Return the folder that a spec names; refuse a spec that does not begin with `hf:`.

    >>> language_model_folder("gpt2")
    Traceback (most recent call last):
    salva.errors.UsageError: language model 'gpt2' must be hf:DIRECTORY, a local folder
    """
    prefix, colon, rest = spec.partition(":")
    if not colon or prefix != "hf":
        raise UsageError(f"language model {spec!r:.100} must be hf:DIRECTORY, a local folder")
    return find_folder(rest)


class LanguageModel:
    """A causal language model, loaded when it is first asked."""

    def __init__(self, spec: str, *, budget: int | None = None) -> None:
        self.name = spec
        self._folder, self._budget = language_model_folder(spec), budget
        self.digest = combined("likelihood", of_folder(self._folder))

    def likelihoods(self, texts: Sequence[str], *, alone: bool = False) -> Iterator[tuple[int, float]]:
        """Yield the position and the log-probability of every text, in nats, batch by batch."""
        model, _ = self._loaded
        tokens = Tokens.of([self._ids(text) for text in texts], [False] * len(texts))
        budget = self._budget or _TOKENS.get(model.device.type, _TOKENS["cpu"])
        for batch in length_batches(tokens.lengths, 1 if alone else budget):
            yield from zip(batch.tolist(), self._score(tokens, batch), strict=True)

    def _ids(self, text: str) -> list[int]:
        """Return the tokens of a text, after one that begins a text if there is such a token."""
        _, tokenizer = self._loaded
        begin = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids if begin is None else [begin, *ids]

    def _score(self, tokens: Tokens, batch: Ints64) -> list[float]:
        import torch

        model, _ = self._loaded
        lengths = tokens.lengths[batch].tolist()
        # A causal model does not see the padding on the right, so it needs no mask.
        table = torch.empty((len(batch), max(lengths)), dtype=torch.int64)
        tokens.padded_ids(batch, 0, table.numpy())
        ids = table.to(model.device)
        with torch.inference_mode():
            logits = model(input_ids=ids).logits[:, :-1].float()
            chosen = logits.gather(2, ids[:, 1:, None])[..., 0] - torch.logsumexp(logits, dim=-1)
        found = chosen.double().cpu()
        return [float(own[: length - 1].sum()) for own, length in zip(found, lengths, strict=True)]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        folder = check_folder(str(self._folder))
        model, tokenizer = load_folder(
            folder,
            find_device(None),
            "causal language model",
            lambda auto: auto.AutoModelForCausalLM,
            exact=True,
        )
        limit = token_limit(model, tokenizer)
        if limit is not None and limit < LEAST_LIMIT:
            problem = f"reads only {number_of(limit, 'token')}; take a model that reads {LEAST_LIMIT}"
            raise InputError.at(folder, None, problem)
        return model, tokenizer


class Likelihood(NamedTuple):
    """The log-probability of a text, and whether the model was asked about it alone."""

    score: float
    alone: bool


class KeptLikelihoods:
    """The log-probabilities of texts by one model, which is asked only about texts that are not stored.

    A file that cannot be used costs time, never the result.
    """

    def __init__(self, model: LanguageModel, path: Path) -> None:
        self._model, self._path = model, path
        self._held: dict[bytes, Likelihood] = {}  # what could not be written

    def find(self, texts: Iterable[str], *, alone: bool = False) -> dict[str, float]:
        """Return the log-probability of every text; with `alone`, those of texts that were asked alone."""
        ids = {text_id(text): text for text in texts}
        known = {key: own for key, own in self._find_stored(list(ids)).items() if own.alone or not alone}
        missing = [key for key in ids if key not in known]
        if missing and not alone:
            _log.log(NOTICE, "scoring %s with %s", number_of(len(missing), "sentence"), self._model.name)
        for first in range(0, len(missing), _STEP):
            some = missing[first : first + _STEP]
            scores = self._model.likelihoods([ids[key] for key in some], alone=alone)
            found = {some[place]: Likelihood(score, alone) for place, score in scores}
            self._store(found)
            known |= found
        return {ids[key]: own.score for key, own in known.items()}

    def _find_stored(self, keys: Sequence[bytes]) -> dict[bytes, Likelihood]:
        found = {}
        with suppress(OSError, sqlite3.Error), self._open() as connection:  # storing will say why
            for first in range(0, len(keys), _SOME):
                some = keys[first : first + _SOME]
                marks = f"({','.join('?' * len(some))})"
                for text, score, alone in connection.execute(_FIND + marks, (self._model.digest, *some)):
                    found[text] = Likelihood(score, bool(alone))
        return found | {key: self._held[key] for key in keys if key in self._held}

    def _store(self, likelihoods: Mapping[bytes, Likelihood]) -> None:
        rows = [(self._model.digest, text, own.score, own.alone) for text, own in likelihoods.items()]
        try:
            with self._open() as connection:
                connection.executemany(_ADD, rows)
        except (OSError, sqlite3.Error) as error:
            _log.info("log-probabilities are not kept: %s: %s", self._path, error)
            self._held |= likelihoods

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(sqlite3.connect(self._path, timeout=_WAIT)) as connection, connection:
            connection.execute(_SCHEMA)
            yield connection
