"""Several runs through a pool: each is what `learn` alone comes to, bit for bit, and what goes wrong is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from falsework.batch.pools.named import pool_named
from falsework.cli import main
from falsework.learning import Settings, learn_seeds
from falsework.learning.training.learn import Trained, learn
from falsework.model.errors import BadInput, FalseworkError
from tests.learning.small import ARCH, bridge

QUICK = Settings(rollouts=8, minibatch=16, epochs=1, widths=(4, 4), stop_at=2.0)


def same(one: Trained, other: Trained) -> bool:
    """Bit for bit."""
    return all((values == other.policy.weights[name]).all() for name, values in one.policy.weights.items())


@pytest.mark.parametrize("pool", ["serial", "processes:1"])
def test_runs_of_a_pool_are_those_that_learn_alone_comes_to(pool: str, tmp_path: Path) -> None:
    runs = learn_seeds(bridge(), (3, 1), pool_named(pool), updates=2, settings=QUICK, out=tmp_path)
    assert all(
        same(run, learn(bridge(), updates=2, seed=seed, settings=QUICK)) for seed, run in zip((3, 1), runs, strict=True)
    )
    assert sorted(one.name for one in tmp_path.iterdir()) == ["seed-1", "seed-3"]
    assert all(run.path is not None and run.path.is_file() for run in runs)


def test_seeds_come_once_and_what_a_run_says_is_told_with_its_seed(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"seeds: found \[1, 1\], expected one or more, each once"):
        learn_seeds(bridge(), (1, 1), pool_named("serial"))
    with pytest.raises(FalseworkError, match=r"seed 2: .*robots: found 99"):
        learn_seeds(bridge(), (2,), pool_named("serial"), robots=99, updates=1, settings=replace(QUICK))


def test_runs_are_asked_for_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", str(ARCH), "--runs", "2", "--pool", "serial", "--updates", "1", "--seed", "4"]) == 0
    told = capsys.readouterr().out
    assert "seed 4: train" in told and "seed 5: train" in told
    assert main(["learn", str(ARCH), "--pool", "serial"]) == 2
    assert "add --runs N" in capsys.readouterr().err
