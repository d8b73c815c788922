"""Lines of PCFG SET for hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from salva.twins import FUNCTIONS

symbols = st.builds(
    "{}{}".format, st.sampled_from("ABYZaz"), st.sampled_from([0, 1, 9, 12, 20, 123, 45678, 123456789])
)
strings = st.lists(symbols, min_size=1, max_size=5).map(" ".join)


def calls(arguments):
    names = st.sampled_from([*FUNCTIONS, *(f"{name}_twin" for name in FUNCTIONS)])
    return names.flatmap(
        lambda name: st.lists(
            arguments, min_size=(size := FUNCTIONS[name.removesuffix("_twin")]), max_size=size
        ).map(lambda parts: f"{name} {' , '.join(parts)}")
    )


lines = calls(st.recursive(strings, calls, max_leaves=12))
