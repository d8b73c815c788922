"""Models that end the process: what a model is being asked is noted in a file, which the next start reads.

A model in this process may end it in ways that no code can catch: a segmentation fault in a library, an exit
called from C, all memory used. Only then is the note still there when the run is resumed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from salva._arguments import argument
from salva._results import build
from salva._show import number_of
from salva.models import Answers, Model, Text, as_text, text_id
from salva.models.functions import FunctionModel
from salva.models.protocol import clip

logger = logging.getLogger("salva")

NOTE = "asking.json"
_DEADLY = 2  # deaths with the same text alone, after which it is not asked about again: one may be chance
_FAILED = f"the process ended {_DEADLY} times while the model was asked about this text alone"


@dataclass(frozen=True, slots=True)
class _Note:
    """A call: its model, how many texts, the first of them, how often it ended the process; deadly texts."""

    model: str
    call: str = ""
    texts: int = 0
    first: str = ""
    deaths: int = 0
    deadly: tuple[str, ...] = ()


@contextlib.contextmanager
def noting_calls(model: Model, folder: Path) -> Iterator[Model]:
    """Note what the model is asked, and warn if an earlier process ended while it was asked."""
    if not isinstance(model, FunctionModel):  # the others run no code of the user's in this process
        yield model
        return
    noted = _NotedModel(model, folder / NOTE)
    try:
        yield noted
    finally:
        noted.forget()


class _NotedModel:
    """A model whose calls are noted; a deadly text fails instead."""

    def __init__(self, model: Model, path: Path) -> None:
        self.name, self.digest, self.classes = model.name, model.digest, model.classes
        self.batch_size = model.batch_size
        self._model, self._path = model, path
        self._last = _read(path, _Note(model.digest))
        self._known = _Note(model.digest, deadly=self._last.deadly)
        self._settle()

    def predict(self, texts: list[Text]) -> Answers:
        """Return the model's answers."""
        call = _name(texts)
        if call in self._known.deadly:
            return Answers.failed(len(texts), _FAILED)
        deaths = self._last.deaths if call == self._last.call else 0
        note = replace(self._known, call=call, texts=len(texts), first=_show(texts), deaths=deaths)
        with contextlib.suppress(OSError):  # what cannot be noted can still be asked
            _write(self._path, note)
        try:
            return self._model.predict(texts)
        finally:
            self.forget()

    def close(self) -> None:
        """Close the model."""
        self._model.close()

    def forget(self) -> None:
        """Remove the note of a call that has ended; which texts are deadly is kept."""
        with contextlib.suppress(OSError):
            if self._known.deadly:
                _write(self._path, self._known)
            else:
                self._path.unlink(missing_ok=True)

    def _settle(self) -> None:
        """Count the death that a note is left of, and report it."""
        last = self._last
        if not last.call:
            return
        self._last = last = replace(last, deaths=last.deaths + 1)
        texts = number_of(last.texts, "text")
        problem = f"an earlier process of this run ended while the model was asked about {texts}"
        if last.texts == 1 and last.deaths >= _DEADLY:
            self._known = replace(self._known, deadly=(*self._known.deadly, last.call))
            logger.warning("%s, again (%s); the text is counted as failed", problem, last.first)
        else:
            remedy = f"if that happens again, continue with {argument('batch_size', 1)}"
            promise = f"a text that ends the process {_DEADLY} times is then counted as failed"
            logger.warning("%s (the first: %s); %s: %s", problem, last.first, remedy, promise)


def _name(texts: list[Text]) -> str:
    return hashlib.blake2b(b"".join(map(text_id, texts)), digest_size=16).hexdigest()


def _show(texts: list[Text]) -> str:
    first = as_text(texts[0], " / ")
    return repr(clip(first.encode("utf-8", "replace").decode(), 60))


def _read(path: Path, none: _Note) -> _Note:
    """Return the note that is left in a file; none if there is none, or of another model."""
    try:
        note = build(_Note, json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return none
    return note if note.model == none.model else none


def _write(path: Path, note: _Note) -> None:
    """Write the note whole, without waiting for the disk: it must outlive the process, not the machine."""
    temporary = path.with_name(f".tmp-{path.name}")
    temporary.write_text(json.dumps(asdict(note)))
    temporary.replace(path)
