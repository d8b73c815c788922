"""Prompts: the messages of a question to a model that writes, and the replies that it may choose from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple


class Message(NamedTuple):
    """One message of a chat: who says it, and what."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a model that writes text.

    `options` are the replies among which the model has to choose, if there are any: a model that cannot be
    asked to write may compare how likely they are.

    >>> Prompt((Message("user", "2 + 2?"),)).text
    '2 + 2?'
    """

    messages: tuple[Message, ...]
    options: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether it is one message of the user."""
        return len(self.messages) == 1 and self.messages[0].role == "user"

    @property
    def dicts(self) -> list[dict[str, str]]:
        """The messages as OpenAI's protocol has them."""
        return [message._asdict() for message in self.messages]

    @property
    def _headings(self) -> list[str]:
        return [""] if self.is_plain else [f"[{role}]\n" for role, _ in self.messages]

    @property
    def text(self) -> str:
        """The messages as one text, to be read by people; each below its role unless it is plain."""
        parts = zip(self._headings, self.messages, strict=True)
        return "\n\n".join(f"{heading}{message.content}" for heading, message in parts)

    @property
    def places(self) -> list[int]:
        """Where the content of each message begins in `text`."""
        sizes = [len(h) + len(m.content) + 2 for h, m in zip(self._headings, self.messages, strict=True)]
        return [k + len(h) for k, h in zip(accumulate(sizes, initial=0), self._headings, strict=False)]
