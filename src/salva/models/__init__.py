"""Text in, answers out: one protocol, and one file per adapter."""

from salva.models.functions import load_function
from salva.models.opening import ADAPTERS, Adapter, open_generator, open_model
from salva.models.outputs import align_labels, label_name
from salva.models.protocol import (
    ANSWERED,
    FAILED,
    REFUSED,
    TRUNCATED,
    Answers,
    Message,
    Model,
    ModelOptions,
    Prompt,
    Status,
    Text,
    as_text,
    text_id,
)

__all__ = [
    "ADAPTERS",
    "ANSWERED",
    "FAILED",
    "REFUSED",
    "TRUNCATED",
    "Adapter",
    "Answers",
    "Message",
    "Model",
    "ModelOptions",
    "Prompt",
    "Status",
    "Text",
    "align_labels",
    "as_text",
    "label_name",
    "load_function",
    "open_generator",
    "open_model",
    "text_id",
]
