"""Help for authors and translators of sets: repaired files, and translation."""

from salva.outliers.authoring.translation import (
    Translation,
    read_translation,
    translation_table,
    write_table,
    write_translation,
)
from salva.outliers.checks.format import Fix, fix

__all__ = [
    "Fix",
    "Translation",
    "fix",
    "read_translation",
    "translation_table",
    "write_table",
    "write_translation",
]
