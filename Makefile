# Everything here runs with Python 3.11 or newer, git and make; packages come locked (requirements/).
# Without make: see "Working on Citator" in CONTRIBUTING.md for the same steps as uv lines.

VENV ?= .venv
WORKERS ?= 2
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
export VENV WORKERS

.PHONY: help setup demo test test-clients check falsify fuzz bench lock wheel sbom clean

help:
	@echo "make demo      ask a history why, decide, sign, serve it, and try to get round it"
	@echo "make test      run every test"
	@echo "make test-clients   opt-in: real agents start the server (npm, 1.3 GB, once)"
	@echo "make check     lint, format, types, layers"
	@echo "make falsify   break each rule on purpose and see its proof turn red"
	@echo "make fuzz SECONDS=600   every parser on changed inputs, for so long (also: NAMES=patch)"
	@echo "make bench     how to measure (bench/ says what and against whom)"
	@echo "make setup     the virtual environment alone: $(BIN)/citator"
	@echo "make lock      write requirements/*.txt again (needs uv)"
	@echo "make wheel     build twice, want the same bytes; OUT=dir, else dist/"
	@echo "make sbom      the bill of materials, with SBOM=path/to/cyclonedx-py"
	@echo "make clean     remove what these targets made"

$(VENV)/.run: requirements/run.txt pyproject.toml scripts/setup
	@scripts/setup "$(VENV)" run
	@touch "$@"

$(VENV)/.dev: requirements/dev.txt pyproject.toml scripts/setup
	@scripts/setup "$(VENV)" dev
	@touch "$(VENV)/.run" "$@"

setup: $(VENV)/.dev

demo: $(VENV)/.run
	@"$(BIN)/python" -m examples.demo

test: $(VENV)/.dev
	@scripts/test $(ARGS)

test-clients: $(VENV)/.dev
	@scripts/test-clients $(ARGS)

check: $(VENV)/.dev
	@scripts/check

falsify: $(VENV)/.dev
	@"$(BIN)/python" scripts/falsify.py $(ARGS)

fuzz: $(VENV)/.dev
	@"$(BIN)/python" -m bench.fuzz.run $(or $(SECONDS),60) $(NAMES)

bench:
	@echo "Measurements are scripts of their own, each with its command on top: see bench/README.md."

lock:
	@scripts/lock

wheel: $(VENV)/.dev
	@"$(BIN)/python" scripts/wheel.py $(or $(OUT),dist)

# Needs cyclonedx-bom, which is no dependency: SBOM=path/to/cyclonedx-py
sbom:
	@mkdir -p "$(dir $(or $(OUT),build/citator.cdx.json))"
	@"$(or $(SBOM),cyclonedx-py)" requirements --pyproject pyproject.toml --output-reproducible \
		--of JSON --validate -o "$(or $(OUT),build/citator.cdx.json)" requirements/run.txt

clean:
	rm -rf "$(VENV)" .demo build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
