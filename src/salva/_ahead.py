"""Work ahead: one thread takes the next items, others work on them, and the results come in order.

The caller's thread never waits for a lock that a signal cannot interrupt. So `items` must not block for long:
nobody could stop a thread that waits for standard input.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_END: Any = object()


def work_ahead(
    items: Iterable[Item], work: Callable[[Item], Result], *, threads: int = 1
) -> Generator[Result, None, None]:
    """Yield `work(item)` for every item, in order, with up to `threads` items being worked on.

    At most `threads + 1` items are held besides the one that was yielded last. An error of `items` or `work`
    is raised after the results of all earlier items. When the generator is closed, no thread is left.
    With `threads=0`, the caller's thread does everything, and nothing ahead.

    >>> list(work_ahead([-1, 2], abs))
    [1, 2]
    """
    if threads == 0:
        yield from map(work, items)
        return
    source = iter(items)
    taking, working = ThreadPoolExecutor(1), ThreadPoolExecutor(threads)

    def finish(taken: Future[Any]) -> Result:
        item = taken.result()
        return _END if item is _END else work(item)

    def start() -> Future[Result]:
        # Messages name arguments as the context of the caller says.
        taken = taking.submit(copy_context().run, lambda: next(source, _END))
        return working.submit(copy_context().run, finish, taken)

    try:
        waiting = deque(start() for _ in range(threads + 1))
        while (result := waiting.popleft().result()) is not _END:
            waiting.append(start())
            yield result
    finally:
        working.shutdown(wait=False, cancel_futures=True)
        taking.shutdown(cancel_futures=True)
        working.shutdown()
