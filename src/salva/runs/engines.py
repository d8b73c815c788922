"""Where a model is asked: in this process, or by actors on the machines of a Ray."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from salva._arguments import argument, check_whole, did_you_mean
from salva.errors import UsageError
from salva.models import Model, ModelOptions, open_model
from salva.runs.actors import open_actors


@dataclass(frozen=True, slots=True)
class Engine:
    """Where a model is asked: `local` or `ray`.

    For Ray, `actors` is how many processes open the model, by default one per GPU, or per core if there are
    none; `address` is that of a cluster, by default in `RAY_ADDRESS`, or else a Ray on this machine.
    """

    name: str = "local"
    actors: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            hint = did_you_mean(self.name, ENGINES, otherwise=f"choose from {', '.join(ENGINES)}")
            raise UsageError(f"engine {self.name!r} is unknown; {hint}")
        if self.actors is not None:
            check_whole("actors", self.actors, 1, 1 << 16)
        for name in ("actors", "address"):
            if self.name == "local" and getattr(self, name) is not None:
                raise UsageError(f"{argument(name)} is for {argument('engine', 'ray')}; leave it out")

    @classmethod
    def of(cls, given: str | Engine) -> Engine:
        """Return an engine that is given by its name, or as it is."""
        return given if isinstance(given, Engine) else cls(given)

    def timeout(self, options: ModelOptions) -> float | None:
        """Return how many seconds to wait for a batch; actors keep to the limit themselves."""
        return options.timeout if self.name == "local" else None

    def open(self, model: object, options: ModelOptions) -> AbstractContextManager[Model]:
        """Open a model, which is closed at the end of the block."""
        return ENGINES[self.name](model, options, self)


@contextlib.contextmanager
def _open_here(model: object, options: ModelOptions, _: Engine) -> Iterator[Model]:
    with contextlib.closing(open_model(model, options)) as opened:
        yield opened


def _open_in_actors(model: object, options: ModelOptions, engine: Engine) -> AbstractContextManager[Model]:
    return open_actors(model, options, actors=engine.actors, address=engine.address)


ENGINES: dict[str, Callable[[object, ModelOptions, Engine], AbstractContextManager[Model]]] = {
    "local": _open_here,
    "ray": _open_in_actors,
}
