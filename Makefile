# `make run` and `make test` set up .venv if pyproject.toml has changed since the last time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# uv installs in a tenth of the time that pip takes. Where it is not available, pip installs the same packages.
install = { uv=$$(command -v uv || echo $(BIN)/uv); \
	    [ -x "$$uv" ] || $(BIN)/python -m pip install --quiet uv; \
	    "$$uv" pip install --quiet --compile-bytecode --python $(BIN)/python --editable "$(1)"; } 2>/dev/null || \
	  $(BIN)/python -m pip install --quiet --editable "$(1)"
# The heuristics that the five reports recommend, and our own. `improved`, the baseline, plays as well.
RECOMMENDED := lookahead_both central_mobility stages squared_ratio contested_reach knightfall

.PHONY: run test test-all torture lint docs bench format clean
.NOTPARALLEL:

# The tests start hundreds of processes: what they import is compiled to bytecode once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

run: $(VENV)/.run
	$(BIN)/knightfall tournament $(RECOMMENDED) --panel gen2 --pairs 200 --db knightfall.db
	$(BIN)/knightfall report --db knightfall.db -o report.html

test: lint
	$(BIN)/pytest -n auto --dist worksteal -m "not long"

test-all: $(VENV)/.test $(VENV)/.docs
	$(BIN)/pytest -n auto --dist worksteal -m long

torture: $(VENV)/.test
	$(BIN)/python tests/torture/run.py

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going --fresh-env --quiet -d build/doctrees docs build/docs
	@echo "open build/docs/index.html"

bench: $(VENV)/.run
	$(BIN)/python benchmarks/run.py

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml | $(BIN)/python
	@$(call install,.[report])
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python $(VENV)/.browser
	@$(call install,.[test])
	@touch $@ $(VENV)/.run

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	@$(call install,.[docs])
	@touch $@

# Tests open reports in a real browser. Debian's is installed if it is missing and this user may install it.
$(VENV)/.browser: | $(BIN)/python
	@if command -v chromium || \
	    { [ "$$(id -u)" = 0 ] && command -v apt-get && apt-get update -qq && \
	      DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium; }; \
	then touch $@; \
	else echo "chromium is missing and cannot be installed here: tests that open reports in a browser are skipped" >&2; \
	fi >/dev/null
