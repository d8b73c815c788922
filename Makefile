# `make demo` and `make test` need only Python, make and gcc: each builds its own .venv first.
PYTHON ?= python3
BIN := .venv/bin
# Most of 25,000 modules are never imported: compiling them all takes as long as everything else in an install.
# Old versions of pip take the versions of build requirements from the first variable, new ones from the second.
INSTALL := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

# Tests start hundreds of processes, each of which would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test kernels checked test-all test-slow test-faults test-harnesses test-engines test-browser test-plain test-checked test-wheel test-models faults fuzz coverage lint types docs results pictures language-models clean

demo: .venv/demo.stamp
	$(BIN)/salva demo

# What a newcomer runs: linters, types and the fast tests, in a few minutes on two cores.
test: .venv/test.stamp
	$(MAKE) --jobs=3 --output-sync=target types lint kernels KIND=release
	$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal -m 'not slow and not heavy' --ignore=tests/fuzz

# Compile the kernels in place, where they have changed: in seconds, and they run slowly; KIND=release is what wheels have.
KIND ?= quick
kernels: .venv/test.stamp
	SALVA_KERNELS=$(KIND) $(BIN)/python setup.py --quiet build_ext --inplace

# Kernels that check every index, in a folder of their own.
checked: .venv/test.stamp
	SALVA_KERNELS=checked $(BIN)/python setup.py --quiet build_ext --build-lib build/checked

# What continuous integration runs after it: heavy packages, whole corpora, long training, faults, kernels uncompiled and with
# checks, and the wheel.
test-all: .venv/all.stamp
	$(MAKE) --jobs=2 --output-sync=target test-slow test-faults test-plain test-engines test-harnesses test-wheel test-checked test-browser

coverage: .venv/all.stamp
	$(BIN)/python -m coverage run -m pytest -m 'not slow'
	$(BIN)/python -m coverage report

# Each of these takes one core, so that two of them run at a time.
SLOWLY := $(BIN)/python -m pytest -p no:cacheprovider --durations=10
ENGINES := tests/transforms/test_engines.py tests/asking/test_ray.py
KERNELS := tests/_kernels tests/text tests/edits
# Those whose texts reach kernels; the others feed parsers, which are the same without the compiler.
FUZZERS := $(patsubst %,tests/fuzz/test_%.py,contrasts edits presets spans words)

test-slow: .venv/all.stamp
	$(SLOWLY) -m '(slow or heavy) and not browser' --ignore=tests/faults --ignore=tests/harnesses $(ENGINES:%=--ignore=%) --ignore=tests/test_wheel.py

test-faults: .venv/all.stamp
	$(SLOWLY) -m 'slow or heavy' tests/faults

test-harnesses: .venv-harnesses/stamp
	$(SLOWLY) -m 'slow or heavy' tests/harnesses

test-engines: .venv/all.stamp
	$(SLOWLY) -m 'slow or heavy' $(ENGINES)

test-browser: .venv/all.stamp
	$(SLOWLY) -m browser tests

test-plain: .venv/all.stamp
	$(SLOWLY) -p tests.plain_kernels -m 'not slow' $(KERNELS) $(FUZZERS)

test-checked: .venv/all.stamp checked
	$(SLOWLY) -p tests.checked_kernels -m 'not slow' $(KERNELS) tests/fuzz

test-wheel: .venv/all.stamp
	$(SLOWLY) tests/test_wheel.py

# New examples for every fuzzer, for so many seconds in all; the fast tests run the same few each time.
FUZZ_SECONDS ?= 600
fuzz: .venv/all.stamp
	FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m pytest -p no:cacheprovider tests/fuzz

test-models: .venv/all.stamp
	$(BIN)/python -m pytest -m 'slow or not slow' tests/examples tests/models

# Every fault at every write of the commands, and 200 kills at random moments, whose count it prints.
faults: .venv/all.stamp
	EVERY_STEP=1 $(BIN)/python -m pytest -p no:cacheprovider -m 'slow or not slow' tests/faults

lint: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/test.stamp
	$(BIN)/mypy

# The documentation as a site, in build/docs; whatever is made from code or figures is made again first.
docs: .venv/all.stamp
	$(BIN)/python tools/write_cli_reference.py
	$(BIN)/python tools/write_validity.py
	$(BIN)/python tools/write_faults.py
	$(BIN)/python tools/write_readme.py
	$(BIN)/python -m tools.results write
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going docs build/docs

# The experiments on real models; examples/README.md says what DATA and INPUTS hold. What is done is skipped.
WORK ?= build/results
INPUTS ?= build/inputs
JOBS ?= 1
results: .venv/all.stamp
	$(BIN)/python -m tools.results run $(DATA) --work $(WORK) --inputs $(INPUTS) --jobs $(JOBS)
	$(BIN)/python -m tools.results record --work $(WORK)
	$(BIN)/python -m tools.results write

pictures: .venv/all.stamp
	$(BIN)/python tools/picture_reports.py

# A real small model on six data sets; benchmarks/language_models/run.py says what has to be there.
language-models: .venv/all.stamp
	$(BIN)/python benchmarks/language_models/run.py
	$(BIN)/python benchmarks/language_models/page.py build/language_models/runs

.venv/demo.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(INSTALL) --editable .
	touch $@

.venv/test.stamp: .venv/demo.stamp
	$(INSTALL) --editable '.[test]'
	touch $@

.venv/all.stamp: .venv/test.stamp
	$(INSTALL) --editable '.[test-all]'
	touch $@

# Other harnesses need versions that do not fit constraints.txt. Theirs come first; all else, such as torch, is that of .venv.
SITE := import sysconfig; print(sysconfig.get_path("purelib"))
.venv-harnesses/stamp: .venv/all.stamp tests/harnesses/requirements.txt
	$(BIN)/python -m venv --clear .venv-harnesses
	.venv-harnesses/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --requirement tests/harnesses/requirements.txt
	$(subst $(BIN),.venv-harnesses/bin,$(INSTALL)) --no-deps --editable .
	echo "import site; site.addsitedir('$$($(BIN)/python -c '$(SITE)')')" >"$$(.venv-harnesses/bin/python -c '$(SITE)')/rest.pth"
	touch $@

clean:
	rm -rf .venv .venv-harnesses build
