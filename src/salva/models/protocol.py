"""The protocol that every model follows: texts in, answers out, and a digest that identifies it."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from salva.models.answers import Answers

Text: TypeAlias = str | tuple[str, str]


@runtime_checkable
class Model(Protocol):
    """A model under test. Query it with `ask`, which copes with anything it may do."""

    name: str
    """The name shown to people; holds no secrets."""
    digest: str
    """`sha256:…`; differs whenever answers may differ."""
    classes: tuple[str, ...] | None
    """The class names, if they are known before the first answer."""
    batch_size: int
    """How many texts to send per call."""

    def predict(self, texts: list[Text]) -> Answers:
        """Return one answer per text, in the same order; may raise anything."""
        ...

    def close(self) -> None:
        """Stop whatever is running and free what is held; a later `predict` may start over."""
        ...
