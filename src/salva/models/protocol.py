"""What every model is here: texts in, answers out, and known by a digest."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from salva.models.answers import Answers

__all__ = ["Model", "Text"]

Text: TypeAlias = str | tuple[str, str]


@runtime_checkable
class Model(Protocol):
    """A model under test. Ask it by `ask`, which bears with everything that it may do."""

    name: str
    """As shown to people: no secrets."""
    digest: str
    """`sha256:…`; differs whenever answers may differ."""
    classes: tuple[str, ...] | None
    """The names of the classes, where they are known before the first answer."""
    batch_size: int
    """How many texts a call suit it."""

    def predict(self, texts: list[Text]) -> Answers:
        """Return an answer for each text, in their order; may raise anything."""
        ...

    def close(self) -> None:
        """Stop what runs and free what is held; a later `predict` may begin anew."""
        ...
