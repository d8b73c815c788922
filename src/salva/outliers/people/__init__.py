"""Exercises for people: questions, sessions and pages, the answers, and how well annotators agree."""

from salva.outliers.people.agreement import Agreement, agreement
from salva.outliers.people.annotation import (
    Question,
    Session,
    annotation_page,
    questions,
    write_annotation_page,
)
from salva.outliers.people.answers import Answer, read_answers

__all__ = [
    "Agreement",
    "Answer",
    "Question",
    "Session",
    "agreement",
    "annotation_page",
    "questions",
    "read_answers",
    "write_annotation_page",
]
