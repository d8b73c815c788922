"""The beginning that all prompts share is read once, and nobody sees a difference."""

from __future__ import annotations

import pytest

from salva.asking.pipeline import query
from salva.models import Message, ModelOptions, Prompt, hugging_face_text, open_model
from tests.language_model import WORDS, write_language_model

transformers = pytest.importorskip("transformers")
EXAMPLES = "I saw the good movie . it was a fine film . " * 5
ENDS = ("it ended", "the old story began and", "I saw", "a nice tale , an account of it in the error", "the")
PROMPTS = [Prompt((Message("system", EXAMPLES), Message("user", end))) for end in ENDS]


def write_llama(folder, **more):
    """Write a Llama with the tokenizer of the other model, and a chat template."""
    import torch

    write_language_model(folder)
    torch.manual_seed(2)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.LlamaConfig(
        vocab_size=len(WORDS), initializer_range=0.7, bos_token_id=0, eos_token_id=0, **sizes, **more
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }} . {% endfor %}"
    tokenizer.save_pretrained(folder)
    return folder


def write_all(folder, prompts=PROMPTS, **options):
    """Return the replies, and how many tokens the model was given to read."""
    model = open_model(f"hf:{folder}", ModelOptions(writes=True, max_new_tokens=6, device="cpu", **options))
    read = []
    inner = model._scorer if options else model
    layer = inner._model.get_input_embeddings()
    layer.register_forward_pre_hook(lambda _, given: read.append(given[0].numel()))
    return query(model, prompts), sum(read)


@pytest.mark.parametrize("write", [write_language_model, write_llama])
def test_replies_are_the_same_with_and_without_a_shared_beginning(tmp_path, monkeypatch, write):
    folder = write(tmp_path)
    shared, few = write_all(folder)
    monkeypatch.setattr(hugging_face_text, "LEAST", 1 << 30)
    plain, many = write_all(folder)
    assert shared == plain
    assert len(set(plain.labels)) > 2
    assert few < many / 2
    assert [write_all(folder, [prompt])[0].labels[0] for prompt in PROMPTS] == plain.labels


@pytest.mark.parametrize("write", [write_language_model, write_llama])
def test_options_are_chosen_alike_with_and_without_a_shared_beginning(tmp_path, monkeypatch, write):
    folder, options = write(tmp_path), ("fine film", "error", "elderly picture was nice", "began")
    prompts = [Prompt(prompt.messages, options) for prompt in PROMPTS]
    shared, few = write_all(folder, prompts, choose_by="likelihood")
    monkeypatch.setattr(hugging_face_text, "LEAST", 1 << 30)
    plain, many = write_all(folder, prompts, choose_by="likelihood")
    assert shared.labels == plain.labels
    assert shared.probabilities == pytest.approx(plain.probabilities, rel=1e-4)
    assert few < many / 2


def test_a_beginning_that_is_short_or_of_one_prompt_is_not_kept(tmp_path):
    folder = write_language_model(tmp_path)
    short = [Prompt((Message("user", f"I saw the {end}"),)) for end in ENDS]
    model = open_model(f"hf:{folder}", ModelOptions(writes=True, device="cpu"))._model
    for rows in ([[1, 2, 3], [1, 2, 4]], [[5] * 99], [[5] * 99, [6] * 99], []):
        assert hugging_face_text.SharedPrefix(model, rows).tokens == []
    assert len(hugging_face_text.SharedPrefix(model, [[5] * 99, [5] * 40]).tokens) == 39
    assert all(label is not None for label in write_all(folder, short)[0].labels)
