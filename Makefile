# Each target does everything that it needs, from nothing but Python: the environment in .venv, the locked packages, then the work itself.
# `make demo` to see it, `make test` to check it, `make help` for the rest. Another Python: `make test PYTHON=python3.12`.

SHELL := /bin/bash
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3.11 python3 python3.12 python3.13; do \
	$$python -c "$(SUPPORTED)" 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
HOLD := torch==2.13.0 # what `make lock` does not move
INSTALL := $(BIN)/python -m pip install --constraint constraints.txt --editable
ONE_EACH := TF_NUM_INTRAOP_THREADS=1 OMP_NUM_THREADS=1 # of two processes at once, each computes on one core: two that share two are slower
LAYERS := $(addprefix tests/,ops embeddings recurrent attention transformer elmo/test_layers.py)

.PHONY: help demo test test-backends lint format notebooks docs bench bench-recurrent bench-decode bench-elmo lock clean

help:
	@echo "make demo            train a small translator, translate ten sentences, draw what it attended to"
	@echo "make test            tests and docstring examples, on TensorFlow"
	@echo "make test-backends   the layers' tests on JAX and on PyTorch"
	@echo "make lint            style, format and the direction of imports;  make format  mends what can be mended"
	@echo "make notebooks       run every notebook;  the executed copies are in build/notebooks"
	@echo "make docs            build the site into site/"
	@echo "make bench           measure what the docs state;  tables go to benchmarks/results;  make bench-recurrent  the LSTMs alone,  make bench-decode  GPT-2,  make bench-elmo  ELMo"
	@echo "make lock            renew constraints.txt from what pyproject.toml allows;  make clean  removes what make made"

demo: .venv/.made
	$(BIN)/richctx demo

test: .venv/.made-dev
	$(ONE_EACH) $(BIN)/pytest --numprocesses 2 --dist loadfile

test-backends: .venv/.made-backends
	$(ONE_EACH) KERAS_BACKEND=jax $(BIN)/pytest --numprocesses 2 --dist loadfile -m backends $(LAYERS) $(addprefix tests/,tagging/test_crf.py generation/test_prompts.py generation/test_greedy.py training/test_jax_devices.py)
	$(ONE_EACH) KERAS_BACKEND=torch $(BIN)/pytest --numprocesses 2 --dist loadfile -m backends $(LAYERS) $(addprefix tests/,generation language_models gpt tagging training)

lint: .venv/.made-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

format: .venv/.made-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

notebooks: .venv/.made-dev
	rm -rf build/notebooks && mkdir -p build && cp -r notebooks build/
	$(ONE_EACH) $(BIN)/pytest --numprocesses 2 --nbmake --overwrite build/notebooks

docs: .venv/.made-docs
	$(BIN)/pytest tests/test_docs.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

bench: .venv/.made-backends
	@for script in $(filter-out benchmarks/bench_finetune.py,$(wildcard benchmarks/bench_*.py)); do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

bench-decode: .venv/.made-backends
	$(BIN)/python benchmarks/bench_decode.py float32 bfloat16

bench-elmo: .venv/.made-backends
	$(BIN)/python benchmarks/bench_elmo.py

bench-recurrent: .venv/.made-backends
	$(BIN)/python benchmarks/bench_recurrent.py

lock:
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --upgrade --editable ".[dev,docs,lab,jax,torch]" $(HOLD)
	{ echo "# The versions that CI runs. Renewed by 'make lock'."; \
	  build/lock/bin/python -m pip freeze --exclude-editable | sed 's/+.*//'; } > constraints.txt
	rm -rf build/lock

clean:
	rm -rf .venv build dist site .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# An empty file in .venv marks what is installed there, so that the next call does not install again unless the requirements have changed.
.venv/.made: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(INSTALL) .
	@touch $@

.venv/.made-dev: pyproject.toml constraints.txt | .venv/pyvenv.cfg
	$(INSTALL) ".[dev]"
	@touch $@ .venv/.made

.venv/.made-backends: .venv/.made-dev
	$(INSTALL) ".[dev,jax,torch]"
	@touch $@

.venv/.made-docs: .venv/.made-dev
	$(INSTALL) ".[dev,docs]"
	@touch $@

.venv/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "No Python 3.11, 3.12 or 3.13 found. Name one: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
