# Everything runs in .venv, which the first command makes. PYTHON=python3.12 chooses another Python.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= 2
MINUTES ?= 5
SPARE ?= --ServerApp.jpserver_extensions=grader.learner.spare=True  # a kernel that has imported torch; SPARE= for none

# JupyterLab's name for what it opens with, and keeps
LAYOUT := build/lab/default-37a8.jupyterlab-workspace

.DEFAULT_GOAL := help
.PHONY: help setup grade test mine lab hub notebooks book site lint coverage fuzz attack busy verify browser hub-week bench bench-grader

help:  ## show the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## make .venv with everything in it

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "minigrad needs Python 3.11 or newer; name one with 'make PYTHON=python3.11 …'."; exit 1; }
	@echo "Setting up $(VENV) (once; one to three minutes, 1.5 GB) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[course,test,cluster]'
	@$(BIN)/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements >/dev/null 2>&1
	@touch $@

grade: $(READY)  ## grade the sample class of chapter 1 and show the result
	@$(BIN)/python -m grader demo

test: $(READY)  ## run all tests
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
	@echo "All tests passed."

mine: $(READY)  ## run minigrad's tests on your own engine, in my_minigrad/
	@$(BIN)/python -m tests.minigrad.mine

lab: $(READY) $(LAYOUT)  ## open JupyterLab on the student's notebooks
	@echo "JupyterLab opens on the first notebook, which leads to the others, at the next free port if 8888 is in use; stop it with Ctrl-C."
	@JUPYTER_CONFIG_PATH=grader/learner/jupyter $(BIN)/jupyter lab --notebook-dir=. --LabApp.default_url=/lab/tree/notebooks/chapter0/welcome.ipynb --LabApp.workspaces_dir=$(dir $(LAYOUT)) $(SPARE) $(LAB_OPTIONS)

$(LAYOUT):  # the first time, the sidebars are closed: a notebook has the whole of a narrow screen
	@mkdir -p $(dir $(LAYOUT))
	@cp grader/learner/jupyter/layout.json $(LAYOUT)

hub: $(READY)  ## start a JupyterHub for the class on this machine: sudo make hub; grader/deploy/HUB.md
	@$(BIN)/python -m grader hub $(HUB_OPTIONS)

notebooks: $(READY)  ## rebuild everything that is generated from the chapters' scripts
	@$(BIN)/python -m grader notebooks

book: $(READY)  ## build the book, a site in build/book; SOLVED=1 with the solutions, in build/book-solved
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[course,book]'
	@echo "Building the book (a minute) …"
	@$(BIN)/python -m grader book $(if $(SOLVED),--solved)

site: $(READY)  ## build the course for a browser with nothing installed: the book, and JupyterLab to do it in, in build/site
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[course,book]'
	@test -x build/jupyterlite/bin/python || $(BIN)/python -m venv build/jupyterlite
	@build/jupyterlite/bin/python -m pip install --quiet --disable-pip-version-check '.[site]'
	@echo "Building the site (two minutes) …"
	@$(BIN)/python -m grader site --python build/jupyterlite/bin/python

lint: $(READY)  ## check style, formatting and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@echo "Style, formatting and types are as pyproject.toml asks."

coverage: $(READY)  ## run all tests, and count the lines and branches that they reach: build/coverage/index.html
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[course,coverage]'
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --cov --cov-report=html --cov-report=term:skip-covered

fuzz: $(READY)  ## run 10,000 random programs on minigrad and on torch, and compare
	@$(BIN)/python -m tests.minigrad.fuzz --programs 10000

attack: $(READY)  ## hand in anything, for MINUTES=5: what a student controls is one student's row, and harmless
	@$(BIN)/python -W ignore -m tests.grader.run.attacks.fuzz --minutes $(MINUTES)

busy: $(READY)  ## grade beside fifty processes that never rest; minutes, in which the machine is busy
	@MINIGRAD_BUSY=1 $(BIN)/python -m pytest tests/grader/run/attacks/test_busy.py

verify: $(READY)  ## verify the grader on thousands of draws and mutants; writes grader/VERIFICATION.md
	@$(BIN)/python -m tests.verification

browser: $(READY)  ## use the course in a browser, as learner and instructor; PICTURES=--pictures renews README's
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[course,browser,book]'
	@$(BIN)/python -m pytest tests/browser --timeout=3600 $(PICTURES)

hub-week: $(READY)  ## play a week on a hub, with accounts that exist for the test alone; as root, ten minutes
	@$(BIN)/python -m pytest tests/hub

bench: $(READY)  ## measure minigrad beside torch and its peers, in one interleaved run
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[course,bench]'
	@$(BIN)/python -m tests.bench --rounds 7

bench-grader: $(READY)  ## measure grading beside stock nbgrader, otter-grader and its earlier self, in interleaved runs
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[course,cluster,postgres]'
	@$(BIN)/python -m tests.bench.grading --students 64 --rounds 3
	@$(BIN)/python -m tests.bench.earlier bd22df1 --students 160 --rounds 3
	@$(BIN)/python -m tests.bench.latency
