"""What the tests of models share: small trained-looking models in folders, and models that misbehave."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from salva.asking.pipeline import query
from salva.models import Answers, ModelOptions, open_model
from tests.models.chat import KEY, running

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "film", "a", "the", "very", "."]


def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made


@pytest.fixture(scope="session")
def bert(tmp_path_factory):
    """A folder with a small random BERT that reads sixteen tokens."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        initializer_range=1.0,
        id2label={0: "NEGATIVE", 1: "POSITIVE"},
        label2id={"NEGATIVE": 0, "POSITIVE": 1},
    )
    transformers.utils.logging.disable_progress_bar()
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer(),
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    ).save_pretrained(folder)
    return folder


@pytest.fixture
def onnx_folder(tmp_path):
    """A folder with an ONNX model: two scores a word, summed over the words that are no padding."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from onnx import TensorProto, helper, numpy_helper

    weights = np.zeros((len(WORDS), 2), np.float32)
    weights[WORDS.index("good")], weights[WORDS.index("bad")] = (0, 2), (2, 0)
    weights[WORDS.index("[PAD]")] = (99, 0)  # padding that is not masked would show
    put = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "n"])
        for n in ("input_ids", "attention_mask")
    ]
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["scores"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["wide"]),
        helper.make_node("Mul", ["scores", "wide"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "middle"], ["logits"], keepdims=0),
    ]
    constants = {"weights": weights, "last": np.array([2]), "middle": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "sum",
        put,
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 2])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save(made, tmp_path / "model.onnx")
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    config = {"id2label": {"0": "neg", "1": "pos"}, "max_position_embeddings": 16, "pad_token_id": 0}
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


@pytest.fixture
def program(tmp_path):
    """Write a program that reads JSON lines, and open it; `body` is what it does with each `asked`."""
    opened = []

    def make(body, before="", **options):
        path = tmp_path / "program.py"
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        head = "import json, os, sys, time\ndef say(**answer): print(json.dumps(answer), flush=True)\n"
        path.write_text(f"{head}{before}\nfor line in sys.stdin:\n    asked = json.loads(line)\n{lines}")
        opened.append(open_model(f"command:{sys.executable} {path}", ModelOptions(**options)))
        return opened[-1]

    yield make
    for model in opened:
        model.close()


@pytest.fixture
def server(monkeypatch):
    """A chat server on this machine, which says "pos" to everything."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with running() as made:
        yield made


@pytest.fixture
def quick():
    """Try again without waiting."""
    import stamina

    with stamina.set_testing(True, attempts=100, cap=True):
        yield


def labels_of(function, texts=("a", "b"), **options) -> list[str | None]:
    return query(open_model(function, ModelOptions(**options)), list(texts)).labels


def errors_of(function, texts=("a", "b"), **options) -> list[str | None]:
    return query(open_model(function, ModelOptions(**options)), list(texts)).errors


def all_positive(texts) -> Answers:
    return Answers.of(["pos"] * len(texts))
