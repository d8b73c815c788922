"""Text in, answers out: one protocol, and one file per adapter."""

from salva.models.answers import Answers
from salva.models.functions import load_function
from salva.models.generation import GENERATORS, open_generator
from salva.models.ids import text_id
from salva.models.labels import align_labels, label_name
from salva.models.opening import PREFIXES, open_model
from salva.models.options import ModelOptions
from salva.models.protocol import Model, Text

__all__ = [
    "GENERATORS",
    "PREFIXES",
    "Answers",
    "Model",
    "ModelOptions",
    "Text",
    "align_labels",
    "label_name",
    "load_function",
    "open_generator",
    "open_model",
    "text_id",
]
