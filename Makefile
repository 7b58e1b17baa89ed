# Every target works from a clean clone: it creates .venv when needed.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2

# The official data files are used when they lie beside the repository.
ifneq ($(wildcard ../shared/cec2017/inputData),)
export DE2LS_CEC2017_DATA ?= $(abspath ../shared/cec2017/inputData)
endif

.PHONY: install demo test test-all test-demo test-newest fidelity lint format bench docs clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

# DE-2LS against RDEx on generated problems, from the first trial to the page, in a minute or two.
demo: $(STAMP)
	mkdir -p build
	rm -f build/demo.db build/demo.db-*
	$(BIN)/de2ls run --algorithms de2ls,rdex --dim 10 --instance 1 --runs 5 --store build/demo.db
	$(BIN)/de2ls score build/demo.db --tables totals
	$(BIN)/de2ls report build/demo.db -o report --title "DE-2LS against RDEx"

test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --timeout 600 -m "not slow and not fidelity and not demo"

test-all: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not fidelity and not demo"

test-demo: $(STAMP)
	$(BIN)/python -m pytest -m demo tests/test_readme.py

# The quick tests on the newest Python that is found and that Numba supports.
NEWEST := $(shell for v in 3.14 3.13 3.12; do \
	ls $$HOME/.pyenv/versions/$$v.*/bin/python 2>/dev/null | tail -1; command -v python$$v; done | head -1)
QUICK := tests/problems tests/engine tests/trials/test_run.py

test-newest:
ifeq ($(NEWEST),)
	@echo "no Python above 3.11 was found: its tests are left out"
else
	$(NEWEST) -m venv build/newest
	build/newest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		-e ".[all]" hypothesis pytest pytest-timeout pytest-xdist
	build/newest/bin/python -m pytest -n $(WORKERS) -m "not slow and not demo" $(QUICK)
endif

fidelity: $(STAMP)
	$(BIN)/python -m pytest -m fidelity tests/fidelity

lint: $(STAMP)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: $(STAMP)
	$(BIN)/python -m benchmarks

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) build report site
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
