"""A folder with a small random causal language model, whose words differ widely in probability."""

from __future__ import annotations

from pathlib import Path

WORDS = (  # noqa: SIM905  (words are easier to read than a list)
    "[BEGIN] [UNK] I saw the a an movie film picture story tale account good fine nice was and it in at "
    "ended began started old elderly error . , !"
).split()


def write_language_model(folder: Path, *, positions: int = 512) -> Path:
    """Write the model and its tokenizer."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    torch.manual_seed(1)
    numbers = {word: number for number, word in enumerate(WORDS)}
    config = transformers.GPT2Config(
        vocab_size=len(WORDS),
        n_positions=positions,
        n_embd=16,
        n_layer=2,
        n_head=2,
        initializer_range=0.7,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.utils.logging.disable_progress_bar()
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    made = Tokenizer(models.WordLevel(numbers, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", bos_token="[BEGIN]", eos_token="[BEGIN]"
    ).save_pretrained(folder)
    return folder
