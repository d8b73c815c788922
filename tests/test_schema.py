"""Values of settings and files become typed ones, or one line says which does not fit, and why."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salva._schema import convert, to_plain
from salva.errors import UsageError
from tests.fuzz.strategies import json_values, one_line_errors

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Column(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    role: Literal["text", "label"] = "text"


@dataclass(frozen=True, kw_only=True)
class Limits:
    calls: Annotated[int, msgspec.Meta(ge=1)] = 1
    rows: Annotated[int, msgspec.Meta(le=10_000)] = 1
    drop: Share | None = None
    above: Annotated[float, msgspec.Meta(gt=0, lt=5)] = 1.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    title: str
    seed: int | None = None
    strict: bool = False
    edit: tuple[str, ...] = ()
    scale: tuple[float, float] | None = None
    labels: Mapping[str, tuple[str, ...]] | tuple[str, ...] = ()
    scores: Mapping[str, Share] = field(default_factory=dict)
    columns: Sequence[Column] = ()
    limits: Limits = field(default_factory=Limits)
    extra: Any = None


FULL = {
    "title": "x",
    "seed": 3,
    "strict": True,
    "edit": ["a", "b"],
    "scale": [1, 5],
    "labels": {"yes": ["y"], "no": []},
    "scores": {"good": 1, "a b": 0.5},
    "columns": [{"name": "t"}, {"name": "l", "role": "label"}],
    "limits": {"calls": 2, "drop": 1},
    "extra": {"any": [None, {"thing": 1}]},
}


def test_plain_values_become_dataclasses_and_structs_and_are_had_back():
    made = convert(FULL, Settings)
    assert made == Settings(
        title="x",
        seed=3,
        strict=True,
        edit=("a", "b"),
        scale=(1.0, 5.0),
        labels={"yes": ("y",), "no": ()},
        scores={"good": 1.0, "a b": 0.5},
        columns=[Column(name="t"), Column(name="l", role="label")],
        limits=Limits(calls=2, drop=1.0),
        extra={"any": [None, {"thing": 1}]},
    )
    assert isinstance(made.scores["good"], float)
    assert convert({"title": "x", "labels": ["yes", "no"]}, Settings).labels == ("yes", "no")
    plain = to_plain(made)
    assert plain == FULL | {"columns": [{"name": "t", "role": "text"}, {"name": "l", "role": "label"}]} | {
        "limits": {"calls": 2, "rows": 1, "drop": 1.0, "above": 1.0}
    }
    assert convert(json.loads(json.dumps(plain)), Settings) == made


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"title": 3}, "title = 3 must be a text"),
        ({"title": None}, "title = None must be a text"),
        ({"seed": 1.5}, "seed = 1.5 must be a whole number"),
        ({"seed": True}, "seed = True must be a whole number"),
        ({"strict": 1}, "strict = 1 must be true or false"),
        ({"edit": "a"}, "edit = 'a' must be a list of texts"),
        ({"edit": ["a", 5]}, "edit[1] = 5 must be a text"),
        ({"scale": [1]}, "scale = [1] must be a list of 2 numbers"),
        ({"scale": [1, "b"]}, "scale[1] = 'b' must be a number"),
        ({"scale": [1, math.nan]}, "scale[1] = nan must be a number"),
        ({"scale": [1, 10**400]}, f"scale[1] = 1{'0' * 59} must be a number"),
        ({"labels": 5}, "labels = 5 must be a table or a list of texts"),
        ({"labels": {"yes": "y"}}, "labels.yes = 'y' must be a list of texts"),
        ({"labels": {"a\nb": [0]}}, r"labels.'a\nb'[0] = 0 must be a text"),
        ({"scores": {1: 1}}, "scores = {1: 1} must be a table"),
        ({"scores": [1]}, "scores = [1] must be a table"),
        ({"scores": {"good": 2}}, "scores.good = 2 must be a number between 0 and 1"),
        ({"columns": {}}, "columns = {} must be a list of tables"),
        ({"columns": ["a"]}, "columns[0] = 'a' must be a table"),
        ({"columns": [{}]}, "columns[0].name is missing; it must be a text"),
        ({"columns": [{"name": "a", "rol": 1}]}, "columns[0].rol is unknown; did you mean 'role'?"),
        ({"columns": [{"name": "a", "role": "id"}]}, "columns[0].role = 'id' must be one of text, label"),
        ({"columns": [{"name": "a", "role": [1]}]}, "columns[0].role = [1] must be one of text, label"),
        ({"limits": 3}, "limits = 3 must be a table"),
        ({"limits": {"calls": 0}}, "limits.calls = 0 must be a whole number of at least 1"),
        ({"limits": {"rows": 10_001}}, "limits.rows = 10001 must be a whole number of at most 10,000"),
        ({"limits": {"drop": -1}}, "limits.drop = -1 must be a number between 0 and 1"),
        ({"limits": {"above": 0}}, "limits.above = 0 must be a number above 0 below 5"),
        ({"limits": {"x": 0}}, "limits.x is unknown; choose from calls, rows, drop, above"),
        ({"titel": "x"}, "key 'titel' is unknown; did you mean 'title'?"),
        ({"y" * 99: "x"}, f"key '{'y' * 59} is unknown; choose from title, seed"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_what_was_expected(change, problem):
    with pytest.raises(UsageError) as caught:
        convert({**FULL, **change}, Settings)
    assert str(caught.value).startswith(problem)
    assert "\n" not in str(caught.value)


def test_the_name_of_the_whole_comes_first_in_a_message():
    with pytest.raises(UsageError, match=r"^answer\.titel is unknown"):
        convert({"titel": "x"}, Settings, name="answer")
    with pytest.raises(UsageError, match=r"^answer\.title is missing; it must be a text$"):
        convert({}, Settings, name="answer")
    with pytest.raises(UsageError, match=r"^seed = 'x' must be a whole number$"):
        convert("x", int, name="seed")


def test_numbers_of_numpy_mappings_and_values_that_are_made_already_are_taken():
    made = convert(
        {
            "title": np.str_("x"),
            "seed": np.int64(3),
            "edit": ("a",),
            "scale": [np.float32(1), np.float64(2)],
            "scores": MappingProxyType({"good": np.float64(0.5)}),
            "columns": [Column(name="t")],
            "limits": Limits(calls=5),
        },
        Settings,
    )
    assert (type(made.seed), made.edit, made.scale, made.scores) == (int, ("a",), (1.0, 2.0), {"good": 0.5})
    assert (made.columns, made.limits) == ([Column(name="t")], Limits(calls=5))


def test_what_is_checked_when_a_value_is_made_is_refused_as_it_says():
    @dataclass
    class Pair:
        low: int
        high: int

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise UsageError("low must not be above high")

    with pytest.raises(UsageError, match=r"^low must not be above high$"):
        convert({"low": 2, "high": 1}, Pair)


def test_a_type_may_be_made_by_a_function_of_the_value_and_its_name():
    @dataclass(frozen=True)
    class Square:
        side: float

    def make(value: Any, name: str) -> Square:
        if value == 0:
            raise UsageError(f"{name} is too small")
        return Square(value)

    made = convert({"a": [1, 2]}, dict[str, tuple[Square, ...]], makers={Square: make})
    assert made == {"a": (Square(1), Square(2))}
    with pytest.raises(UsageError, match=r"^all\.a\[1\] is too small$"):
        convert({"a": [1, 0]}, dict[str, tuple[Square, ...]], name="all", makers={Square: make})


def test_plain_values_are_those_of_json():
    value = {"path": Path("a/b"), "number": np.int32(5), "share": np.float64(0.5), "pair": (1, None, True)}
    assert to_plain(value) == {"path": "a/b", "number": 5, "share": 0.5, "pair": [1, None, True]}
    with pytest.raises(TypeError, match="must be a plain value"):
        to_plain({1, 2})


@given(st.dictionaries(st.sampled_from([*FULL, "titel"]), json_values, max_size=4))
def test_any_values_are_taken_or_refused_in_one_line(values):
    with one_line_errors():
        made = convert(FULL | values, Settings)
        assert convert(to_plain(made), Settings) == made
