# Two commands for a fresh machine with git, make and Python 3.11 or newer: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup demo warm warm-statics warm-others test targets lint bench pictures fuzz interrupts extras pushes adversary kills ray clean

setup: $(STAMP)

# torch comes first and pinned: unpinned it would pull gigabytes of CUDA.
$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet --editable '.[cad,fast,engine,gym,learning,film,instruct,vision,batch,bench,test]'
	touch $(STAMP)

demo: setup
	$(BIN)/python examples/demo.py

lint: setup
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports

# Compiling the fast solvers takes a few minutes, once; those of statics for two other kinds of processor too, on which
# the suite asks about some states. Two things at a time, here and where the linters run beside it.
warm: setup
	$(MAKE) --jobs=2 warm-statics warm-others

warm-statics: setup
	$(BIN)/python -m falsework.bench.targets all falsework.verdicts.warm

warm-others: setup
	$(BIN)/python -m falsework.collapse.warm
	$(BIN)/python -m falsework.brickworld.warm
	$(BIN)/python -m falsework.geometry.distance.warm
	$(BIN)/python -m falsework.robots.warm
	$(BIN)/python -m falsework.perception.warm
	$(BIN)/python -m falsework.execution.warm

test: setup
	$(MAKE) --jobs=2 warm-statics lint warm-others
	$(BIN)/python -m pytest -n 2

# Whatever rounds, on three kinds of processor, each with machine code of its own.
targets: warm
	$(BIN)/python -m falsework.bench.targets all falsework.collapse.warm
	$(BIN)/python -m falsework.bench.targets all falsework.brickworld.warm
	$(BIN)/python -m falsework.bench.targets all pytest -n 2 --ignore=tests/statics/test_targets.py \
		tests/statics tests/collapse tests/brickworld

bench: setup
	$(BIN)/falsework bench all

# What README shows, made anew from the gallery; needs Chromium.
pictures: setup
	$(BIN)/python examples/pictures.py

# Ten thousand inputs that nobody wrote; the suite runs a hundred of them.
fuzz: warm
	$(BIN)/python -m tests.fuzz.run 10000

# Ctrl-C at two hundred random moments, over all verbs; the suite strikes each once.
interrupts: warm
	$(BIN)/python -m tests.interrupts.run 200

# Every verb with every subset of extras, by blocked imports, then in clean environments made from the wheel: no extra,
# each alone, all. The suite does the first but for the measurements.
extras: warm
	$(BIN)/python -m tests.extras.probing
	$(BIN)/python -m tests.extras.environments

# Ten thousand random pushes of loose bricks: none may end inside anything. The suite runs 25 of them.
pushes: warm
	$(BIN)/python -m tests.brickworld.hunt 10000

# A hundred thousand cases made to find wrong verdicts, judged by programs that share no code with falsework; the suite
# runs hundreds of them. Goes on where it was interrupted. `make adversary SEED=7` draws others.
SEED ?= 0
adversary: warm
	$(BIN)/python -m tests.adversary.run 100000 --seed $(SEED) --jobs 2

# Workers of a batch killed at fifty random moments, whole runs at twenty: nothing lost, nothing double. The suite kills
# one of each.
kills: warm
	$(BIN)/python -m tests.batch.hunt 50 20

# The pool of a Ray cluster, two nodes on this machine, one of them killed; in an environment of its own, as Ray is large
# and takes its time to start.
ray: warm
	$(PYTHON) -m venv $(VENV)-ray
	$(VENV)-ray/bin/python -m pip install --quiet --editable '.[fast,batch,ray,test]'
	$(VENV)-ray/bin/python -m pytest tests/batch/test_ray_cluster.py tests/contracts/test_work_pools.py

clean:
	rm -rf $(VENV) $(VENV)-ray build dist out
