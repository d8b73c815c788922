"""The signature of a run: data, model, presets and settings by their digests, in one line."""

from __future__ import annotations

from salva._results import signature
from salva._version import __version__
from salva.evaluation.results import DataInfo, JudgeResult
from salva.evaluation.settings import EvaluationSettings


def sign_run(
    info: DataInfo, model_digest: str, settings: EvaluationSettings, judge: JudgeResult | None
) -> str:
    """Return the signature of a run: what its numbers depend on, in one line."""
    transforms = settings.transforms
    task = settings.task
    asked = {} if task is None else {"task": f"{task.name}.{task.digest.removeprefix('sha256:')[:8]}"}
    asked |= {} if settings.suite is None else {"suite": settings.suite.replace("sha256:", "")[:-52]}
    if settings.axes:
        asked["axes"] = settings.axes.sign() + ("+cross" if settings.cross else "")
    return signature(
        **asked,
        data=info.digest.removeprefix("sha256:")[:12],
        model=model_digest.removeprefix("sha256:")[:12],
        **({} if judge is None else {"judge": judge.digest.removeprefix("sha256:")[:12]}),
        presets="+".join(f"{name}.v{transform.version}" for name, transform in transforms.items()),
        settings="+".join(transform.digest.removeprefix("sha256:")[:8] for transform in transforms.values()),
        severities="+".join(f"{value:g}" for value in settings.severities),
        replicates=settings.replicates,
        seed=settings.seed,
        salva=__version__,
    )
