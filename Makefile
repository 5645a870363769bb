# The commands people type. Each is a line or two; what they do is in scripts/.
# All of them work on a fresh clone with Python 3.11 or newer, git and make, and do nothing twice.

PYTHON ?= python3
BIN := .venv/bin
RUN := $(BIN)/python -m scripts
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# They reach the recipes through the environment, so that no shell reads their text as code.
export RELEASE HARDWARE ENTRY SHARD
NARROW := $${RELEASE:+--release "$$RELEASE"} $${HARDWARE:+--hardware "$$HARDWARE"} $${ENTRY:+--entry "$$ENTRY"}

.PHONY: help serve test check site verify entry bench setup
.DELETE_ON_ERROR:

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' Makefile

serve: .venv/site.stamp ## set up, then serve the site with live reload
	$(RUN) serve

test: .venv/test.stamp ## set up all that the tests need, then run all of them
	$(RUN) setup tests
	$(RUN) test

check: .venv/test.stamp ## format, lint, types, spelling, workflows, entries, notebooks
	$(RUN) check

site: .venv/site.stamp ## build the site into site/
	$(RUN) site

verify: .venv/site.stamp ## run what is stale; RELEASE=2.6 HARDWARE=cuda ENTRY=topic/entry SHARD=1/4 narrow it
	$(RUN) verify $(NARROW) $${SHARD:+--shard "$$SHARD"}

entry: .venv/site.stamp ## check ENTRY=topic/entry, make its notebooks, run them; RELEASE=2.13 narrows it
	$(RUN) entry $(NARROW)

bench: .venv/test.stamp ## run every benchmark, peers in the same run
	$(RUN) bench

setup: .venv/site.stamp ## only set up
	@:

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo 'Python 3.11 or newer is needed, and "$(PYTHON)" is not that; name one: make PYTHON=python3.12 ...' >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/site.stamp: .venv/pyvenv.cfg requirements.txt pyproject.toml package.json package-lock.json .npmrc
	$(PIP) -r requirements.txt
	$(PIP) --no-deps --editable .
	$(BIN)/npm ci
	@touch $@

.venv/test.stamp: .venv/site.stamp requirements-test.txt
	$(PIP) -r requirements-test.txt
	@touch $@
