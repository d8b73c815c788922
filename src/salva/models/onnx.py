"""`onnx:DIRECTORY`: a sequence classifier as model.onnx, next to its tokenizer.json and config.json.

Neither torch nor transformers is needed. The softmax is taken here, because an export returns logits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from salva._files import read_text
from salva._results import read_json
from salva._show import number_of
from salva._types import Ints64
from salva.errors import InputError, UsageError, extra
from salva.models.outputs import OutputError, class_names, matrix_answers
from salva.models.protocol import Adapted, Answers, ModelOptions, Text, combined, of_folder, one_line
from salva.models.tokens import Tokens, length_batches, set_limit, tokens_of, with_tokens

_FILES = ("model.onnx", "tokenizer.json", "config.json")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_NUMBERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_TOKENS = 4_096
_SHIFTED = ("roberta", "camembert", "longformer")  # these count positions from the padding index on


class OnnxModel(Adapted):
    """A sequence classifier run by onnxruntime; `cut` marks the texts that are too long for it."""

    ahead = 2

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        config = _read_json(folder / "config.json")
        limit = _limit(folder, config)
        known = combined("onnx", of_folder(folder), limit, options.model_id)
        super().__init__(name, known, options.batch_size or 1024, _classes(folder, config))
        self._pad = config.get("pad_token_id") or 0
        self._session = _session(folder, options.device)
        self._inputs = {put.name: _NUMBERS.get(put.type, np.int64) for put in self._session.get_inputs()}
        unknown = sorted(set(self._inputs) - set(_INPUTS))
        if unknown:
            raise InputError.at(folder, None, f"model.onnx needs {unknown}, which a text does not provide")
        outputs = [put.name for put in self._session.get_outputs()]
        self._output = "logits" if "logits" in outputs else outputs[0]
        self._tokenizer = _tokenizer(folder, limit)

    def predict(self, texts: list[Text]) -> Answers:
        """Return the most likely class of each text."""
        tokens = tokens_of(self._tokenizer, texts)
        scores = np.full((len(texts), len(self.classes or ())), np.nan)
        for batch in length_batches(tokens.lengths, _TOKENS):
            scores[batch] = self._scores(tokens, batch)
        return with_tokens(matrix_answers(scores, self.classes, logits=True), tokens)

    def _scores(self, tokens: Tokens, batch: Ints64) -> NDArray[Any]:
        lengths = tokens.lengths[batch]
        tables = {name: np.empty((len(batch), lengths.max()), np.int64) for name in _INPUTS}
        tokens.padded_ids(batch, self._pad, tables["input_ids"])
        tokens.padded_types(batch, tables["token_type_ids"])
        tables["attention_mask"][:] = np.arange(lengths.max()) < lengths[:, None]
        feed = {name: tables[name].astype(dtype) for name, dtype in self._inputs.items()}
        scores: NDArray[Any] = self._session.run([self._output], feed)[0]
        if scores.shape != (len(batch), len(self.classes or ())):
            shape = f"{scores.shape} for {number_of(len(batch), 'text')}"
            raise OutputError(
                f"model.onnx returned numbers of shape {shape} and {len(self.classes or ())} classes"
            )
        return scores


def open_onnx(rest: str, options: ModelOptions) -> OnnxModel:
    """Open `onnx:DIRECTORY`."""
    folder = Path(rest)
    if not rest or not folder.is_dir():
        raise InputError.at(rest or "onnx:", None, f"is not a folder; expected one with {', '.join(_FILES)}")
    missing = [name for name in _FILES if not (folder / name).is_file()]
    if missing:
        raise InputError.at(folder, None, f"has no {missing[0]}; expected {', '.join(_FILES)}")
    with extra("onnx"):
        import onnxruntime  # noqa: F401
        import tokenizers  # noqa: F401
    return OnnxModel(folder, f"onnx:{rest}", options)


def _session(folder: Path, device: str | None) -> Any:
    import onnxruntime

    providers = ["CPUExecutionProvider"]
    if device is not None and device != "cpu":
        if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
            raise UsageError(f"device {device!r} is not available in this onnxruntime; use 'cpu'")
        providers.insert(0, "CUDAExecutionProvider")
    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(folder / "model.onnx"), quiet, providers=providers)
    except Exception as error:  # noqa: BLE001 - the library has no common base error
        problem = f"cannot be loaded by onnxruntime ({one_line(error)})"
        raise InputError.at(folder / "model.onnx", None, problem) from None


def _tokenizer(folder: Path, limit: int | None) -> Any:
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    content = read_text(path)
    try:
        tokenizer = Tokenizer.from_str(content)
    except Exception as error:  # noqa: BLE001 - the library raises plain `Exception`
        raise InputError.at(path, None, f"is not a tokenizer ({one_line(error)})") from None
    set_limit(tokenizer, limit)
    return tokenizer


def _read_json(path: Path) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError.at(path, None, "is not a JSON object")
    return content


def _classes(folder: Path, config: dict[str, Any]) -> tuple[str, ...]:
    path = folder / "config.json"
    names = config.get("id2label")
    if not isinstance(names, dict) or len(names) < 2 or not all(key.isdecimal() for key in names):
        raise InputError.at(path, None, 'has no id2label such as {"0": "negative", "1": "positive"}')
    try:
        return class_names([names[key] for key in sorted(names, key=int)])
    except OutputError as error:
        raise InputError.at(path, None, str(error)) from None


def _limit(folder: Path, config: dict[str, Any]) -> int | None:
    path = folder / "tokenizer_config.json"
    stated = _read_json(path).get("model_max_length") if path.is_file() else None
    positions = config.get("max_position_embeddings")
    if isinstance(positions, int) and any(name in str(config.get("model_type")) for name in _SHIFTED):
        positions -= (config.get("pad_token_id") or 0) + 1
    limits = [n for n in (stated, positions) if isinstance(n, int | float) and 0 < n < 1_000_000]
    return int(min(limits)) if limits else None
