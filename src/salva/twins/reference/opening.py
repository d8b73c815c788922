"""Open the reference model as a model that writes: `reference:DIRECTORY`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from salva._files import digest
from salva.models import Model, ModelOptions, Text, as_text
from salva.models.functions import FunctionGenerator
from salva.models.protocol import combined
from salva.twins.reference.model import ABOUT, WEIGHTS, load_reference

_BATCH = 4096


def open_reference(folder: str, options: ModelOptions) -> Model:
    """Open the model in a folder; it is identified by its weights and their description."""
    model = load_reference(folder, device=options.device)

    def write(texts: list[Text]) -> list[str]:
        return model.write([as_text(text, " ") for text in texts])

    files = (digest(Path(folder) / name) for name in (WEIGHTS, ABOUT))
    return FunctionGenerator(
        write,
        name=f"reference:{folder}",
        digest=combined("reference", *files, options.model_id),
        options=replace(options, batch_size=options.batch_size or _BATCH),
    )
