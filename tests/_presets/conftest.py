"""Every preset, as the tests of transforms have them."""

from __future__ import annotations

from tests.transforms.conftest import name, review_texts, transform

__all__ = ["name", "review_texts", "transform"]
