"""Lines that a model is not trained on, which show what it has learned: its loss and how many it gets right.

A model that has learned nothing predicts each word no better than the frequency of words does. So the loss on
the held-out lines is compared with that of these frequencies, counted in the lines of the training.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from salva.twins.reference.buckets import Bucket, make_buckets
from salva.twins.reference.model import need_torch
from salva.twins.reference.vocabulary import PAD, Vocabulary

_SHARE = 20  # at most one line in so many is held out
_FEWEST = 5  # lines below which a loss means little


class Check(NamedTuple):
    """The loss per word, in nats, and the share of lines whose every word is right."""

    loss: float
    accuracy: float


class Split(NamedTuple):
    """Pairs of source and target: those to train on, and those held out."""

    training: list[tuple[str, str]]
    held_out: list[tuple[str, str]]


def split_lines(pairs: Sequence[tuple[str, str]], most: int, seed: int) -> Split:
    """Hold out random lines: `most` of them, or a twentieth if that is fewer; none if that is very few."""
    size = min(most, len(pairs) // _SHARE)
    order = np.random.default_rng([seed, 1]).permutation(len(pairs))
    held = set(order[: size if size >= _FEWEST else 0].tolist())
    training = [pair for k, pair in enumerate(pairs) if k not in held]
    return Split(training, [pairs[k] for k in sorted(held)])


class HeldOut:
    """Held-out lines on a device; `words` is how many are given to a network at once."""

    def __init__(self, vocabulary: Vocabulary, split: Split, *, words: int, device: Any) -> None:
        self.lines = len(split.held_out)
        self.frequency_loss = _frequency_loss(vocabulary, split)
        self._words, self._device = words, device
        self._buckets: list[Bucket] = []
        if split.held_out:
            self._buckets = make_buckets(vocabulary, split.held_out, batch=1, device=device)

    def check(self, network: Any) -> Check:
        """Return how well a network does; its mode and the random state stay as they are.

        A line is right if each of its words is the most likely one after the right words before it, which is
        so if and only if the network would write this line.
        """
        torch = need_torch()
        trains, total, words, right = network.training, 0.0, 0, 0
        on_gpu = self._device.type == "cuda"
        network.eval()
        with torch.no_grad(), torch.autocast(self._device.type, torch.bfloat16, enabled=on_gpu):
            for bucket in self._buckets:
                size = max(self._words // bucket.width, 1)
                for first in range(0, bucket.lines, size):
                    some = slice(first, min(first + size, bucket.lines))
                    wanted = bucket.target[some, 1:]
                    scores = network(bucket.source[some], bucket.target[some, :-1]).float()
                    total += float(
                        torch.nn.functional.cross_entropy(
                            scores.flatten(0, 1), wanted.flatten(), ignore_index=PAD, reduction="sum"
                        )
                    )
                    words += int((wanted != PAD).sum())
                    right += int(((scores.argmax(-1) == wanted) | (wanted == PAD)).all(1).sum())
        network.train(trains)
        return Check(total / words, right / self.lines)


def _frequency_loss(vocabulary: Vocabulary, split: Split) -> float | None:
    """Return the loss of the words' frequencies on the held-out targets; every word counts once more."""
    if not split.held_out:
        return None
    counts = Counter(word for _, target in split.training for word in vocabulary.encoded(target))
    size, total = len(vocabulary.words), sum(counts.values())
    held = [word for _, target in split.held_out for word in vocabulary.encoded(target)]
    return -sum(math.log((counts[word] + 1) / (total + size)) for word in held) / len(held)
