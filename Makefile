# Every target sets up what it needs: `make demo` and `make test` work on a machine with only Python 3.11 to 3.13 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help dev docs wheel sdist demo watch test test-slow test-busy check check-page check-security play serve bench champion-report clean

help:
	@echo "make demo       run a tournament of the built-in bots, with a report"
	@echo "make watch      watch bots play a full game"
	@echo "make serve      play, watch and review games in the browser"
	@echo "make play       play against a bot in the terminal"
	@echo "make dev        set up everything that contributors need"
	@echo "make test       run the tests"
	@echo "make test-slow  run the long tests as well"
	@echo "make test-busy  run the tests three times beside four busy loops"
	@echo "make check      lint, type-check, and check the dependencies"
	@echo "make docs       build the documentation (liars-dice docs opens it)"
	@echo "make wheel      build the wheel, with the documentation in it"
	@echo "make bench      run all benchmarks and write docs/benchmarks.md"
	@echo "make champion-report  measure the champion again and write its tables (REPORT='--device cuda' with a GPU)"
	@echo "make clean      remove the virtual environment and caches"

$(VENV)/created:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else "$(PYTHON) is Python %d.%d; this needs 3.11 to 3.13: make PYTHON=python3.12 ..." % v[:2])'
	@echo "Setting up a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/runtime: $(VENV)/created pyproject.toml constraints.txt
	@echo "Installing liars-dice ..."
	@$(PIP) install --constraint constraints.txt --editable '.[plots]'
	@touch $@

$(VENV)/dev: $(VENV)/runtime
	@echo "Installing what the tests need ..."
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@

dev: $(VENV)/dev
	@if [ -d .git ] && [ -x $(BIN)/pre-commit ]; then $(BIN)/pre-commit install --hook-type pre-commit --hook-type pre-push >/dev/null; fi
	@echo "Ready: make test, or $(BIN)/python -m pytest tests/core/test_dice.py"

docs: $(VENV)/dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Built: $(BIN)/liars-dice docs opens it."

# The build runs in the virtual environment, where the documentation can be built; no package is fetched.
wheel: $(VENV)/dev
	@mkdir -p dist
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .

sdist: $(VENV)/dev
	@$(BIN)/python -m hatchling build --target sdist

demo: $(VENV)/runtime
	@$(BIN)/liars-dice demo

watch: $(VENV)/runtime
	@$(BIN)/liars-dice watch

play: $(VENV)/runtime
	@$(BIN)/liars-dice play

serve: $(VENV)/runtime
	@$(BIN)/liars-dice serve --open

test: $(VENV)/dev
	@$(BIN)/python -m pytest -n auto -m 'not slow'

$(VENV)/train: $(VENV)/dev
	@echo "Installing PyTorch ..."
	@$(PIP) install --constraint constraints.txt --editable '.[dev,train]'
	@touch $@

$(VENV)/slow: $(VENV)/dev
	@echo "Installing what the worked examples need ..."
	@$(PIP) install --constraint constraints.txt --editable '.[dev,slow]'
	@touch $@

test-slow: $(VENV)/slow
	@$(BIN)/python -m pytest -n auto

# No test may depend on how busy the machine is.
test-busy: $(VENV)/dev
	@$(BIN)/python tools/busy_tests.py --loops 4 --runs 3

check: $(VENV)/dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(MAKE) --no-print-directory check-page check-security

# Checks the page's JSDoc types. TypeScript is needed only here; it is installed in the virtual environment's folder and never shipped.
TYPESCRIPT := 5.9.3
NODE_TOOLS := $(VENV)/node-$(TYPESCRIPT)

check-page:
	@if ! command -v node >/dev/null; then echo "Node is not installed: skipping the type check of the page."; \
	elif [ -x $(NODE_TOOLS)/node_modules/.bin/tsc ] || { command -v npm >/dev/null && npm install --silent --no-audit --no-fund --prefix $(NODE_TOOLS) typescript@$(TYPESCRIPT) >/dev/null 2>&1; }; then \
		$(NODE_TOOLS)/node_modules/.bin/tsc --project jsconfig.json; \
	elif command -v tsc >/dev/null; then tsc --project jsconfig.json; \
	else echo "TypeScript is not available: skipping the type check of the page."; fi

# The audit tools are installed only here. They need a package index, and pip-audit a list of known weaknesses.
check-security: $(VENV)/dev
	@$(BIN)/python tools/hash_constraints.py --check
	@if [ -x $(BIN)/bandit ] && [ -x $(BIN)/pip-audit ] || $(PIP) install --constraint constraints.txt --editable '.[audit]' >/dev/null 2>&1; then \
		$(BIN)/bandit --quiet --recursive src --configfile pyproject.toml && $(BIN)/python tools/audit_dependencies.py; \
	else echo "bandit and pip-audit cannot be installed here: skipping them."; fi

$(VENV)/bench: $(VENV)/dev
	@echo "Installing the packages to compare with ..."
	@$(PIP) install --constraint constraints.txt --editable '.[dev,bench]'
	@touch $@

bench: $(VENV)/bench
	@$(BIN)/python benchmarks/run_all.py

champion-report: $(VENV)/train
	@$(BIN)/python benchmarks/champion.py --play --networks --write $(REPORT)

clean:
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist src/liars_dice/offline_docs
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
