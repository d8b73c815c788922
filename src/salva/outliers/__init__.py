"""Which word does not belong: sets of words, and how well vectors, thesauri and people find the outlier.

The subpackages hold the rest: `checks`, `vectors`, `people`, `authoring`; `sets` and `notes` are about files.
"""

from salva.outliers.checks.format import fix
from salva.outliers.checks.table import CHECKS, Finding, check
from salva.outliers.comparing import compare
from salva.outliers.notes import Notes, read_notes
from salva.outliers.page import write_score_page
from salva.outliers.people.agreement import agreement
from salva.outliers.policies import POLICIES
from salva.outliers.results import OutlierScore, read_score
from salva.outliers.scoring import score
from salva.outliers.sets import WordSet, export_sets, read_finished_sets, read_set, read_sets, write_set
from salva.outliers.vectors.formats import open_vectors
from salva.outliers.vectors.thesaurus import open_thesaurus

__all__ = [
    "CHECKS",
    "POLICIES",
    "Finding",
    "Notes",
    "OutlierScore",
    "WordSet",
    "agreement",
    "check",
    "compare",
    "export_sets",
    "fix",
    "open_thesaurus",
    "open_vectors",
    "read_finished_sets",
    "read_notes",
    "read_score",
    "read_set",
    "read_sets",
    "score",
    "write_score_page",
    "write_set",
]
