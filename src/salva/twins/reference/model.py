"""Save, load and run the reference model: a small encoder-decoder that Salva trains itself.

A folder holds `model.safetensors` and `model.json` (shape, words, how it was trained). Needs the extra
`torch`, but neither kernels nor Arrow, so a model can be trained on a machine with a GPU and little else.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salva._files import read_text, write_atomically
from salva._torch import find_device
from salva._types import PathLike
from salva.errors import InputError, MissingExtraError
from salva.twins.reference.vocabulary import Vocabulary, padded

if TYPE_CHECKING:
    from salva.twins.reference.network import Network

WEIGHTS, ABOUT = "model.safetensors", "model.json"
FORMAT = 1
_NARROW = 128
_BATCH_TOKENS = {"cpu": 8_192, "cuda": 262_144}  # per batch, including the states of all steps


def need_torch() -> Any:
    """Return torch; if it is missing, raise an error that names the extra."""
    try:
        import safetensors.torch  # noqa: F401
        import torch
    except ModuleNotFoundError as error:
        raise MissingExtraError((error.name or "torch").partition(".")[0], extra="torch") from None
    return torch


@dataclass(frozen=True, slots=True)
class ReferenceModel:
    """A trained network with its vocabulary; `about` records how it was trained."""

    network: Network
    vocabulary: Vocabulary
    longest: int  # maximum number of words that it writes
    about: dict[str, Any]

    def write(self, lines: Sequence[str]) -> list[str]:
        """Return the network's output for lines, computed in batches of similar length, longest first."""
        torch = need_torch()
        network, device = self.network.eval(), next(self.network.parameters()).device
        rows = [self.vocabulary.encoded(line) for line in lines]
        out = [""] * len(lines)
        half = torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")
        with half, tuned(device, network.shape.width):
            for batch in self._batches(rows, device.type):
                source = torch.from_numpy(padded([rows[i] for i in batch])).to(device)
                for i, numbers in zip(batch, network.write(source, self.longest).tolist(), strict=True):
                    out[i] = self.vocabulary.decoded(numbers)
        return out

    def _batches(self, rows: Sequence[Sequence[int]], device: str) -> Iterator[list[int]]:
        order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
        budget = _BATCH_TOKENS.get(device, _BATCH_TOKENS["cpu"])
        while order:
            size = max(budget // (len(rows[order[0]]) + self.longest), 1)
            yield order[:size]
            order = order[size:]

    def save(self, folder: PathLike) -> None:
        """Write the weights and their description; an older model in the folder is replaced."""
        need_torch()
        from safetensors.torch import save

        home = Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        state = self.network.state_dict()
        weights = {name: weight.detach().float().cpu().contiguous() for name, weight in state.items()}
        write_atomically(home / WEIGHTS, save(weights), overwrite=True)
        held = {
            "format": FORMAT,
            "shape": asdict(self.network.shape),
            "longest": self.longest,
            "about": self.about,
            "words": self.vocabulary.words,
        }
        write_atomically(home / ABOUT, (json.dumps(held, indent=1) + "\n").encode(), overwrite=True)


def load_reference(folder: PathLike, *, device: str | None = None) -> ReferenceModel:
    """Return the model in a folder; only safetensors and JSON are read."""
    need_torch()
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from salva.twins.reference.network import Network, Shape

    place = Path(folder) / ABOUT
    held = _about(place)
    try:
        words, shape = Vocabulary(tuple(held["words"])), Shape(**held["shape"])
        network = Network(len(words.words), shape)
        network.load_state_dict(load_file(Path(folder) / WEIGHTS))
    except (KeyError, TypeError, RuntimeError, OSError, SafetensorError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError.at(
            folder, None, f"does not hold a complete reference model ({reason:.120})"
        ) from None
    return ReferenceModel(network.to(find_device(device)).eval(), words, int(held["longest"]), held["about"])


def _about(place: Path) -> dict[str, Any]:
    try:
        held = json.loads(read_text(place))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError.at(place, None, f"is cut off or broken ({error})") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise InputError.at(place, None, f"is not a reference model of format {FORMAT}; train a new one")
    return held


@contextlib.contextmanager
def tuned(device: Any, width: int) -> Iterator[None]:
    """Set torch options that make it fast here, and restore them afterwards."""
    torch = need_torch()
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    cudnn = torch.backends.cuda.cudnn_sdp_enabled()
    if device.type == "cpu" and width <= _NARROW:
        # Matrices this small gain little from a second thread: two busy cores took 1.4 s per step, not 0.16.
        torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")
    torch.backends.cuda.enable_cudnn_sdp(False)  # 45 ms per step instead of 78 on an H200
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision(precision)
        torch.backends.cuda.enable_cudnn_sdp(cudnn)
