# Plain `make` lists the targets. Everything runs in .venv, which `make venv` creates.

# The first interpreter that is new enough; `make PYTHON=... venv` overrides. That of the system
# goes first: distributions optimise theirs by profiles, which makes the tests a fifth faster
# than with one that pyenv builds. Debian's makes environments only with python3-venv.
CANDIDATES := /usr/bin/python3 python3 python3.13 python3.12 python3.11 python3.14
IS_NEW := 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))'
PYTHON ?= $(firstword $(foreach p,$(CANDIDATES),\
	$(shell $(p) -c $(IS_NEW) 2>/dev/null && echo $(p))) python3.11-or-newer-not-found)
BIN := .venv/bin
STAMP := .venv/.installed
SOURCES := devproc tests benchmarks notebooks examples plugins
# Two workers, each of one thread in PyTorch (threads that wait for each other cost a third of
# the time): the suite is sized for a two-core machine.
JOBS ?= 2
# For `make check`: each stage alone, all of them from a pipeline to its results, a GPU kernel in
# Triton's interpreter, a saved program, and the house rules.
SMOKE := tests/test_pipeline_story.py tests/test_readme.py tests/saved \
	tests/triton/test_interpret.py::test_interpret_compile_interpret tests/test_conventions.py
# The commit from which `make check` sees changed files.
BASE ?= $(shell git merge-base HEAD main 2>/dev/null || echo HEAD)

.DEFAULT_GOAL := help
.PHONY: help venv demo check test lint format typecheck unit filecheck notebooks course lessons docs site support models story pythons saved bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(STAMP) ## Create .venv and install DevProc with its development tools

# torch goes first and pinned: 2.13.0 has a CPU build that pip finds and prefers, while an
# open range would let pip choose a newer release and, with it, gigabytes of CUDA libraries.
# torchvision's wheel belongs to the CUDA build: tests/torchvision_finder.py says why it goes
# into a folder of its own. No bytecode: most modules of these packages are never imported.
$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile torch==2.13.0
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-compile --upgrade --no-deps --target .venv/torchvision \
		'torchvision==0.28.*'
	touch $(STAMP)

demo: $(STAMP) ## Train, export, compile and check the digits demo, end to end
	$(BIN)/python examples/digits.py

check: lint ## Check style, types of files changed since main, and each stage: a minute
	@changed=$$(git diff --name-only --diff-filter=d $(BASE) -- '*.py'; \
		git ls-files --others --exclude-standard -- '*.py'); \
		test -z "$$changed" || $(BIN)/basedpyright $$changed
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) $(SMOKE)

test: lint unit ## Run everything: style, types, unit, FileCheck, e2e, notebooks

lint: $(STAMP) ## Check style and formatting
	$(BIN)/ruff check $(wildcard $(SOURCES))
	$(BIN)/ruff format --check $(wildcard $(SOURCES))

format: $(STAMP) ## Rewrite the sources in the house format
	$(BIN)/ruff check --fix $(wildcard $(SOURCES))
	$(BIN)/ruff format $(wildcard $(SOURCES))

typecheck: $(STAMP) ## Check types, strictly in devproc/
	$(BIN)/basedpyright

# With bytecode, also where the environment turns it off: without it, a process that a test
# starts compiles our sources first, a tenth of its time.
unit: $(STAMP) ## Run all tests (types, FileCheck, e2e and notebooks included)
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 \
		$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

filecheck: $(STAMP) ## Run the FileCheck tests alone, in one process
	$(BIN)/python -m pytest tests/test_filecheck.py

notebooks: $(STAMP) ## Run the notebooks, and the lessons with and without solutions
	$(BIN)/python -m pytest tests/test_notebooks.py tests/test_course.py

course: $(STAMP) ## Open the index of the course in a browser
	$(BIN)/marimo edit notebooks/course/index.py

lessons: $(STAMP) ## Build the lessons that run in a browser (build/lessons); needs npm
	$(BIN)/python notebooks/browser/build.py build/lessons

docs: $(STAMP) ## Regenerate the documents that the code holds
	$(BIN)/python -m devproc.tools.generate_docs

site: $(STAMP) ## Build the documentation site (build/site), strictly and offline
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

support: $(STAMP) ## Measure the support matrix (docs/support.json); resumes a cut run
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.ops --matrix --jobs $(JOBS)
	$(BIN)/python -m devproc.tools.generate_docs

models: $(STAMP) ## Measure the models that docs/models.json lacks
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.zoo
	$(BIN)/python -m devproc.tools.generate_docs

story: $(STAMP) ## Renew the programs of tests/filecheck/pipeline
	$(BIN)/python -m tests.update_pipeline_story

pythons: $(STAMP) ## Install DevProc for each Python that is here (build/pythons), then test it
	$(BIN)/python -m tests.distribution.pythons
	$(BIN)/python -m pytest -rs tests/distribution/test_wheel.py

saved: $(STAMP) ## Renew the saved program of the present format (tests/saved)
	$(BIN)/python -m tests.saved

bench: $(STAMP) ## Measure compile time (benchmarks/)
	$(BIN)/python benchmarks/compile_time.py

clean: ## Remove what the build made, but not .venv
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache
	find devproc tests -name __pycache__ -type d -prune -exec rm -rf {} +
