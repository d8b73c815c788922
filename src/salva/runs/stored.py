"""Answers from the store alone, for a run whose model is not opened."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator

from salva._arguments import argument
from salva._progress import Tracker
from salva.errors import UsageError
from salva.models import Answers, Text
from salva.runs.asker import Asker, Batch, Budget
from salva.runs.records import Answer, Purpose
from salva.runs.store import AnswerStore

_FAILED = "the model gave no answer when it was asked"


class StoredModel:
    """What is known of a model that is not opened."""

    def __init__(self, name: str, digest: str) -> None:
        self.name, self.digest = name, digest
        self.classes: tuple[str, ...] | None = None
        self.batch_size = 4096

    def predict(self, texts: list[Text]) -> Answers:
        """Return no answers."""
        return Answers.failed(len(texts), _FAILED)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


class StoredAsker(Asker):
    """Finds answers, and never asks for them.

    `asked` are the purposes for which the run asked about all texts: if it has no answer, a text failed. For
    any other purpose, a missing answer is an error.
    """

    def __init__(
        self,
        model: StoredModel,
        store: AnswerStore,
        asked: Collection[Purpose],
        *,
        is_fixed: bool,
        tracker: Tracker | None = None,
    ) -> None:
        super().__init__(model, store, Budget(errors=1.0), tracker=tracker)
        self._complete_for, self._is_fixed = frozenset(asked), is_fixed

    @property
    def is_fixed(self) -> bool:
        """Whether the answers were made elsewhere."""
        return self._is_fixed

    def _ask(self, batches: Iterator[Batch]) -> Generator[tuple[Batch, dict[bytes, Answer]]]:
        for batch in batches:
            self._lose(batch)
            yield batch, {}

    def _lose(self, batch: Batch) -> None:
        purpose = batch.purpose
        failed_before = all((Purpose.FIRST, name) in self._lost for name in batch.ids)
        if purpose not in self._complete_for and not failed_before:
            what = "to explain flips" if purpose == Purpose.BLAME else "to measure noise"
            remedy = f"ask for them with salva evaluate and {argument('resume', True)}"
            less = argument("blame_calls", 0) if purpose == Purpose.BLAME else f"a lower {argument('noise')}"
            raise UsageError(f"the run lacks answers that are needed {what}; {remedy}, or pass {less}")
        self._lost |= dict.fromkeys([(purpose, name) for name in batch.ids], _FAILED)
