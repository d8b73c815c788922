"""`skops:FILE`: a scikit-learn estimator saved with skops, which runs no code from the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from salva._files import digest, open_regular
from salva.errors import InputError, extra
from salva.models.functions import as_model
from salva.models.identity import combined
from salva.models.options import ModelOptions
from salva.models.protocol import Model, one_line

_PICKLES = {".pkl", ".pickle", ".joblib", ".pt", ".pth", ".dill"}


def open_skops(rest: str, options: ModelOptions) -> Model:
    """Open `skops:FILE`; refuse types that skops does not consider harmless."""
    path = Path(rest)
    if path.suffix.lower() in _PICKLES:
        problem = "pickle files can run code; convert with skops.io.dump(model, 'model.skops')"
        raise InputError.at(path, None, problem)
    open_regular(path).close()
    with extra("skops"):
        import skops.io  # noqa: F401
    known = combined("skops", digest(path), options.model_id, options.logits)
    return as_model(_loaded(path), f"skops:{rest}", known, options)


def _loaded(path: Path) -> Any:
    import skops.io

    try:
        untrusted = skops.io.get_untrusted_types(file=path)
        if untrusted:
            shown = ", ".join(untrusted[:5])
            problem = f"holds {shown}, which skops does not trust; load it in a module of your own (python:)"
            raise InputError.at(path, None, problem)
        return skops.io.load(path, trusted=[])
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - a broken file fails in many ways
        raise InputError.at(path, None, f"cannot be loaded by skops ({one_line(error)})") from None
