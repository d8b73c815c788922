"""Spark: one task per part. Spark starts a task again if its worker dies."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from salva.errors import StorageError, UsageError, extra
from salva.transforms.engines.protocol import Map, Work

# Spark on one machine gives up after a first failure unless told otherwise.
_ATTEMPTS = 4
_QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}


@contextlib.contextmanager
def start(address: str | None, threads: int) -> Iterator[Map]:
    """Join the Spark at an address, of this process or of `spark-submit`, or start one on this machine."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Spark would take the python3 of the machine
    with extra("spark"):
        from pyspark import SparkContext

    own = SparkContext._active_spark_context is None
    context = _connect(address, threads) if own else SparkContext.getOrCreate()
    try:
        yield _make_map(context)
    finally:
        if own:
            context.stop()


def _connect(address: str | None, threads: int) -> Any:
    from py4j.protocol import Py4JJavaError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException

    if address is None:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    try:
        settings = SparkConf().setIfMissing("spark.app.name", "salva")
        for name, value in _QUIET.items():
            settings.setIfMissing(name, value)
        settings.setIfMissing("spark.master", f"local[{threads},{_ATTEMPTS}]")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # about pandas 3, which is not used here
            return SparkContext(conf=settings if address is None else settings.setMaster(address))
    except (PySparkException, Py4JJavaError, RuntimeError, OSError) as error:
        place = "on this machine" if address is None else f"at {address!r}"
        raise UsageError(f"Spark cannot be used {place} ({_reason(error)})") from None


def _make_map(context: Any) -> Map:
    def run(
        work: Work, common: Mapping[str, Any], items: Sequence[Mapping[str, Any]]
    ) -> Iterator[tuple[int, Any]]:
        from py4j.protocol import Py4JJavaError

        task = functools.partial(work, {**common, "threads": 1})
        try:
            yield from enumerate(context.parallelize(items, len(items)).map(task).collect())
        except Py4JJavaError as error:
            raise StorageError(f"Spark gave up ({_reason(error)}); its log has the rest") from None

    return run


def _reason(error: Exception) -> str:
    cause = getattr(error, "java_exception", None)
    return str(error if cause is None else cause.getMessage()).strip().partition("\n")[0][:200]
