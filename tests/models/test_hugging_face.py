"""`hf:DIRECTORY`: equal to transformers' own pipeline, whatever order and batches; items 112, 113, 128."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys

import numpy as np
import pytest

from salva.asking.pipeline import query
from salva.errors import InputError, UsageError
from salva.models import ModelOptions, open_model
from salva.models.hugging_face import takes_wide_mask
from salva.models.tokens import length_batches, slow_tokens_of, tokens_of
from tests.models.conftest import WORDS

pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def model(bert):
    return open_model(f"hf:{bert}", ModelOptions(device="cpu"))


@pytest.fixture
def folder(bert, tmp_path):
    """A copy of the folder, to be broken."""
    return shutil.copytree(bert, tmp_path / "model")


def change(folder, **values):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def sentences(count):
    draw = random.Random(0)
    return [" ".join(draw.choices(WORDS[4:], k=draw.randint(0, 25))) for _ in range(count)]


def test_the_answers_are_those_of_the_pipeline(model, bert):
    from transformers import pipeline

    texts = sentences(100)
    pipe = pipeline("text-classification", model=str(bert), device="cpu")
    expected = [pipe(text, truncation=True, max_length=16)[0] for text in texts]
    answers = query(model, texts)
    assert answers.labels == [one["label"] for one in expected]
    assert answers.probabilities == pytest.approx([one["score"] for one in expected], abs=1e-5)
    assert set(answers.labels) == set(model.classes) == {"NEGATIVE", "POSITIVE"}


def test_pairs_are_told_from_texts(model, bert):
    from transformers import pipeline

    pipe = pipeline("text-classification", model=str(bert), device="cpu")
    pairs = [("good film", "bad film ."), ("the very bad", "good")]
    expected = pipe([{"text": a, "text_pair": b} for a, b in pairs])
    assert query(model, pairs).probabilities == pytest.approx([one["score"] for one in expected], abs=1e-5)


def test_108_order_and_batches_do_not_change_an_answer(model):
    texts = sentences(50)
    whole = query(model, texts)
    alone = [query(model, [text]) for text in texts]
    assert [one.labels[0] for one in alone] == whole.labels
    assert [one.probabilities[0] for one in alone] == pytest.approx(whole.probabilities, abs=1e-5)


def test_batches_under_way_at_once_get_the_answers_of_one_at_a_time(model):
    texts = sentences(60)
    parts = [texts[:20], texts[20:21], [], texts[21:], list(zip(texts, texts[::-1], strict=True))]
    calls = [model.begin(part) for part in parts]
    assert [call.result() for call in calls] == [model.predict(part) for part in parts]
    model.close()
    assert model.begin(texts[:2]).result() == model.predict(texts[:2])


def test_the_mask_for_a_gpu_changes_no_answer(bert, monkeypatch):
    model, texts = open_model(f"hf:{bert}"), [*sentences(40), "good", "bad bad"]
    plain = model.predict(texts)
    assert takes_wide_mask(model._model)
    monkeypatch.setattr(model, "_wide_mask", True)
    wide = model.predict(texts)
    assert wide.labels == plain.labels
    assert wide.probabilities == pytest.approx(plain.probabilities, abs=1e-6)


def test_a_mask_that_a_model_reads_differently_is_not_used(bert):
    model = open_model(f"hf:{bert}")
    model._model.set_attn_implementation("eager")
    assert not takes_wide_mask(model._model)


def test_112_texts_that_are_too_long_are_counted(model):
    answers = query(model, ["good " * 14, "good " * 15, "good " * 5000])
    assert answers.cut == [False, True, True]
    assert answers.labels[1] == answers.labels[2]


def saved(folder, kind, **values):
    """Save another random classifier over the one in the folder."""
    import transformers

    config = getattr(transformers, f"{kind}Config")(vocab_size=len(WORDS), num_labels=2, **values)
    getattr(transformers, f"{kind}ForSequenceClassification")(config).save_pretrained(folder)
    return open_model(f"hf:{folder}", ModelOptions(device="cpu"))


SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def test_112_positions_that_begin_at_the_padding_are_not_counted(folder):
    model = saved(folder, "Roberta", max_position_embeddings=17, pad_token_id=0, **SMALL)
    answers = query(model, ["film " * 14, "film " * 15])
    assert (answers.cut, answers.errors) == ([False, True], [None, None])


def test_a_model_that_knows_no_padding_reads_one_text_at_a_time(folder):
    tokenizer = json.loads((folder / "tokenizer_config.json").read_text())
    tokenizer.pop("pad_token")
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    model = saved(folder, "GPT2", n_positions=16, n_embd=16, n_layer=1, n_head=2)
    texts = sentences(20)
    answers = query(model, texts)
    assert answers.errors == [None] * 20
    assert answers.probabilities == pytest.approx([query(model, [text]).probabilities[0] for text in texts])


@pytest.mark.parametrize("text", ["", "  ", "🙂", "\0", "\u202e", "好"])
def test_113_a_text_of_which_nothing_is_left_gets_an_answer(model, text):
    assert query(model, [text]).labels[0] in model.classes


def test_batches_have_like_lengths_and_keep_to_the_budget():
    lengths = random.Random(1).choices(range(1, 513), k=1000)
    batches = list(length_batches(np.array(lengths), 8192))
    assert sorted(i for batch in batches for i in batch) == list(range(1000))
    assert all(len(batch) * max(lengths[i] for i in batch) <= 8192 for batch in batches)
    padding = sum(len(batch) * max(lengths[i] for i in batch) for batch in batches) / sum(lengths)
    assert padding < 1.1


def test_few_shapes_as_on_a_gpu_give_the_same_answers(bert, monkeypatch):
    texts = sentences(100)
    expected = query(open_model(f"hf:{bert}", ModelOptions(device="cpu")), texts)
    model = open_model(f"hf:{bert}", ModelOptions(device="cpu"))
    model._step, model._budget = 8, 100
    shapes = []
    compute = model._model.forward
    monkeypatch.setattr(
        model._model,
        "forward",
        lambda **tables: (shapes.append(tuple(tables["input_ids"].shape)), compute(**tables))[1],
    )
    for size in (100, 41, 7, 1):
        answers = query(model, texts[:size])
        assert answers.probabilities == pytest.approx(expected.probabilities[:size], abs=1e-5)
    assert set(shapes) <= {(6, 16), (4, 16), (1, 16), (12, 8), (8, 8), (6, 8), (4, 8), (3, 8), (2, 8), (1, 8)}
    assert shapes[-1][0] == 1


def test_112_the_quick_way_to_tokens_is_the_documented_one(model, bert):
    from transformers import AutoTokenizer

    slow = AutoTokenizer.from_pretrained(bert)
    texts = sentences(100)
    for some in (texts, list(zip(texts, texts[::-1], strict=True))):
        quick = tokens_of(model._tokenizer.backend_tokenizer, some)
        documented = slow_tokens_of(slow, some, limit=16)
        for name in ("ids", "offsets", "cut"):
            assert getattr(quick, name).tolist() == getattr(documented, name).tolist()


def test_120_the_digest_knows_the_files_and_not_where_they_lie(model, folder):
    options = ModelOptions(device="cpu")
    assert open_model(f"hf:{folder}", options).digest == model.digest
    change(folder, id2label={"0": "bad", "1": "good"})
    assert open_model(f"hf:{folder}", options).digest != model.digest


def refused(folder, **options):
    with pytest.raises(InputError) as error:
        open_model(f"hf:{folder}", ModelOptions(**options))
    return str(error.value)


def test_only_local_folders_are_read(tmp_path):
    assert refused("bert-base-uncased") == (
        "bert-base-uncased: is not a folder; hf: reads only local folders, such as save_pretrained writes"
    )


def test_128_pickles_are_refused(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert "has no *.safetensors; pickle files can run code; convert with" in refused(folder)


def test_129_broken_weights_are_one_line(folder):
    (folder / "model.safetensors").write_bytes(b"\xff" * 100)
    assert "cannot be loaded as a sequence classifier (" in refused(folder)


def test_a_folder_without_a_tokenizer_or_config_is_one_line(folder):
    (folder / "config.json").unlink()
    assert "cannot be loaded as a sequence classifier (" in refused(folder)


def test_a_model_without_a_trained_head_is_refused(folder):
    from transformers import BertConfig, BertModel

    BertModel(BertConfig.from_pretrained(folder)).save_pretrained(folder)
    assert "has no weights for " in refused(folder)
    assert "it is not a trained sequence classifier" in refused(folder)


def test_code_in_the_folder_is_not_run(folder):
    change(folder, model_type="strange", auto_map={"AutoConfig": "evil.Config"}, architectures=["Evil"])
    (folder / "evil.py").write_text("raise SystemExit('it ran')\n")
    assert "cannot be loaded as a sequence classifier (" in refused(folder)


def test_several_labels_a_text_are_refused(folder):
    change(folder, problem_type="multi_label_classification")
    assert "does not choose one of several classes" in refused(folder)


def test_a_device_that_is_not_there_is_one_line(bert):
    for device in ("abacus", "cuda:99"):
        with pytest.raises(UsageError, match=f"device '{device}' cannot be used here"):
            open_model(f"hf:{bert}", ModelOptions(device=device))


NO_NETWORK = """
import sys
def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "pickle.find_class"}:
        print(event, arguments)
        raise RuntimeError(event)
sys.addaudithook(refuse)
from salva.models import ModelOptions, open_model
from salva.models.hugging_face import takes_wide_mask
from salva.asking.pipeline import query
print(query(open_model("hf:" + sys.argv[1], ModelOptions(device="cpu")), ["good"]).errors)
"""


@pytest.mark.slow
def test_nothing_is_fetched_unpickled_or_printed(bert):
    command = [sys.executable, "-c", NO_NETWORK, bert]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[None]\n", "")
