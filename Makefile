# Everything a fresh machine needs is python3 with venv and pip, make and gcc.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-thorough lint types format benchmarks paper-002 figures clean

demo: $(STAMP)
	$(BIN)/coarsen demo --out demo

test: lint types
	$(BIN)/pytest -n 2 --dist worksteal src/coarsen tests

test-thorough: $(STAMP)
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest -n 2 --dist worksteal src/coarsen tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmarks: $(STAMP)
	for script in $(filter-out benchmarks/paper_%,$(wildcard benchmarks/[a-z]*.py)); do echo "== $$script"; $(BIN)/python $$script; done

paper-002: $(STAMP)
	$(BIN)/python benchmarks/paper_002.py

figures: $(STAMP)
	$(BIN)/python docs/figures.py
	$(BIN)/python docs/method_figures.py
	$(BIN)/python docs/picture.py

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(STAMP)

clean:
	rm -rf $(VENV) demo .mypy_cache .pytest_cache .ruff_cache .hypothesis
