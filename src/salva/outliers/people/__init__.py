"""Exercises for people: questions, their page, the answers, and how well annotators agree."""

from salva.outliers.people.agreement import Agreement, Answer, agreement, read_answers
from salva.outliers.people.annotation import Question, annotation_page, questions, write_annotation_page

__all__ = [
    "Agreement",
    "Answer",
    "Question",
    "agreement",
    "annotation_page",
    "questions",
    "read_answers",
    "write_annotation_page",
]
