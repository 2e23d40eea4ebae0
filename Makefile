# `make run` and `make test` set up .venv when pyproject.toml has changed, and not otherwise.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The heuristics that the five reports recommend, and our own; `improved`, the baseline, plays as well.
RECOMMENDED := lookahead_both central_mobility stages squared_ratio contested_reach knightfall

.PHONY: run test test-all torture lint bench format clean

run: $(VENV)/.run
	$(BIN)/knightfall tournament $(RECOMMENDED) --panel gen2 --pairs 200 --db knightfall.db
	$(BIN)/knightfall report --db knightfall.db -o report.html

test: lint
	$(BIN)/pytest -n auto --dist worksteal -m "not long"

test-all: $(VENV)/.test
	$(BIN)/pytest -n auto --dist worksteal -m long

torture: $(VENV)/.test
	$(BIN)/python tests/torture/run.py

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
	$(BIN)/python -m pip install --quiet --editable ".[report]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python $(VENV)/.browser
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@ $(VENV)/.run

# Reports are opened in a real browser. Debian's is installed where that is possible; it is not asked for again once it is there.
$(VENV)/.browser: | $(BIN)/python
	@if command -v chromium || \
	    { [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update -qq && \
	      DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium; }; \
	then touch $@; \
	else echo "chromium is missing and cannot be installed here: tests that open reports in a browser are skipped" >&2; \
	fi >/dev/null
