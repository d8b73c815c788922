"""Labels as codes: the classes of the data first, and the class of each label of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from salva._types import Ints32
from salva.models import align_labels


class Classes:
    """Numbers for labels; -1 means none."""

    def __init__(self, labels: Sequence[str], mapping: Mapping[str, str]) -> None:
        self.names = list(labels)
        self.aligned: dict[str, str] = {}
        self._known = tuple(labels)
        self._mapping = mapping
        self._codes = {name: code for code, name in enumerate(self.names)}
        self._answers: dict[str | None, int] = {None: -1}

    def admit(self, model_labels: Iterable[str]) -> None:
        """Find the class of each label of the model; refuse one that the data does not have."""
        for label in model_labels:
            if label not in self._answers:
                self.aligned |= align_labels([label], self._known, self._mapping)
                self._answers[label] = self._code(self.aligned[label])

    def answers(self, labels: Sequence[str | None]) -> Ints32:
        """Return the classes of the model's answers."""
        self.admit(label for label in set(labels) if label is not None)
        return np.fromiter((self._answers[label] for label in labels), np.int32, len(labels))

    def of_data(self, labels: Sequence[str | None]) -> Ints32:
        """Return the classes of the data's labels."""
        codes = (-1 if label is None else self._codes[label] for label in labels)
        return np.fromiter(codes, np.int32, len(labels))

    def name(self, code: int) -> str | None:
        """Return the label of a class."""
        return None if code < 0 else self.names[code]

    def _code(self, name: str) -> int:
        if name not in self._codes:
            self._codes[name] = len(self.names)
            self.names.append(name)
        return self._codes[name]
