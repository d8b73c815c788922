"""How many answers change when sources are asked again, compared in the same way as the answers of pairs."""

from __future__ import annotations

from collections.abc import Sequence

from salva._show import number_of
from salva.models import Text
from salva.runs import Noise, Reruns, count_noise
from salva.twins.comparators import Comparator
from salva.twins.pair import TwinPair


def noise_of(pairs: Sequence[TwinPair], reruns: Reruns, chosen: Comparator) -> Noise:
    """Return how many answers changed."""
    kinds: dict[Text, str] = {pair.source: pair.kind for pair in reversed(pairs)}

    def changed(answers: Sequence[str | None]) -> list[int]:
        codes = []
        rows = zip(reruns.texts, reruns.first, answers, strict=False)  # not all are asked alone
        for text, first, answer in rows:
            if first is None or answer is None:
                codes.append(-1)
            else:
                forms = (chosen.form(one, kinds[text]) for one in (first, answer))
                codes.append(int(not chosen.equal(*forms)))
        return codes

    answered = [-1 if first is None else 0 for first in reruns.first]
    return count_noise(answered, changed(reruns.again), changed(reruns.alone))


def noise_notes(found: Noise) -> list[str]:
    """Return notes on the noise that a reader needs to judge the consistency."""
    notes = []
    if found.changed:
        some = f"{found.changed:,} of {number_of(found.asked, 'source')}"
        changed = f"the model answers {some} differently when asked again"
        notes.append(
            f"{changed}: its answers vary by themselves, and as many pairs may be inconsistent by chance"
        )
    if found.alone_changed and not found.changed:
        changed = (
            f"{found.alone_changed:,} of {number_of(found.alone_asked, 'answer')} differ when asked alone"
        )
        notes.append(f"{changed}: the model's answer depends on the batch")
    return notes
