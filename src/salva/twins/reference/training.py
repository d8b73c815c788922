"""Train the reference model for a given number of seconds, and keep the result.

Lines are padded to a few fixed shapes, so that a GPU can replay a recorded step: launched kernel by kernel, a
step of the paper's size takes 45 to 78 ms on an H200 whatever the batch. Needs torch, numpy and safetensors,
and no part of Salva that needs numba or Arrow.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from salva._arguments import check_choice, check_whole
from salva._progress import ProgressOption, Tracker, tracking
from salva._show import number_of
from salva._torch import find_device
from salva._types import Ints64
from salva.errors import InputError, UsageError
from salva.twins.reference.model import ReferenceModel, need_torch, tuned
from salva.twins.reference.vocabulary import EOS, FIRST, PAD, Vocabulary, padded

Size: TypeAlias = Literal["tiny", "small", "paper"]
# Lines as numbers, source and target, by the widths to which they are padded.
_LinesByShape: TypeAlias = dict[tuple[int, int], list[tuple[list[int], list[int]]]]


class _Scale(NamedTuple):
    """The shape of a network, and suitable settings: peak rate, lines per step, and warm-up steps."""

    shape: dict[str, Any]
    rate: float
    batch: int
    warmup: int


# `paper` has the size of Hupkes et al. (2020); `tiny` is meant for one minute on one core: 800 steps of 64
# lines bring it to 0.97 on one-function lines.
SIZES: dict[Size, _Scale] = {
    "tiny": _Scale({"width": 96, "layers": 1, "heads": 4, "hidden": 384, "dropout": 0.0}, 4e-3, 64, 60),
    "small": _Scale({"width": 256, "layers": 3, "heads": 4, "hidden": 1024, "dropout": 0.1}, 1e-3, 256, 60),
    "paper": _Scale({"width": 512, "layers": 6, "heads": 8, "hidden": 2048, "dropout": 0.1}, 5e-4, 256, 1000),
}
_SOURCE_WIDTHS = (16, 32, 80)  # multiples of 8, which suit attention; longer widths double
_TARGET_WIDTHS = (16, 32, 64, 128)
_LOOK = 16  # steps between readings of the loss, each of which waits for the GPU

logger = logging.getLogger("salva")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """How long and how to train; None means the default for the size."""

    size: Size = "paper"
    max_seconds: float = 600.0
    max_steps: int | None = None
    rate: float | None = None
    batch: int | None = None
    warmup: int | None = None
    longest: int = 256  # words of a target; lines with a longer one are left out
    seed: int = 0
    device: str | None = None
    graphs: bool = True  # on a GPU, record a step of each shape and replay it
    compiled: bool = False  # on a GPU, let torch.compile fuse the network

    def __post_init__(self) -> None:
        check_choice("size", self.size, get_args(Size))
        check_whole("seed", self.seed)
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
    """A summary of the training."""

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


class _Tally(NamedTuple):
    """How far training came; the loss is the last one that was read."""

    steps: int
    epochs: float
    seconds: float
    loss: float | None


class _Bucket(NamedTuple):
    """Lines of one shape, and a last one that teaches nothing and is used to fill up a batch."""

    source: Any
    target: Any

    @property
    def lines(self) -> int:
        return len(self.source) - 1


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
    settings = settings or TrainingSettings()
    if len(sources) != len(targets) or not sources:
        given = f"{number_of(len(sources), 'source')} and {number_of(len(targets), 'target')}"
        raise InputError(f"{given}; give one target per source")
    torch = need_torch()
    from salva.twins.reference.network import Network, Shape

    device, scale = find_device(settings.device), SIZES[settings.size]
    vocabulary = Vocabulary.of([*sources, *targets])
    with tuned(device, scale.shape["width"]):
        torch.manual_seed(settings.seed)
        network = Network(len(vocabulary.words), Shape(**scale.shape)).to(device)
        buckets, left_out = _buckets(vocabulary, sources, targets, settings, device)
        trainer = _Trainer(network, settings, device)
        with tracking(progress) as tracker:
            tally = trainer.run(buckets, tracker)
    report = TrainingReport(
        seconds=round(tally.seconds, 3),
        steps=tally.steps,
        epochs=round(tally.epochs, 3),
        loss=tally.loss,
        lines=len(sources) - left_out,
        left_out=left_out,
        parameters=sum(weight.numel() for weight in network.parameters()),
        device=torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu",
        graphs=trainer.graphs,
        settings=asdict(settings),
    )
    return ReferenceModel(network.eval(), vocabulary, settings.longest, {"training": asdict(report)}), report


class _Trainer:
    """Makes training steps: one by one, or recorded on a GPU and replayed."""

    def __init__(self, network: Any, settings: TrainingSettings, device: Any) -> None:
        torch = need_torch()
        scale = SIZES[settings.size]
        self.network, self.settings, self.device = network, settings, device
        self.rate, self.batch = settings.rate or scale.rate, settings.batch or scale.batch
        self.warmup = settings.warmup or scale.warmup
        self.on_gpu = device.type == "cuda"
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

    def run(self, buckets: list[_Bucket], tracker: Tracker) -> _Tally:
        """Train until the time is up."""
        settings, steps, seen, loss, started = self.settings, 0, 0, None, time.monotonic()
        lines = sum(bucket.lines for bucket in buckets)
        self.network.train()
        tracker.begin("training", "steps", settings.max_steps)
        for steps, (number, rows) in enumerate(self._batches(buckets), 1):
            seconds = time.monotonic() - started
            spent = steps / settings.max_steps if settings.max_steps else seconds / settings.max_seconds
            self._set_rate(steps, spent)
            tensor = self._step(buckets, number, rows)
            seen += len(rows)  # not every batch is full
            if steps % _LOOK == 0 or not self.on_gpu:
                loss = float(tensor)
                tracker.advance(1 if not self.on_gpu else _LOOK)
            if time.monotonic() - started >= settings.max_seconds or steps == settings.max_steps:
                break
        return _Tally(steps, seen / lines, time.monotonic() - started, loss)

    def _batches(self, buckets: list[_Bucket]) -> Iterator[tuple[int, Ints64]]:
        """Yield batches endlessly, with all lines in a new order in every epoch."""
        generator = np.random.Generator(np.random.Philox(self.settings.seed))
        while True:
            parts: list[tuple[int, Ints64]] = []
            for number, bucket in enumerate(buckets):
                order = generator.permutation(bucket.lines)
                parts += [(number, order[k : k + self.batch]) for k in range(0, len(order), self.batch)]
            for k in generator.permutation(len(parts)):
                yield parts[k]

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

    def _step(self, buckets: list[_Bucket], number: int, rows: Ints64) -> Any:
        torch = need_torch()
        bucket = buckets[number]
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
                return self._step(buckets, number, rows)
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


def _buckets(
    vocabulary: Vocabulary,
    sources: Sequence[str],
    targets: Sequence[str],
    settings: TrainingSettings,
    device: Any,
) -> tuple[list[_Bucket], int]:
    """Return the lines by shape, and the number of lines whose target is too long."""
    torch = need_torch()
    by_shape: _LinesByShape = {}
    left_out = 0
    for source, target in zip(sources, targets, strict=True):
        asked, right = vocabulary.encoded(source), [FIRST, *vocabulary.encoded(target)]
        if len(right) - 2 > settings.longest:
            left_out += 1
            continue
        # A target is one position longer than the output: its first word is the decoder's initial input.
        shape = _width(len(asked), _SOURCE_WIDTHS), _width(len(right) - 1, _TARGET_WIDTHS) + 1
        by_shape.setdefault(shape, []).append((asked, right))
    if not by_shape:
        raise InputError(f"every target has more than {settings.longest} words; raise longest")
    buckets = []
    batch = settings.batch or SIZES[settings.size].batch
    for (wide, long), lines in sorted(_merged(by_shape, batch).items()):
        tables = (
            padded([*(line[0] for line in lines), [EOS]], wide),
            padded([*(line[1] for line in lines), []], long),
        )
        buckets.append(_Bucket(*(torch.from_numpy(table).to(device) for table in tables)))
    return buckets, left_out


def _merged(by_shape: _LinesByShape, batch: int) -> _LinesByShape:
    """Merge shapes with too few lines for a batch into wider ones, since a step on few lines is noisy."""
    widest, longest = (max(shape[k] for shape in by_shape) for k in (0, 1))
    for wide, long in ((widest, None), (widest, longest)):
        merged: _LinesByShape = {}
        for shape, lines in sorted(by_shape.items()):
            place = shape if len(lines) >= batch else (wide, long or shape[1])
            merged.setdefault(place, []).extend(lines)
        by_shape = merged
    return by_shape


def _width(length: int, widths: Sequence[int]) -> int:
    """Return the smallest width that holds a line.

    >>> _width(17, (16, 32)), _width(65, (16, 32))
    (32, 128)
    """
    width = next((width for width in widths if length <= width), None)
    return width or widths[-1] << math.ceil(math.log2(length / widths[-1]))
