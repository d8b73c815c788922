"""`hf:DIRECTORY` compared with transformers' own pipeline: same random BERT, same IMDB reviews, one run.

    python benchmarks/hugging_face.py [ROWS]

Needs the IMDB reviews in `../shared`, and `pip install 'salva[hf]'`. Both are measured alternately, on a GPU
if there is one (`results/hugging_face_gpu.md` was written on such a machine).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from publish import ROOT, publish
from salva.asking.pipeline import query
from salva.models import Model, open_model
from timing import seconds

REVIEWS = ROOT.parent / "shared/data/imdb/test.parquet"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCABULARY = 8_000
# Layers and width: a small model on a CPU, the size of BERT base on a GPU.
SIZES = {"cpu": (4, 256), "cuda": (12, 768)}
ROWS = {"cpu": 256, "cuda": 2_048}
TURNS = 5
BAR = 2.0


def reviews(count: int) -> list[str]:
    """Return reviews from all over the file, because its first half is all negative."""
    texts: list[str] = pq.read_table(REVIEWS)["text"].to_pylist()
    return texts[:: max(len(texts) // count, 1)][:count]


def write_model(
    folder: Path,
    texts: list[str],
    layers: int,
    width: int,
    *,
    heads: int | None = None,
    vocabulary: int = VOCABULARY,
) -> None:
    """Write a BERT with random weights, and a tokenizer that knows the reviews' words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(
        texts,
        trainers.WordPieceTrainer(vocab_size=vocabulary, special_tokens=list(SPECIAL), show_progress=False),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = dict(
        zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), SPECIAL, strict=True)
    )
    library: Any = transformers  # its types are incomplete
    kept = library.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **names)
    kept.save_pretrained(folder)
    torch.manual_seed(0)
    config = library.BertConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads or width // 64,
        intermediate_size=4 * width,
        num_labels=2,
    )
    library.BertForSequenceClassification(config).save_pretrained(folder)


def our_labels(model: Model, texts: list[str]) -> list[str | None]:
    """Ask the model as an evaluation does: guarded, in the model's own batches."""
    found = []
    for first in range(0, len(texts), model.batch_size):
        found += query(model, texts[first : first + model.batch_size]).labels
    return found


def their_labels(pipeline: Any, texts: list[str]) -> list[str]:
    """Ask the model as the documentation of transformers does."""
    return [one["label"] for one in pipeline(texts, batch_size=32, truncation=True)]


def compared(
    ours: Callable[[], list[Any]], theirs: Callable[[], list[Any]], turns: int
) -> tuple[float, float, float]:
    """Return the seconds of both, as medians over the turns, and the share of equal labels."""
    equal = statistics.mean(a == b for a, b in zip(ours(), theirs(), strict=True))  # also warms up
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(turns)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs), equal


def main() -> None:
    """Measure and publish."""
    if not REVIEWS.is_file():
        sys.exit(f"skipped: {REVIEWS} does not exist; see the README next to it")
    import torch
    import transformers

    bars: Any = transformers.utils.logging
    bars.disable_progress_bar()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    texts = reviews(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS[device])
    layers, width = SIZES[device]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder), texts, layers, width)
        ours = partial(our_labels, open_model(f"hf:{folder}"), texts)
        for kind in (torch.float32, torch.bfloat16) if device == "cuda" else (torch.float32,):
            pipeline = transformers.pipeline("text-classification", model=folder, device=device, dtype=kind)
            outcome = compared(ours, partial(their_labels, pipeline, texts), TURNS)
            rows.append(row(place(device), str(kind), len(texts), outcome))
    rows.append([f"the model: BERT, {layers} layers, {width} wide, {len(texts):,} IMDB reviews", "", "", ""])
    publish("hugging_face", ["what", "against", "measured", "bar"], rows)


def row(where: str, kind: str, count: int, outcome: tuple[float, float, float]) -> list[str]:
    """Return a row of the table, and print the ratio at once."""
    ours, theirs, equal = outcome
    print(f"ratio: {theirs / ours:.2f}", flush=True)
    against = f"transformers {version('transformers')} pipeline, batch_size=32, {kind.removeprefix('torch.')}"
    speeds = f"{count / ours:,.0f} and {count / theirs:,.0f} rows/s"
    measured = f"{theirs / ours:.1f} times its speed ({speeds}), {equal:.1%} of labels equal"
    return [f"`hf:` on {where}", against, measured, f"≥ {BAR:g}"]


def place(device: str) -> str:
    """Return what the model ran on."""
    import torch

    if device == "cuda":
        return f"{torch.cuda.get_device_name()}, bfloat16, torch {torch.__version__}"
    return f"the CPU, {torch.get_num_threads()} threads, torch {torch.__version__}"


if __name__ == "__main__":
    main()
