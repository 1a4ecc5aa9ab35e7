# Everything runs in .venv, which the first command makes. PYTHON=python3.12 chooses another Python.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup grade test lab notebooks lint fuzz bench

help:  ## show the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## make .venv with everything in it

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "minigrad needs Python 3.11 or newer; name one with 'make PYTHON=python3.11 …'."; exit 1; }
	@echo "Setting up $(VENV) (once; about a minute and 1.5 GB) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@$(BIN)/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements >/dev/null 2>&1
	@touch $@

grade: $(READY)  ## grade the sample class of chapter 1 and show the result
	@$(BIN)/python -m grader demo

test: $(READY)  ## run all tests
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile
	@echo "All tests passed."

lab: $(READY)  ## open JupyterLab on the student's notebooks
	@echo "JupyterLab opens on notebooks/; stop it with Ctrl-C."
	@$(BIN)/jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/notebooks $(LAB_OPTIONS)

notebooks: $(READY)  ## rebuild everything that is generated from the chapters' scripts
	@$(BIN)/python -m grader notebooks

lint: $(READY)  ## check style and formatting
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "Style and formatting are as pyproject.toml asks."

fuzz: $(READY)  ## run 10,000 random programs on minigrad and on torch, and compare
	@$(BIN)/python -m tests.minigrad.fuzz --programs 10000

bench: $(READY)  ## measure minigrad beside torch and its peers, in one interleaved run
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@$(BIN)/python -m tests.bench --rounds 7
