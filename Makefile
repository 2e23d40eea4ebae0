# `make run` and `make test` set up .venv when pyproject.toml has changed, and not otherwise.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOUST := 8/8/8/4n3/3N4/8/8/8 w

.PHONY: run test test-all lint bench format clean

run: $(VENV)/.run
	@echo "A game of random moves on 7x7:"
	@$(BIN)/knightfall play --first random --second random --seed 7
	@echo
	@$(BIN)/knightfall perft 10 --fen "$(JOUST)"

test: lint
	$(BIN)/pytest -n auto --dist worksteal -m "not long"

test-all: $(VENV)/.test
	$(BIN)/pytest -n auto --dist worksteal -m long

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.run
	$(BIN)/python benchmarks/run.py

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@ $(VENV)/.run
