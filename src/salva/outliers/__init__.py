"""Which word does not belong: sets, checks, vectors and thesauri, scores, people, translation."""

from salva.outliers.agreement import Agreement, agreement
from salva.outliers.annotating import Question, Session, annotation_page, questions, write_annotation_page
from salva.outliers.answers import Answer, read_answers
from salva.outliers.authoring import Suggestion, Suggestions, suggest
from salva.outliers.check import CHECKS, PROFILES, Finding, check, tally
from salva.outliers.comparing import ScoreComparison, compare
from salva.outliers.fixing import Fix, fix
from salva.outliers.making import new_set
from salva.outliers.notes import Adaptation, Notes, read_notes, write_notes
from salva.outliers.page import score_page, write_score_page
from salva.outliers.policies import POLICIES
from salva.outliers.results import OutlierScore
from salva.outliers.saved import read_score
from salva.outliers.scoring import score
from salva.outliers.sets import (
    Exercise,
    WordSet,
    export_sets,
    read_set,
    read_sets,
    set_path,
    sets_table,
    write_set,
)
from salva.outliers.status import Status, status
from salva.outliers.thesaurus import Thesaurus, open_thesaurus
from salva.outliers.translating import (
    Translation,
    read_translation,
    translation_table,
    write_table,
    write_translation,
)
from salva.outliers.vectors import Similarities, Vectors, open_vectors

__all__ = [
    "CHECKS",
    "POLICIES",
    "PROFILES",
    "Adaptation",
    "Agreement",
    "Answer",
    "Exercise",
    "Finding",
    "Fix",
    "Notes",
    "OutlierScore",
    "Question",
    "ScoreComparison",
    "Session",
    "Similarities",
    "Status",
    "Suggestion",
    "Suggestions",
    "Thesaurus",
    "Translation",
    "Vectors",
    "WordSet",
    "agreement",
    "annotation_page",
    "check",
    "compare",
    "export_sets",
    "fix",
    "new_set",
    "open_thesaurus",
    "open_vectors",
    "questions",
    "read_answers",
    "read_notes",
    "read_score",
    "read_set",
    "read_sets",
    "read_translation",
    "score",
    "score_page",
    "set_path",
    "sets_table",
    "status",
    "suggest",
    "tally",
    "translation_table",
    "write_annotation_page",
    "write_notes",
    "write_score_page",
    "write_set",
    "write_table",
    "write_translation",
]
