# `make demo` and `make test` need only Python and make: each builds its own .venv first.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-main test-slow test-modes test-models lint types docs clean

demo: .venv/demo.stamp
	$(BIN)/salva demo

test: .venv/test.stamp lint types
	$(MAKE) --jobs=2 --output-sync=target test-main test-slow test-modes

test-main: .venv/test.stamp
	$(BIN)/python -m coverage run -m pytest -m 'not slow'
	$(BIN)/python -m coverage report

test-slow: .venv/test.stamp
	$(BIN)/python -m pytest -p no:cacheprovider -m slow

test-modes: .venv/test.stamp
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -p no:cacheprovider -m 'not slow' tests/_kernels tests/text tests/edits tests/twins/test_interpreter.py
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -p no:cacheprovider -m 'not slow' tests/_kernels tests/text tests/edits tests/twins/test_interpreter.py

test-models: .venv/test.stamp
	$(BIN)/python -m pytest -m 'slow or not slow' tests/twins/test_reference_model.py tests/models

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/test.stamp
	$(BIN)/mypy

docs: .venv/test.stamp
	$(BIN)/python tools/write_cli_reference.py

.venv/demo.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable .
	touch $@

.venv/test.stamp: .venv/demo.stamp
	$(INSTALL) --editable '.[test]'
	touch $@

clean:
	rm -rf .venv
