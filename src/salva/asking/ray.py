"""A model that actors of Ray ask: each opens it for itself, on its GPU or its core, and answers batches.

Plain data travels: the spec and options of the model to an actor, then texts and answers. A model that exists
only in memory cannot be sent. If an actor dies, another one takes its place, and its batch is asked about
again; if it dies again, the texts at fault are looked for as in a batch that raises an error.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from salva._arguments import Flags, argument, flags_shown, on_command_line
from salva._ray import joined
from salva._show import number_of
from salva.asking.pipeline import query
from salva.errors import InputError, ModelError, SalvaError, StorageError, UsageError
from salva.models import Answers, Model, ModelOptions, Text, open_model
from salva.models.guard import Call, Worker, stdout_to_stderr

_SLOTS = 2  # batches per actor: one that it works on, and one that waits
_ERRORS = {kind.exit_code: kind for kind in (UsageError, InputError, ModelError, StorageError)}

_log = logging.getLogger("salva")


class ActorDiedError(Exception):
    """The process of an actor ended while it was asked."""


class ModelActor:
    """What runs in the process of an actor: the model, opened when it is first needed."""

    def __init__(self, spec: str, options: dict[str, Any], folder: str, *, flags: Flags | None) -> None:
        self._spec, self._options, self._flags = spec, ModelOptions(**options), flags
        self._model: Model | None = None
        with contextlib.suppress(OSError):  # another machine may not have the folder, nor need it
            os.chdir(folder)

    def describe(self) -> dict[str, Any]:
        """Return what is known of the model, or why it cannot be opened."""
        names = ("name", "digest", "classes", "batch_size")
        return self._do(lambda model: {name: getattr(model, name) for name in names})

    def answer(self, texts: list[Text]) -> dict[str, Any]:
        """Return the answers to a batch, or why going on is pointless."""
        return self._do(lambda model: dataclasses.asdict(query(model, texts, timeout=self._options.timeout)))

    def _do(self, work: Callable[[Model], dict[str, Any]]) -> dict[str, Any]:
        try:
            with on_command_line(self._flags):
                self._model = self._model or open_model(self._spec, self._options)
                return work(self._model)
        except SalvaError as error:
            return {"error": str(error), "code": error.exit_code}


class ActorsModel:
    """The model in all actors, as one that works on several batches at once."""

    def __init__(self, ray: Any, remote: Any, count: int) -> None:
        self._ray, self._remote = ray, remote
        self._actors = [remote() for _ in range(count)]
        self._turn = threading.Lock()
        self.ahead = _SLOTS * count
        self._workers = [Worker("salva-actor") for _ in range(self.ahead)]
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(self.ahead):
            self._free.put(slot)
        try:
            about = self._ask(0, "describe")
        except ActorDiedError as error:
            raise ModelError(f"{error}, before it had opened the model") from None
        self.name: str = about["name"]
        self.digest: str = about["digest"]
        self.classes: tuple[str, ...] | None = about["classes"] and tuple(about["classes"])
        self.batch_size: int = about["batch_size"]

    def begin(self, texts: list[Text]) -> Call[Answers]:
        """Send a batch to an actor that has room for it."""
        slot = self._free.get()
        return self._workers[slot].begin(lambda: self._answer(slot, texts))

    def predict(self, texts: list[Text]) -> Answers:
        """Ask one actor, once."""
        return self._answer(self._free.get(), texts, again=False)

    def close(self) -> None:
        """End the actors."""
        for worker in self._workers:
            worker.stop()
        for actor in self._actors:
            self._ray.kill(actor)

    def _answer(self, slot: int, texts: list[Text], *, again: bool = True) -> Answers:
        try:
            return Answers(**self._ask(slot, "answer", texts))
        except ActorDiedError as error:
            if not again:
                raise
            _log.warning("%s; asking again about %s", error, number_of(len(texts), "text"))
            return Answers(**self._ask(slot + 1, "answer", texts))
        finally:
            self._free.put(slot)

    def _ask(self, slot: int, method: str, *given: Any) -> dict[str, Any]:
        """Call a method of the actor of a slot; if the actor dies, put another one in its place."""
        place = slot % len(self._actors)
        actor = self._actors[place]
        try:
            reply: dict[str, Any] = self._ray.get(getattr(actor, method).remote(*given))
        except self._ray.exceptions.RayActorError:
            with self._turn:
                if self._actors[place] is actor:
                    self._ray.kill(actor)
                    self._actors[place] = self._remote()
            raise ActorDiedError("an actor of Ray died while it was asked") from None
        if "error" in reply:
            raise _ERRORS.get(reply["code"], ModelError)(reply["error"])
        return reply


@contextlib.contextmanager
def open_actors(
    model: object, options: ModelOptions, *, actors: int | None = None, address: str | None = None
) -> Iterator[ActorsModel]:
    """Open a model in actors: one per GPU, or per core if there are none, on all machines of the Ray."""
    if not isinstance(model, str):
        problem = f"a model in memory cannot be sent to {argument('engine', 'ray')}"
        raise UsageError(f"{problem}; give a spec, such as 'python:package.module:function'")
    if model.startswith("answers:"):
        raise UsageError(f"{model[:100]!r} has its answers already; leave out {argument('engine', 'ray')}")
    with stdout_to_stderr(except_here=True), joined(address) as ray:  # Ray prints what dies
        there = ray.cluster_resources()
        on_cpu = options.device is not None and not options.device.startswith("cuda")
        gpus, cpus = 0 if on_cpu else int(there.get("GPU", 0)), int(there.get("CPU", 0))
        count = actors or gpus or cpus
        if count > cpus:
            problem = f"{argument('actors', count)} is more than Ray has cores ({cpus})"
            raise UsageError(f"{problem}; leave it out, or start Ray with more")
        plain = dataclasses.asdict(dataclasses.replace(options, device="cuda" if gpus else "cpu"))
        cls = ray.remote(ModelActor).options(num_cpus=1, num_gpus=min(gpus / count, 1))
        given = (model, plain, os.getcwd())  # noqa: PTH109
        flags = flags_shown()
        opened = ActorsModel(ray, lambda: cls.remote(*given, flags=flags), count)
        with contextlib.closing(opened):
            yield opened
