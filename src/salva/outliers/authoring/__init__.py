"""Help for authors and translators of sets: suggestions, new and repaired files, progress, translation."""

from salva.outliers.authoring.files import Fix, Status, fix, new_set, status
from salva.outliers.authoring.suggestions import Suggestions, suggest
from salva.outliers.authoring.translation import (
    Translation,
    read_translation,
    translation_table,
    write_table,
    write_translation,
)

__all__ = [
    "Fix",
    "Status",
    "Suggestions",
    "Translation",
    "fix",
    "new_set",
    "read_translation",
    "status",
    "suggest",
    "translation_table",
    "write_table",
    "write_translation",
]
