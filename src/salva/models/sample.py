"""A sample of texts to ask about again: chosen by their ids, so the order of the texts does not matter."""

from __future__ import annotations

import heapq

from salva.models.ids import text_id
from salva.models.protocol import Text


class Sample:
    """The texts with the smallest ids among those offered."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[int, Text]] = []
        self._known: set[int] = set()

    def offer(self, text: Text) -> None:
        """Add a text if its id is among the smallest."""
        key = -int.from_bytes(text_id(text), "big")
        if key in self._known or not self._size:
            return
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, (key, text))
        elif key > self._heap[0][0]:
            self._known.discard(heapq.heapreplace(self._heap, (key, text))[0])
        else:
            return
        self._known.add(key)

    def texts(self) -> list[Text]:
        """Return the texts in the order of their ids."""
        return [text for _, text in sorted(self._heap, reverse=True, key=lambda item: item[0])]
