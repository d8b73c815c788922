"""Train the reference model for a given number of seconds, and keep the result.

Lines are padded to a few fixed shapes, so that a GPU can replay a recorded step: launched kernel by kernel, a
step of the paper's size takes 45 to 78 ms on an H200 whatever the batch. On a CPU, a step has few words, so
that it is short. Needs torch, numpy and safetensors, and no part of Salva that needs kernels or Arrow.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from salva._arguments import argument, check_choice, check_whole
from salva._progress import ProgressOption, Tracker, tracking
from salva._show import NOTICE, duration, number_of
from salva._torch import find_device
from salva._types import Ints64
from salva.errors import InputError, UsageError
from salva.twins.reference.buckets import Bucket, make_buckets
from salva.twins.reference.held_out import Check, HeldOut, split_lines
from salva.twins.reference.model import ReferenceModel, need_torch, tuned
from salva.twins.reference.vocabulary import PAD, Vocabulary

Size: TypeAlias = Literal["tiny", "small", "paper"]


class _Scale(NamedTuple):
    """The shape of a network, and suitable settings: peak rate, lines and words per step, warm-up steps."""

    shape: dict[str, Any]
    rate: float
    batch: int
    warmup: int
    cpu_words: int  # per step on a CPU, source and target, with padding


# `paper` has the size of Hupkes et al. (2020); `tiny` is meant for one minute on one core: 800 steps of 64
# lines bring it to 0.97 on one-function lines.
SIZES: dict[Size, _Scale] = {
    "tiny": _Scale(
        {"width": 96, "layers": 1, "heads": 4, "hidden": 384, "dropout": 0.0}, 4e-3, 64, 60, cpu_words=4096
    ),
    "small": _Scale(
        {"width": 256, "layers": 3, "heads": 4, "hidden": 1024, "dropout": 0.1}, 1e-3, 256, 60, cpu_words=2048
    ),
    "paper": _Scale(
        {"width": 512, "layers": 6, "heads": 8, "hidden": 2048, "dropout": 0.1},
        5e-4,
        256,
        1000,
        cpu_words=256,
    ),
}
_GPU_WORDS = 65_536  # per call when held-out lines are checked
_CHECKS = 10  # between two checks, training takes so many times as long as a check
_LOOK = 16  # steps between readings of the loss, each of which waits for the GPU

logger = logging.getLogger("salva")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """How long and how to train; None means the default for the size, and a size that suits the device."""

    size: Size | None = None
    max_seconds: float = 600.0
    max_steps: int | None = None
    rate: float | None = None
    batch: int | None = None
    warmup: int | None = None
    longest: int = 256  # words of a target; lines with a longer one are left out
    held_out: int = 256  # lines that show what was learned; at most a twentieth, fewer if a CPU is slow
    seed: int = 0
    device: str | None = None
    graphs: bool = True  # on a GPU, record a step of each shape and replay it
    compiled: bool = False  # on a GPU, let torch.compile fuse the network

    def __post_init__(self) -> None:
        if self.size is not None:
            check_choice("size", self.size, get_args(Size))
        check_whole("seed", self.seed)
        check_whole("held_out", self.held_out)
        if not 0 < self.max_seconds <= 1e7:
            raise UsageError(f"max_seconds={self.max_seconds!r} must be a number of seconds above 0")
        if self.rate is not None and not 0 < self.rate <= 1:
            raise UsageError(f"rate={self.rate!r} must be a learning rate above 0 and at most 1")
        for name in ("longest", "batch", "warmup", "max_steps"):
            value = getattr(self, name)
            if value is not None:
                check_whole(name, value, 1)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """A summary of the training.

    `learned` is whether the held-out lines are predicted better than by the frequency of words. It is None,
    as the numbers of held-out lines are, if there are too few lines to hold out any.
    """

    seconds: float
    steps: int
    epochs: float
    loss: float | None
    lines: int
    left_out: int
    parameters: int
    device: str
    graphs: bool
    settings: dict[str, Any]
    held_out: int = 0
    held_out_loss: float | None = None
    held_out_accuracy: float | None = None
    frequency_loss: float | None = None
    learned: bool | None = None


class _Tally(NamedTuple):
    """How far training came; the loss is the last one that was read, and the check was made at the end."""

    steps: int
    epochs: float
    seconds: float
    loss: float | None
    check: Check | None


def train(
    sources: Sequence[str],
    targets: Sequence[str],
    settings: TrainingSettings | None = None,
    *,
    progress: ProgressOption = False,
) -> tuple[ReferenceModel, TrainingReport]:
    """Return a model trained on lines, and a report of the training.

    The learning rate rises, then falls. If `max_steps` is given, it falls with the remaining steps, and the
    same seed gives the same weights on a slow machine too. Otherwise it falls with the remaining time, and
    the result depends on the machine.
    """
    if len(sources) != len(targets) or not sources:
        given = f"{number_of(len(sources), 'source')} and {number_of(len(targets), 'target')}"
        raise InputError(f"{given}; give one target per source")
    torch = need_torch()
    from salva.twins.reference.network import Network, Shape

    settings = settings or TrainingSettings()
    device = find_device(settings.device)
    settings = replace(settings, size=settings.size or _choose_size(device))
    scale = SIZES[settings.size or "tiny"]
    vocabulary = Vocabulary.of([*sources, *targets])
    pairs = [pair for pair in zip(sources, targets, strict=True) if len(pair[1].split()) <= settings.longest]
    if not pairs:
        raise InputError(f"every target has more than {settings.longest} words; raise longest")
    with tuned(device, scale.shape["width"]), tracking(progress) as tracker:
        torch.manual_seed(settings.seed)
        network = Network(len(vocabulary.words), Shape(**scale.shape)).to(device)
        trainer = _Trainer(network, settings, scale, device)
        held_out = trainer.prepare(vocabulary, pairs)
        tally = trainer.run(held_out, tracker)
    report = TrainingReport(
        seconds=round(tally.seconds, 3),
        steps=tally.steps,
        epochs=round(tally.epochs, 3),
        loss=tally.loss,
        lines=len(pairs) - held_out.lines,
        left_out=len(sources) - len(pairs),
        parameters=sum(weight.numel() for weight in network.parameters()),
        device=torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        graphs=trainer.graphs,
        settings=asdict(settings),
        **_describe(held_out, tally.check),
    )
    return ReferenceModel(network.eval(), vocabulary, settings.longest, {"training": asdict(report)}), report


def _choose_size(device: Any) -> Size:
    """Return the size that suits a device, and report it."""
    size: Size = "paper" if device.type == "cuda" else "tiny"
    reason = "a GPU" if device.type == "cuda" else "a CPU, where larger ones take hours"
    message = "the model has size %s, which suits %s; choose another with %s"
    logger.log(NOTICE, message, size, reason, argument("size"))
    return size


def _describe(held_out: HeldOut, check: Check | None) -> dict[str, Any]:
    """Return what the held-out lines show; warn if the model has learned nothing."""
    if check is None or held_out.frequency_loss is None:
        return {}
    learned = check.loss < held_out.frequency_loss
    if not learned:
        losses = f"its loss on {number_of(held_out.lines, 'held-out line')} is {check.loss:.2f} per word"
        known = f"that of the words' frequencies is {held_out.frequency_loss:.2f}"
        logger.warning("the model has learned nothing: %s, and %s; train longer", losses, known)
    return {
        "held_out": held_out.lines,
        "held_out_loss": check.loss,
        "held_out_accuracy": check.accuracy,
        "frequency_loss": held_out.frequency_loss,
        "learned": learned,
    }


class _Trainer:
    """Makes training steps: one by one, or recorded on a GPU and replayed."""

    def __init__(self, network: Any, settings: TrainingSettings, scale: _Scale, device: Any) -> None:
        torch = need_torch()
        self.network, self.settings, self.device = network, settings, device
        self.rate, self.batch = settings.rate or scale.rate, settings.batch or scale.batch
        self.warmup = settings.warmup or scale.warmup
        self.on_gpu = device.type == "cuda"
        # As many as fit a short step, unless the user wants so many lines.
        self.words = scale.cpu_words if not self.on_gpu and settings.batch is None else None
        self._check_words = _GPU_WORDS if self.on_gpu else scale.cpu_words
        self.buckets: list[Bucket] = []
        self.graphs = self.on_gpu and settings.graphs and not settings.compiled
        # In a recorded step, a rate that is a plain number would never change.
        given = torch.tensor(self.rate, device=device) if self.graphs else self.rate
        self.optimizer = torch.optim.AdamW(
            network.parameters(), given, (0.9, 0.98), weight_decay=0.01, fused=True, capturable=self.graphs
        )
        fast = settings.compiled and self.on_gpu
        self.scores = torch.compile(network) if fast else network
        self._recorded: dict[int, tuple[Any, Any, Any, Any]] = {}
        self._pool: Any = None

    def prepare(self, vocabulary: Vocabulary, pairs: Sequence[tuple[str, str]]) -> HeldOut:
        """Put the lines on the device; return those that are held out, whose check takes about a step."""
        settings, most = self.settings, self.settings.held_out
        if not self.on_gpu:
            words = sum(len(source.split()) + len(target.split()) + 2 for source, target in pairs)
            most = min(most, self._check_words * len(pairs) // words)
        split = split_lines(pairs, most, settings.seed)
        self.buckets = make_buckets(vocabulary, split.training, batch=self.batch, device=self.device)
        return HeldOut(vocabulary, split, words=self._check_words, device=self.device)

    def run(self, held_out: HeldOut, tracker: Tracker) -> _Tally:
        """Train until the time is up."""
        settings, steps, seen, loss, check = self.settings, 0, 0, None, None
        started = time.monotonic()
        next_check = started
        lines = sum(bucket.lines for bucket in self.buckets)
        self.network.train()
        tracker.begin("training", "steps", settings.max_steps)
        for steps, (number, rows) in enumerate(self._batches(), 1):
            seconds = time.monotonic() - started
            spent = steps / settings.max_steps if settings.max_steps else seconds / settings.max_seconds
            self._set_rate(steps, spent)
            tensor = self._step(number, rows)
            seen += len(rows)  # not every batch is full
            if steps % _LOOK == 0 or not self.on_gpu:
                loss = float(tensor)
                now = time.monotonic()
                if held_out.lines and tracker.is_heard and now >= next_check:
                    check = held_out.check(self.network)
                    next_check = time.monotonic() + _CHECKS * (time.monotonic() - now)
                left = None if settings.max_steps else settings.max_seconds - (now - started)
                tracker.advance(_LOOK if self.on_gpu else 1, note=_note(left, loss, check))
            if time.monotonic() - started >= settings.max_seconds or steps == settings.max_steps:
                break
        seconds = time.monotonic() - started
        check = held_out.check(self.network) if held_out.lines else None
        return _Tally(steps, seen / lines, seconds, loss, check)

    def _batches(self) -> Iterator[tuple[int, Ints64]]:
        """Yield batches endlessly, with all lines in a new order in every epoch."""
        generator = np.random.Generator(np.random.Philox(self.settings.seed))
        while True:
            parts: list[tuple[int, Ints64]] = []
            for number, bucket in enumerate(self.buckets):
                order, size = generator.permutation(bucket.lines), self._lines_per_step(bucket)
                parts += [(number, order[k : k + size]) for k in range(0, len(order), size)]
            for k in generator.permutation(len(parts)):
                yield parts[k]

    def _lines_per_step(self, bucket: Bucket) -> int:
        return self.batch if self.words is None else min(self.batch, max(self.words // bucket.width, 1))

    def _set_rate(self, step: int, spent: float) -> None:
        rate = (
            self.rate
            * min(1.0, step / self.warmup)
            * (0.02 + 0.49 * (1 + math.cos(math.pi * min(spent, 1.0))))
        )
        for group in self.optimizer.param_groups:
            if isinstance(group["lr"], float):
                group["lr"] = rate
            else:
                group["lr"].fill_(rate)

    def _step(self, number: int, rows: Ints64) -> Any:
        torch = need_torch()
        bucket = self.buckets[number]
        if not self.graphs:
            picked = torch.from_numpy(rows).to(self.device)
            return self._learn(bucket.source[picked], bucket.target[picked])
        filled = np.full(self.batch, bucket.lines, np.int64)
        filled[: len(rows)] = rows
        picked = torch.from_numpy(filled).to(self.device, non_blocking=True)
        if number not in self._recorded:
            try:
                self._recorded[number] = self._record(bucket.source[picked], bucket.target[picked])
            except RuntimeError as error:  # better slow than not at all
                logger.warning("cannot record steps (%s); training continues without", str(error)[:200])
                self.graphs = False
                return self._step(number, rows)
        source, target, loss, graph = self._recorded[number]
        torch.index_select(bucket.source, 0, picked, out=source)
        torch.index_select(bucket.target, 0, picked, out=target)
        graph.replay()
        return loss

    def _learn(self, source: Any, target: Any) -> Any:
        """Make one step; return the mean loss per word."""
        torch = need_torch()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.on_gpu, cache_enabled=False):
            scores = self.scores(source, target[:, :-1])
        flat, wanted = scores.float().flatten(0, 1), target[:, 1:].flatten()
        total = torch.nn.functional.cross_entropy(flat, wanted, ignore_index=PAD, reduction="sum")
        loss = total / (wanted != PAD).sum().clamp(min=1)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return loss.detach()

    def _record(self, source: Any, target: Any) -> tuple[Any, Any, Any, Any]:
        """Record a step of one shape; graphs share their memory, and only the loss outlives a replay."""
        torch = need_torch()
        loss = torch.zeros((), device=self.device)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self._learn(source, target)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            loss.copy_(self._learn(source, target))
        self._pool = self._pool or graph.pool()
        return source, target, loss, graph


def _note(left: float | None, loss: float, check: Check | None) -> str:
    """Return what a step adds to the line of progress."""
    parts = [] if left is None else [f"{duration(max(left, 0.0))} left"]
    parts.append(f"loss {loss:.2f}")
    if check is not None:
        parts.append(f"held-out loss {check.loss:.2f}, accuracy {100 * check.accuracy:.0f} %")
    return ", ".join(parts)
