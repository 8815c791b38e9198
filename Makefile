# Everything a fresh machine needs is python3 with venv and pip, make and gcc.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo help test services warm test-thorough lint types format docs docs-serve matrix lock benchmarks ghinita-2009 figures clean

demo: warm  ## the main job on generated data, into demo/
	$(BIN)/indistinct demo --out demo

help:  ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

test: lint types warm services  ## set up .venv, then lint, types, tests
	$(BIN)/pytest -n 2 --dist worksteal src/indistinct tests

test-thorough: $(STAMP) services  ## the same tests with many more random examples
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -n 2 --dist worksteal src/indistinct tests

services:  ## install the servers that some tests need, if that may be done
	@.ci/services

warm: $(STAMP)  ## compile the kernels of every method, on both cores
	$(BIN)/indistinct warmup

lint: $(STAMP)  ## ruff, and the words that users read, as `make test` runs it
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python .ci/prose

types: $(STAMP)  ## mypy, as `make test` runs it
	$(BIN)/mypy

format: $(STAMP)  ## ruff, with fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs  ## build the site into build/site, links checked, with no network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open build/site/index.html"

docs-serve: $(VENV)/.docs  ## show the site at http://127.0.0.1:8000, and build it again on changes
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve --strict

matrix:  ## the tests on each Python that is there, with the highest and lowest dependencies
	$(PYTHON) .ci/matrix $(TESTS)

lock: $(STAMP)  ## write requirements-dev.lock: the versions of everything in .venv
	$(BIN)/python .ci/lock

benchmarks: $(STAMP)  ## benchmarks/*.py but those of papers; they print times
	for script in $(filter-out benchmarks/ghinita_2009.py benchmarks/doka_2015.py benchmarks/gkountouna_2013.py benchmarks/freeform_bound.py,$(wildcard benchmarks/[a-z]*.py)); do echo "== $$script"; $(BIN)/python $$script; done

ghinita-2009: $(STAMP)  ## the comparisons of Ghinita et al. 2009 again, into docs/ (10 minutes or more)
	$(BIN)/python benchmarks/ghinita_2009.py

figures: $(STAMP)  ## draw docs/figures/ again
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/method_figures.py
	$(BIN)/python docs/concept_figures.py
	$(BIN)/python docs/picture.py

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(STAMP)

$(VENV)/.docs: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $(VENV)/.docs

clean:  ## remove .venv, demo/, build/ and caches
	rm -rf $(VENV) demo build .mypy_cache .pytest_cache .ruff_cache .hypothesis
