"""The id of a text: by it answers that were made elsewhere find their text again."""

from __future__ import annotations

import hashlib

from salva.models.protocol import Text

__all__ = ["text_id"]


def text_id(text: Text) -> bytes:
    """Return the 16 bytes by which a text, or a pair of texts, is known; its hexadecimal is what is exported.

    >>> text_id("fine").hex()
    '904487a163bd8a70172346f3fc67c47d'
    """
    whole = text if isinstance(text, str) else "\0".join(text)
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()
