"""The reference model: learns one-function lines in a thousand steps, is kept safely, runs and scores."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from salva._show import NOTICE
from salva.errors import InputError, UsageError
from salva.twins.pcfg.files import write_lines
from salva.twins.pcfg.pairing import make_pairs, write_pairs
from salva.twins.reference.buckets import _merged
from salva.twins.reference.held_out import HeldOut, Split
from salva.twins.reference.model import load_reference
from salva.twins.reference.training import SIZES, TrainingSettings, _Trainer, train
from salva.twins.reference.training_run import train_on
from salva.twins.reference.vocabulary import Vocabulary, padded
from salva.twins.running import open_sequence_model, run
from tests.conftest import ROOT
from tests.twins.lines import LETTERS, one_function_lines

torch = pytest.importorskip("torch")
QUICK = TrainingSettings(size="tiny", max_seconds=60.0, max_steps=4, longest=24, device="cpu")


@pytest.fixture(scope="module")
def quick():
    sources, targets = one_function_lines(300)
    return train(sources, targets, QUICK)


def test_words_are_numbers_and_back():
    words = Vocabulary.of(["copy B A", "A B"])
    assert words.decoded(words.encoded("B A copy")) == "B A copy"
    assert words.decoded([*words.encoded("A"), *words.encoded("B")]) == "A"
    assert words.decoded(words.encoded("A zzz B")) == "A B"


def test_lines_are_filled_up_on_the_right():
    assert padded([[1, 2, 3], [4]]).tolist() == [[1, 2, 3], [4, 0, 0]]


def test_training_stops_after_its_steps_and_says_what_it_did(quick):
    _, report = quick
    assert (report.steps, report.lines, report.held_out, report.left_out) == (4, 285, 15, 0)
    assert report.device == "cpu"
    assert report.settings["size"] == "tiny"


def test_training_stops_when_the_time_is_up():
    sources, targets = one_function_lines(300)
    _, report = train(sources, targets, TrainingSettings(size="tiny", max_seconds=0.5, device="cpu"))
    assert report.steps >= 1


class SlowSteps:
    """A clock by which every step takes ten seconds and nothing else takes any."""

    def __init__(self, monkeypatch):
        self.now, learn = 0.0, _Trainer._learn

        def step(trainer, source, target):
            self.now += 10
            return learn(trainer, source, target)

        monkeypatch.setattr(_Trainer, "_learn", step)
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr("salva.twins.reference.training.time", clock)


def test_the_time_is_kept_to_within_a_step(monkeypatch):
    SlowSteps(monkeypatch)
    sources, targets = one_function_lines(300)
    _, report = train(sources, targets, TrainingSettings(size="tiny", max_seconds=15.0, device="cpu"))
    assert (report.steps, report.seconds) == (2, 20)


@pytest.mark.parametrize(("batch", "lines"), [(None, 2048 // 33), (128, 128)])
def test_a_step_on_a_cpu_has_few_words_unless_lines_are_asked_for(monkeypatch, batch, lines):
    shapes = []
    monkeypatch.setattr(_Trainer, "_learn", lambda _, *given: shapes.append(given) or torch.zeros(()))
    sources, targets = one_function_lines(300)
    settings = TrainingSettings(size="small", batch=batch, max_steps=9, held_out=0, device="cpu")
    train(sources, targets, settings)
    assert max(len(source) for source, _ in shapes) == lines
    if batch is None:
        words = [source.numel() + target.numel() for source, target in shapes]
        assert max(words) <= SIZES["small"].cpu_words


def test_the_size_suits_the_device_and_is_reported(caplog):
    sources, targets = one_function_lines(120)
    with caplog.at_level(NOTICE, "salva"):
        _, report = train(sources, targets, TrainingSettings(max_steps=1, device="cpu"))
    assert report.settings["size"] == "tiny"
    assert (
        "size tiny, which suits a CPU, where larger ones take hours; choose another with size=" in caplog.text
    )


@pytest.mark.slow
@pytest.mark.parametrize(("steps", "learned"), [(1, False), (60, True)])
def test_a_model_that_has_learned_nothing_is_reported(caplog, steps, learned):
    sources, targets = one_function_lines(600)
    settings = TrainingSettings(size="tiny", max_steps=steps, warmup=1, rate=1e-3, device="cpu")
    _, report = train(sources, targets, settings)
    assert report.learned is learned
    assert (report.held_out_loss < report.frequency_loss) is learned
    assert ("the model has learned nothing: its loss on 30 held-out lines is" in caplog.text) is not learned


@pytest.mark.slow
def test_held_out_lines_are_right_if_the_model_writes_them():
    sources, targets = one_function_lines(40)
    words, device = Vocabulary.of([*sources, *targets]), torch.device("cpu")
    model, _ = train(sources, targets, TrainingSettings(size="tiny", max_steps=100, device="cpu"))
    split = Split([], list(zip(sources, targets, strict=True)))
    found = HeldOut(words, split, words=4096, device=device).check(model.network)
    right = sum(map(str.__eq__, model.write(sources), targets))
    assert right > 0
    assert found.accuracy == right / 40


def test_progress_has_loss_and_accuracy_and_the_time_left(monkeypatch):
    SlowSteps(monkeypatch)
    sources, targets = one_function_lines(300)
    seen = []
    settings = TrainingSettings(size="tiny", max_seconds=95.0, device="cpu")
    train(sources, targets, settings, progress=seen.append)
    assert (seen[-1].phase, seen[-1].unit, seen[-1].done) == ("training", "steps", 10)
    assert re.fullmatch(r"15 s left, loss \d\.\d\d, held-out loss \d\.\d\d, accuracy \d+ %", seen[-3].note)


def test_with_a_number_of_steps_a_busy_machine_changes_no_weight(quick, monkeypatch):
    sources, targets = one_function_lines(300)
    clock = itertools.chain([0.0, 0.0], itertools.repeat(50.0))  # the first step takes most of the minute
    monkeypatch.setattr("salva.twins.reference.training.time", SimpleNamespace(monotonic=lambda: next(clock)))
    again, _ = train(sources, targets, QUICK)
    assert all(map(torch.equal, quick[0].network.parameters(), again.network.parameters()))


def test_the_same_seed_and_steps_give_the_same_weights(quick):
    sources, targets = one_function_lines(300)
    again, _ = train(sources, targets, QUICK)
    assert all(map(torch.equal, quick[0].network.parameters(), again.network.parameters()))


def test_training_leaves_the_settings_of_torch_alone():
    before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    sources, targets = one_function_lines(50)
    train(sources, targets, QUICK)
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == before


def test_writing_step_by_step_is_what_the_decoder_says_at_once(quick):
    """What is kept from earlier steps must not change anything."""
    network = quick[0].network.eval()
    source = torch.from_numpy(padded([[5, 6, 7, 1], [8, 1], [9, 9, 9, 9, 9, 1]]))
    written = network.write(source, 12)
    begun = torch.cat([torch.full((3, 1), 2), written[:, :-1]], dim=1)
    with torch.inference_mode():
        told = network(source, begun).argmax(-1)
    before_end = (written == 1).cumsum(1) - (written == 1).long() == 0
    assert torch.equal(told[before_end], written[before_end])


def test_a_line_is_written_alike_whatever_stands_beside_it(quick):
    model, lines = quick[0], one_function_lines(30)[0]
    assert model.write(lines) == [model.write([line])[0] for line in lines]


def test_a_checkpoint_is_read_as_it_was_written(quick, tmp_path):
    model, lines = quick[0], one_function_lines(30)[0]
    model.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "model.safetensors"]
    assert load_reference(tmp_path, device="cpu").write(lines) == model.write(lines)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("model.json", b"{", "is cut off or broken"),
        ("model.json", b"{}", "is not a reference model of format 1"),
        ("model.safetensors", b"12", "does not hold a complete reference model"),
        ("model.safetensors", None, "does not hold a complete reference model"),
    ],
)
def test_a_broken_checkpoint_is_one_line(quick, tmp_path, name, content, problem):
    quick[0].save(tmp_path)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=problem):
        load_reference(tmp_path, device="cpu")


def test_the_digest_of_other_weights_is_another(quick, tmp_path):
    quick[0].save(tmp_path)
    first = open_sequence_model(f"reference:{tmp_path}").digest
    held = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps(held | {"longest": 5}))
    assert open_sequence_model(f"reference:{tmp_path}").digest != first


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"size": "huge"}, "size='huge' must be one of"),
        ({"max_seconds": 0}, "max_seconds=0 must be a number"),
    ],
)
def test_what_cannot_be_trained_is_refused(options, problem):
    with pytest.raises(UsageError, match=problem):
        TrainingSettings(**options)


def test_lines_without_targets_are_refused():
    with pytest.raises(InputError, match="1 source and 0 targets"):
        train(["copy A"], [])


def test_targets_that_are_too_long_are_left_out_and_counted():
    sources, targets = one_function_lines(20)
    settings = TrainingSettings(size="tiny", max_seconds=60.0, max_steps=1, longest=4, device="cpu")
    _, report = train(sources, targets, settings)
    assert report.left_out == sum(len(target.split()) > 4 for target in targets)


def test_lines_of_rare_shapes_are_filled_up_to_wider_ones():
    groups = {
        (16, 17): [([1], [1])] * 9,
        (16, 33): [([2], [2])],
        (32, 17): [([3], [3])],
        (32, 65): [([4], [4])],
    }
    found = {shape: len(lines) for shape, lines in _merged(groups, 4).items()}
    assert found == {(16, 17): 9, (32, 65): 3}


def test_the_paper_has_44_million_weights():
    from salva.twins.reference.network import Network, Shape

    with torch.device("meta"):
        network = Network(540, Shape(**SIZES["paper"].shape))
    assert 43e6 < sum(np.prod(one.shape) for one in network.parameters()) < 45e6


def corpus(folder, count=400):
    sources, targets = one_function_lines(count)
    pairs = make_pairs(sources[:200], per_function=10, functions=("append", "repeat"), alphabet=LETTERS)
    write_pairs(folder, pairs, notes={"alphabet": list(LETTERS)})
    twins = [(pair.twin, pair.twin_target) for pair in pairs]
    write_lines(folder / "train.src", [*sources, *(twin for twin, _ in twins)])
    write_lines(folder / "train.tgt", [*targets, *(target for _, target in twins)])
    return folder


def test_a_folder_is_trained_on_and_its_pairs_are_scored(tmp_path):
    done = train_on(corpus(tmp_path / "corpus"), tmp_path / "out", QUICK)
    assert (done.score.pairs, done.score.overall.n_failed) == (20, 0)
    assert (tmp_path / "out/run/report.html").is_file()
    with pytest.raises(InputError, match="holds a model; pass overwrite=True"):
        train_on(tmp_path / "corpus", tmp_path / "out", QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("home", ["corpus/primitive", "corpus/substitutivity/primitive"])
def test_the_command_trains_and_scores(salva, tmp_path, home):
    corpus(tmp_path / home)
    options = ("--size", "tiny", "--max-steps", "2", "--device", "cpu", "--json")
    outcome = salva("twins", "train", "corpus", "--condition", "primitive", "-o", "out", *options)
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["training"]["steps"] == 2


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("seed", -1),
        ("rate", float("nan")),
        ("rate", -1.0),
        ("rate", 0.0),
        ("longest", 0),
        ("max_seconds", 0.0),
        ("batch", 0),
    ],
)
def test_a_setting_that_cannot_be_is_one_line(setting, value):
    with pytest.raises(UsageError, match=f"{setting}={value!r} must be"):
        TrainingSettings(**{setting: value})


@pytest.mark.slow
def test_a_thousand_steps_are_enough_for_one_function_lines(tmp_path):
    """Ten functions, 26 symbols, strings of 2 to 5; 1,000 lines that were never seen; then run and score."""
    sources, targets = one_function_lines(16_000)
    settings = TrainingSettings(size="tiny", max_steps=1000, max_seconds=1e6, device="cpu")
    model, _ = train(sources[1000:], targets[1000:], settings)
    right = sum(map(str.__eq__, model.write(sources[:1000]), targets))
    assert right > 900
    model.save(tmp_path / "model")
    functions = ("append", "repeat")
    pairs = make_pairs(sources[:1000], per_function=50, functions=functions, alphabet=LETTERS)
    found = run(pairs, f"reference:{tmp_path / 'model'}", tmp_path / "run").score
    assert found.overall.accuracy.value > 80
    assert found.overall.n == 100


BARE = """
import runpy, sys
sys.modules |= dict.fromkeys(["salva._kernels", "pyarrow", "scipy", "click", "rich", "jinja2", "regex"])
sys.argv = ["train_twins.py", *sys.argv[2:]]
runpy.run_path({tool!r}, run_name="__main__")
"""


@pytest.mark.slow
def test_where_there_is_torch_and_little_else_a_tool_trains_and_answers(tmp_path):
    data, out = corpus(tmp_path / "corpus"), tmp_path / "out"
    code = BARE.format(tool=str(ROOT / "tools/train_twins.py"))
    options = ["--size", "tiny", "--max-steps", "2", "--device", "cpu"]
    command = [sys.executable, "-c", code, "-", str(data), str(out), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["figures"]["append"]["n"] == 10
    assert len((out / "test_twin.out").read_text().splitlines()) == 20


@pytest.mark.parametrize("place", ["file", "/proc/nothing"])
def test_a_model_that_cannot_be_kept_is_not_trained(salva, tmp_path, place):
    (tmp_path / "file").touch()
    (tmp_path / "train.src").write_text("copy A1 B1\n")
    (tmp_path / "train.tgt").write_text("A1 B1\n")
    outcome = salva("twins", "train", tmp_path, "-o", place, "--max-seconds", "1000")
    assert outcome.code in (3, 5)
    assert outcome.err.startswith(f"salva: {place}: ")
    assert outcome.out == ""


def test_epochs_count_lines_not_places_in_batches():
    lines = [f"copy A{i} B1" for i in range(10)]
    settings = TrainingSettings(size="tiny", batch=8, max_steps=4, device="cpu")
    assert train(lines, [line[5:] for line in lines], settings)[1].epochs == 2  # of 8, 2, 8 and 2 lines
