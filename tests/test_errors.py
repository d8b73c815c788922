"""The error tree and its exit codes."""

from __future__ import annotations

import pytest

from salva import errors


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("SalvaError", 2),
        ("ThresholdError", 1),
        ("UsageError", 2),
        ("MissingExtraError", 2),
        ("InputError", 3),
        ("ModelError", 4),
        ("StorageError", 5),
    ],
)
def test_every_error_has_its_exit_code_and_place_in_the_tree(name, code):
    error = getattr(errors, name)
    assert error.exit_code == code
    assert issubclass(error, errors.SalvaError)
    assert name in errors.__doc__


def test_callers_may_catch_the_builtin_kinds():
    assert issubclass(errors.InputError, ValueError)
    assert issubclass(errors.StorageError, OSError)
