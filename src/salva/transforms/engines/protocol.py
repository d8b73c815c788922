"""What an engine provides: a function that maps work over items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

#: A function of a module, called with what all items share and with one item; all plain data.
Work: TypeAlias = Callable[..., Any]


class Map(Protocol):
    """Calls `work(common, item)` for every item, and yields its number and result when it is ready.

    Workers may do an item twice, at the same time or one after the other.
    """

    def __call__(
        self, work: Work, common: Mapping[str, Any], items: Sequence[Mapping[str, Any]], /
    ) -> Iterator[tuple[int, Any]]:
        """Begin the work."""
        ...
