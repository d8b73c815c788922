"""How busy an evaluation keeps a GPU: `hf:` with an encoder of MiniLM's size, reviews under 13 conditions.

    python benchmarks/gpu.py [DATA] [--rows N] [--layers N] [--width N]

DATA is a parquet file with the columns `text` and `label`, such as the IMDB test reviews; without it, reviews
are made up from the words of the bundled ones. The model has random weights and a tokenizer trained on the
texts, so nothing is downloaded. On a CPU, the model's own time is shown instead of the use of the GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hugging_face import place, write_model
from publish import publish
from salva import Measure, Options
from salva.asking.asker import Stopwatch
from salva.evaluation import Run, evaluate
from salva.models import ModelOptions
from salva.models.hugging_face import HuggingFaceModel
from salva.rows import reviews

ROWS, LAYERS, WIDTH, HEADS, VOCABULARY = 25_000, 6, 384, 12, 30_522
LEARNED = 5_000  # texts whose words the tokenizer learns
PRESETS, SEVERITIES = ("natural", "misspellings", "punctuation", "typos"), (0.25, 0.5, 1.0)
PAUSE_MS = 200  # between two looks at the GPU
STAGES = ("tokenise", "compute", "model", "store", "join", "flips", "score", "report")
BUSY, MINUTES = 85.0, 5.0


class TimedModel(HuggingFaceModel):
    """The model, which also adds up how long its stages take; on a GPU, `compute` is only the sending."""

    watch: Stopwatch
    looks: Looks

    def _prepare(self, texts: Any) -> Any:
        with self.watch("tokenise"):
            return super()._prepare(texts)

    def _compute(self, prepared: Any) -> Any:
        begun = time.time()
        with self.watch("compute"):
            sent = super()._compute(prepared)
        self.looks.computed.append((begun, time.time()))
        return sent


class Looks:
    """The use of the GPU in percent, looked at all the time, and when the phases of the run began."""

    def __init__(self) -> None:
        self.used: list[tuple[float, float]] = []
        self.computed: list[tuple[float, float]] = []
        self.phases: dict[str, float] = {}

    def begin(self, phase: str) -> None:
        """Remember when a phase began."""
        self.phases.setdefault(phase, time.time())

    @property
    def asking(self) -> tuple[float, float]:
        """When the phase in which the model is asked began and ended."""
        return self.phases["asking"], self.phases["noise"]

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """Look at the GPU during this block."""
        query = ["--query-gpu=timestamp,utilization.gpu", "--format=csv,noheader,nounits"]
        query += [f"--loop-ms={PAUSE_MS}", "--id=0"]
        with subprocess.Popen(["nvidia-smi", *query], stdout=subprocess.PIPE, text=True) as process:
            threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()
            try:
                yield
            finally:
                process.terminate()

    def _read(self, lines: Any) -> None:
        for line in lines:  # several may come at once, so the program itself says when it looked
            moment, used = line.split(",")
            self.used.append((datetime.strptime(moment, "%Y/%m/%d %H:%M:%S.%f").timestamp(), float(used)))

    def busy(self) -> list[float]:
        """Return the use of the GPU while the model was asked."""
        begin, end = self.asking
        return [used for moment, used in self.used if begin <= moment <= end]


def made_up(rows: int) -> pa.Table:
    """Return texts as long as reviews, of the words of the bundled ones."""
    draw = random.Random(0)
    words = [word for text in reviews("test")["text"].to_pylist() for word in text.split()]
    lengths = [max(10, min(int(draw.lognormvariate(5.2, 0.6)), 1500)) for _ in range(rows)]
    texts = [" ".join(draw.choices(words, k=length)) for length in lengths]
    return pa.table({"text": texts, "label": [k % 2 for k in range(rows)]})


def evaluated(data: Path, folder: Path, looks: Looks, watch: Stopwatch, rows: int | None = None) -> Run:
    """Return a run; `watch` gets the time of the stages of the model."""
    model = TimedModel(folder / "model", "hf:model", ModelOptions())
    model.watch, model.looks = watch, looks
    return evaluate(
        data,
        model,
        out=folder / ("run" if rows is None else "first"),
        presets=PRESETS,
        severities=SEVERITIES,
        sample=rows,
        progress=lambda now: looks.begin(now.phase),
        options=Options(measure=Measure(blame_calls=0)),
    )


def measured(given: argparse.Namespace, *, on_gpu: bool) -> tuple[Run, Looks, Stopwatch]:
    """Return a run with its times, after a small one that compiles kernels and starts the GPU."""
    looks, watch = Looks(), Stopwatch()
    with tempfile.TemporaryDirectory() as name:
        folder, data = Path(name), Path(name) / "data.parquet"
        table = pq.read_table(given.data) if given.data else made_up(given.rows)
        step = max(
            len(table) // given.rows, 1
        )  # reviews from all over the file, whose first half is negative
        table = table.take(list(range(0, len(table), step))[: given.rows])
        pq.write_table(table, data)
        texts = table["text"].to_pylist()[:: max(len(table) // LEARNED, 1)]
        write_model(folder / "model", texts, given.layers, given.width, heads=HEADS, vocabulary=VOCABULARY)
        evaluated(data, folder, Looks(), Stopwatch(), 50)
        with looks.looking() if on_gpu else contextlib.nullcontext():
            run = evaluated(data, folder, looks, watch)
    return run, looks, watch


def rows_of(run: Run, looks: Looks, watch: Stopwatch, *, on_gpu: bool) -> list[list[str]]:
    """Return the rows of the table: what is promised, then where the time goes."""
    begin, end = looks.asking
    asking, total = end - begin, run.timings["total"]
    if on_gpu:
        used = looks.busy()
        if len(used) < asking / (2 * PAUSE_MS / 1000):
            raise SystemExit(f"nvidia-smi looked only {len(used)} times in {asking:.0f} s")
        share = statistics.fmean(used)
        busy = [
            f"the GPU busy while the model is asked, {len(used)} looks",
            f"{share:.0f} %",
            f"≥ {BUSY:g} %",
        ]
    else:
        computed = sum(max(min(b, end) - max(a, begin), 0) for a, b in looks.computed)
        busy = ["the model computing while it is asked", f"{100 * computed / asking:.1f} %", ""]
    rows = [
        busy,
        ["the whole evaluation", f"{total:.1f} s", f"< {MINUTES:g} min"],
        ["of which the model is asked", f"{asking:.1f} s", ""],
        ["distinct texts", f"{run.results.distinct_texts:,}", ""],
    ]
    spent = run.timings | {name: watch.seconds[name] for name in ("tokenise", "compute")}
    return [*rows, *([f"stage: {name}", f"{spent[name]:.1f} s", ""] for name in STAGES if name in spent)]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path)
    for name, value in (("rows", ROWS), ("layers", LAYERS), ("width", WIDTH)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    import torch

    on_gpu = torch.cuda.is_available()
    run, looks, watch = measured(given, on_gpu=on_gpu)
    rows = rows_of(run, looks, watch, on_gpu=on_gpu)
    what = f"{run.results.data.rows:,} reviews, {len(run.results.conditions)} conditions"
    where = f"BERT, {given.layers} layers, {given.width} wide, on {place('cuda' if on_gpu else 'cpu')}"
    rows.append([f"{what}; {where}", "", ""])
    columns = ["what", "measured", "bar"]
    if on_gpu and given.rows == ROWS:
        publish("gpu", columns, rows)
    else:
        print("\n".join("\t".join(row) for row in rows))


if __name__ == "__main__":
    main()
