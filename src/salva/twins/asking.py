"""Ask a model about pairs: every distinct text once, some sources again, with all answers kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from salva.models import Text, text_id
from salva.runs import AnswerStore, Asker, Purpose, Reruns, Sample
from salva.runs.noise import ALONE_TEXTS
from salva.twins.pair import TwinPair

Progress: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers to pairs, None where the model failed; the answers of reruns; and why the model failed."""

    answers: list[str | None]
    twin_answers: list[str | None]
    reruns: Reruns
    errors: dict[str, int] = field(default_factory=dict)
    cut: int = 0  # distinct texts whose input or answer was cut off by a limit of the model


def ask_pairs(
    pairs: Sequence[TwinPair], asker: Asker, *, noise: int, progress: Progress = lambda _: None
) -> dict[str, int]:
    """Ask about the sources and twins of pairs, then about some sources again; return why texts failed."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.source, pair.twin)))
    size = asker.model.batch_size
    for first in range(0, len(texts), size):
        asker.answers(texts[first : first + size])
        progress(min(first + size, len(texts)))
    errors = dict(asker.failures())
    asker.rerun(_some_sources(pairs, noise))
    asker.finish()
    return errors


def kept_answers(pairs: Sequence[TwinPair], store: AnswerStore, *, noise: int) -> Asked:
    """Return the answers to pairs from a store."""
    sources: list[Text] = [one.source for one in pairs]
    twins: list[Text] = [one.twin for one in pairs]
    ids = list(dict.fromkeys(map(text_id, (*sources, *twins))))
    cut = sum(one.truncated for one in store.find(ids).values())
    answers, twin_answers = (_found(store, texts) for texts in (sources, twins))
    again = _some_sources(pairs, noise)
    reruns = Reruns(
        again,
        _found(store, again),
        _found(store, again, Purpose.AGAIN),
        _found(store, again[:ALONE_TEXTS], Purpose.ALONE),
    )
    return Asked(answers, twin_answers, reruns, cut=cut)


def _found(store: AnswerStore, texts: Sequence[Text], purpose: Purpose = Purpose.FIRST) -> list[str | None]:
    ids = [text_id(text) for text in texts]
    found = store.find(list(dict.fromkeys(ids)), purpose)
    return [found[name].label if name in found else None for name in ids]


def _some_sources(pairs: Sequence[TwinPair], size: int) -> list[Text]:
    sample = Sample(size)
    for pair in pairs:
        sample.offer(pair.source)
    return sample.texts()
