"""Options of commands that ask a judge: which model it is, and how it is opened."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from salva._arguments import did_you_mean
from salva.cli.model_options import list_specs
from salva.cli.options import option, take_options
from salva.cli.preset_options import parse_pairs
from salva.errors import UsageError
from salva.evaluation.judging import KEY_VARIABLE, change_options
from salva.models import ADAPTERS, ModelOptions

_SPECS = list_specs(adapter for adapter in ADAPTERS.values() if adapter.text)
# What a judge has in common with the model, or decides itself.
_OWN = ("json_field", "labels", "logits", "prompt", "writes")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The model that judges the replies to a task of the kind judge."""

    model: str | None = option("--judge", metavar="SPEC", help=f"The judge of a task: {_SPECS}.")
    settings: tuple[str, ...] = option(
        "--judge-set",
        multiple=True,
        metavar="KEY=VALUE",
        help=f"An option of the judge that differs, such as api_key_variable={KEY_VARIABLE}.",
    )

    def make_options(self, opening: ModelOptions) -> ModelOptions:
        """Return how the judge is opened, if `opening` is how the model is."""
        changes = parse_pairs("--judge-set", self.settings)
        known = [field.name for field in dataclasses.fields(ModelOptions) if field.name not in _OWN]
        for key in changes:
            if key not in known:
                hint = did_you_mean(key, known, otherwise=f"choose from {', '.join(known)}")
                raise UsageError(f"--judge-set: there is no option {key!r}; {hint}")
        return change_options(opening, changes)


judge_options = take_options(JudgeOptions, "judging")
