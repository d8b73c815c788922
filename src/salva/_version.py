"""The version of Salva, which builds read here too: it is known without an installed package."""

from __future__ import annotations

__version__ = "0.1.0.dev0"
