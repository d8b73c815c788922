"""Text in, answers out: one protocol, one file per adapter, and a safe way to query a model."""

from salva.models.answers import Answers
from salva.models.asker import Asker, Budget, Reruns
from salva.models.asking import ask
from salva.models.functions import load_function
from salva.models.generation import GENERATORS, open_generator
from salva.models.ids import text_id
from salva.models.labels import align_labels, label_name
from salva.models.opening import PREFIXES, open_model
from salva.models.options import ModelOptions
from salva.models.protocol import Model, Text
from salva.models.sample import Sample

__all__ = [
    "GENERATORS",
    "PREFIXES",
    "Answers",
    "Asker",
    "Budget",
    "Model",
    "ModelOptions",
    "Reruns",
    "Sample",
    "Text",
    "align_labels",
    "ask",
    "label_name",
    "load_function",
    "open_generator",
    "open_model",
    "text_id",
]
